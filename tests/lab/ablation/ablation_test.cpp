// SPDX-License-Identifier: Apache-2.0
#include "lab/ablation/ablation.hpp"

#include <nlohmann/json.hpp>

#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Rows = std::vector<ValidationRow>;

/// Two rows of 10 and 12 s: right with all mechanisms; without uplinks the second is forecast 3 s
/// too short, and the first as good as the same; without adding the first has no forecast.
Ablation ablation() {
  Rows no_adding = {failed_row("a", "killed"), row_of("b", 12, {12})};
  no_adding[0].forecast.reset();
  return {one_after_the_other(find_mechanisms({"uplink", "adding"})),
          {{row_of("a", 10.1, {10}), row_of("b", 12, {12})},
           {row_of("a", 10.101, {10}), row_of("b", 9, {12})},
           no_adding,
           no_adding}};
}

TEST_CASE("a mechanism concerns the rows whose forecast it moves") {
  const LeftOutFindings uplink = ablation().left_out()[0];

  CHECK(uplink.concerned == std::vector<std::size_t>{1});
  CHECK(uplink.concerned_with.worst_error == 0);
  CHECK(uplink.concerned_without.worst_error == 0.25);
  CHECK(uplink.all.worst_error == 0.25);
  CHECK(uplink.all.median_error == Approx((0.0101 + 0.25) / 2));
}

// 10.101 s before 9 s; they took 10 and 12.
TEST_CASE("an ablation has the pairs that are ranked wrongly without a mechanism") {
  CHECK(ablation().with_all().wrong_pairs() == 0);
  CHECK(ablation().left_out()[0].all.wrong_pairs() == 1);
}

TEST_CASE("a row that has no forecast without a mechanism is concerned") {
  const LeftOutFindings adding = ablation().left_out()[1];

  CHECK(adding.concerned == std::vector<std::size_t>{0});
  CHECK(adding.all.failed == 1);
  CHECK(adding.concerned_without.configurations == 0);
}

TEST_CASE("mechanisms are left out one after the other, and then all together") {
  const auto passes = one_after_the_other(find_mechanisms({"uplink", "adding"}));

  REQUIRE(passes.size() == 3);
  CHECK(passes[0].size() == 1);
  CHECK(passes[1].front().name == "adding");
  CHECK(passes[2].size() == 2);
  CHECK(one_after_the_other(find_mechanisms({"adding"})).size() == 1);
  CHECK(ablation().left_out()[2].name == "all of these");
}

TEST_CASE("an ablation's JSON has the errors of every row") {
  const nlohmann::ordered_json json = ablation().json("epochcast report", "2026-11-24");

  CHECK(json["schema"] == "epochcast.ablation/1");
  CHECK(json["with_all"]["configurations"] == 2);
  CHECK(json["left_out"][0]["name"] == "uplink");
  CHECK(json["left_out"][0]["without"] == "every node has the slowest node's link");
  CHECK(json["left_out"][0]["all"]["wrong_pairs"] == 1);
  CHECK(json["left_out"][0]["concerned"] == std::vector<int>{1});
  CHECK(json["left_out"][0]["concerned_with"]["worst_error"] == 0);
  CHECK(json["left_out"][0]["concerned_without"]["worst_error"] == 0.25);
  CHECK(json["rows"][1]["point"] == "b");
  CHECK(json["rows"][1]["errors_without"]["uplink"] == -0.25);
  CHECK(json["rows"][0]["errors_without"]["adding"].is_null());
  CHECK(json["provenance"]["command"] == "epochcast report");
  CHECK(json["provenance"]["date"] == "2026-11-24");
}

}  // namespace
}  // namespace epochcast::tests
