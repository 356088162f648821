// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/collective_arguments.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

CollectiveArguments arguments_of(const nlohmann::json& args) {
  Problems problems("p.json");
  const CollectiveArguments read = read_collective(JsonInput(args, "/args", problems));
  problems.throw_if_any();
  return read;
}

CollectiveArguments arguments_in(const std::string& text) {
  return arguments_of(nlohmann::json::parse(text));
}

nlohmann::json all_reduce(const std::string& type) {
  return {{"Collective name", "allreduce"},
          {"In msg nelems", 1000},
          {"dtype", type},
          {"Group size", 2},
          {"Process Group Name", "7"},
          {"Process Group Ranks", "[1, 3]"}};
}

TEST_CASE("LibTorch 2 records elements and their type, the group and its ranks") {
  const CollectiveArguments read = arguments_of(all_reduce("Float"));

  CHECK(read.name == "allreduce");
  CHECK(read.bytes == 4 * 1000);
  CHECK(read.group == "7");
  CHECK(read.group_size == 2);
  CHECK(read.ranks == std::vector<int>{1, 3});
  CHECK(arguments_of(all_reduce("BFloat16")).bytes == 2 * 1000);
  CHECK(arguments_of(all_reduce("Double")).bytes == 8 * 1000);
}

TEST_CASE("truncated lists of ranks are unknown") {
  nlohmann::json args = all_reduce("Float");
  args["Process Group Ranks"] = "[0, 1, 2, ...]";

  CHECK(arguments_of(args).ranks.empty());
}

TEST_CASE("LibTorch 1 records the shape of the tensor with record_shapes") {
  CHECK(arguments_in(R"({"Input Dims": [[31410]], "Input type": ["float"]})").bytes == 4 * 31410);
  CHECK(arguments_in(R"({"Input Dims": [[64, 3, 8]], "Input type": ["c10::Half"]})").bytes ==
        2 * 64 * 3 * 8);
  // A list of two tensors.
  CHECK(arguments_in(
            R"({"Input Dims": [[[10], [2, 3]], []], "Input type": [["double", "double"], ""]})")
            .bytes == 8 * (10 + 2 * 3));
}

TEST_CASE("a list of tensors without recorded shapes has no size") {
  CHECK(arguments_in(R"({"Input Dims": [[], []], "Input type": ["TensorList", ""]})").bytes == 0);
  CHECK(arguments_in("{}").bytes == 0);
  CHECK(arguments_in(R"({"Input Dims": [["x", 3]], "Input type": ["float"]})").bytes == 0);
  CHECK(arguments_in(R"({"Input Dims": [[3, -1]], "Input type": ["float"]})").bytes == 0);
  CHECK(arguments_in(R"({"Input Dims": [[99999999, 99999999, 9999]], "Input type": ["float"]})")
            .bytes == 0);
}

TEST_CASE("invalid sizes are bad input for an all-reduce, and ignored for others") {
  nlohmann::json args = all_reduce("Tensor");
  args["In msg nelems"] = -1;

  CHECK(
      problems_of([&] { static_cast<void>(arguments_of(args)); }) ==
      Texts{"p.json: /args/In msg nelems: got -1; expected a whole number from 0 to "
            "281474976710656",
            "p.json: /args/dtype: got \"Tensor\"; expected a type of tensors, such as \"Float\""});
  args["Collective name"] = "wait";
  CHECK(arguments_of(args).name == "wait");
}

}  // namespace
}  // namespace epochcast::tests
