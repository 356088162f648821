// SPDX-License-Identifier: Apache-2.0
#include "real/torch/pretrained/state_dict.hpp"

#include <map>

#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/files/text_file.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/pretrained/weights.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::real {
namespace {

using tests::Texts;

/// The tensors of a file by make_weights.py.
void check_made(const StateDict& read, bool has_counter = true) {
  std::map<std::string, torch::Tensor> tensors;
  for (const NamedTensor& each : read.tensors) tensors[each.name] = each.tensor;
  CHECK(tensors.size() == (has_counter ? 5 : 4));
  CHECK(torch::equal(tensors.at("plain"), torch::tensor({{0.F, 1.F, 2.F}, {3.F, 4.F, 5.F}})));
  CHECK(
      torch::equal(tensors.at("transposed"), torch::tensor({{1.F, 4.F}, {2.F, 5.F}, {3.F, 6.F}})));
  CHECK(torch::equal(tensors.at("half"), torch::tensor({0.5, -2.0}, torch::kFloat16)));
  CHECK(torch::equal(tensors.at("double"), torch::tensor({0.1}, torch::kFloat64)));
  if (has_counter)
    CHECK(torch::equal(tensors.at("bn.num_batches_tracked"), torch::tensor(300, torch::kInt64)));
}

TEST_CASE("a state_dict is read as an OrderedDict, as a dict, or from C++") {
  const TemporaryFolder folder;
  const StateDict ordered = read_state_dict(made_file("ordered.pt"));

  check_made(ordered);
  check_made(read_state_dict(made_file("dict.pt")));
  check_made(read_state_dict(made_file("protocol4.pt")));
  check_made(read_state_dict(made_file("parameters.pt")), false);
  CHECK(ordered.tensors.front().name == "plain");
  CHECK(ordered.checksum == checksum(read_text_file(made_file("ordered.pt"))));

  TensorDict tensors;
  for (const NamedTensor& each : ordered.tensors) tensors.insert(each.name, each.tensor);
  check_made(read_state_dict(write_weights(folder.path() / "cpp.pt", tensors)));
}

TEST_CASE("other files are refused with advice") {
  const TemporaryFolder folder;
  const auto problem_of = [](const std::filesystem::path& file) {
    const Texts problems = tests::problems_of([&] { static_cast<void>(read_state_dict(file)); });
    REQUIRE(problems.size() == 1);
    const std::string beginning = "--pretrained: " + file.string() + ": ";
    CHECK_THAT(problems[0], Catch::StartsWith(beginning));
    return problems[0].substr(std::min(problems[0].size(), beginning.size()));
  };
  const auto name = [](const char* file) { return "\"" + made_file(file).string() + "\""; };

  CHECK(problem_of(made_file("checkpoint.pt")) ==
        "holds \"state_dict\" among other things; save that alone: torch.save(torch.load(" +
            name("checkpoint.pt") + ")[\"state_dict\"], FILE)");
  CHECK(problem_of(made_file("numbers.pt")) ==
        "holds a number as \"epoch\"; expected tensors alone");
  CHECK(problem_of(made_file("module.pt")) ==
        "holds a torch.nn.modules.linear.Linear, no dictionary of tensors; save "
        "model.state_dict(), not the model: torch.save(model.state_dict(), " +
            name("module.pt") + ")");
  CHECK(problem_of(made_file("script.pt")) ==
        "is a TorchScript archive; save its weights: torch.save(torch.jit.load(" +
            name("script.pt") + ").state_dict(), FILE)");
  CHECK(problem_of(made_file("legacy.pt")) ==
        "is of the format before PyTorch 1.6; save it again with a newer one: "
        "torch.save(torch.load(" +
            name("legacy.pt") + "), " + name("legacy.pt") + ")");
  const auto text = folder.path() / "weights.txt";
  folder.write("weights.txt", "conv1.weight 0.5\n");
  CHECK(problem_of(text) ==
        "is no file of PyTorch's; expected one of "
        "torch.save(model.state_dict(), \"" +
            text.string() + "\")");
  folder.write("weights.txt", "");
  CHECK_THAT(problem_of(text), Catch::StartsWith("is no file of PyTorch's"));
  CHECK_THAT(problem_of(folder.path() / "none.pt"), Catch::Contains("No such file"));
  CHECK_THAT(problem_of(folder.path()), Catch::Contains("is a folder"));
}

TEST_CASE("a truncated file is refused") {
  const TemporaryFolder folder;
  const std::string whole = read_text_file(made_file("ordered.pt"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    folder.write("cut.pt", whole.substr(0, length));
    CHECK_THROWS_AS(read_state_dict(folder.path() / "cut.pt"), UserError);
  }
}

TEST_CASE("a flipped bit is refused, or changes no value") {
  const TemporaryFolder folder;
  const std::string whole = read_text_file(made_file("ordered.pt"));
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    folder.write("damaged.pt", damaged);
    try {
      check_made(read_state_dict(folder.path() / "damaged.pt"));
    } catch (const UserError&) {
      ++refused;
    }
  }
  CHECK(refused > 0);
}

}  // namespace
}  // namespace epochcast::real
