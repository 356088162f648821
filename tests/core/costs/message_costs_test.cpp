// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "core/formats/message_costs_format.hpp"
#include "core/formats/message_trace.hpp"
#include "tests/catch.hpp"
#include "tests/robustness/dice.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

using nlohmann::json;

MessageCosts read(const json& document) {
  Problems problems("p.json");
  MessageCosts costs = read_message_costs(JsonInput(document, "/messages", problems));
  problems.throw_if_any();
  return costs;
}

json regime(const std::string& from, const std::string& latency, const std::string& bandwidth) {
  return {{"from", from}, {"latency", latency}, {"bandwidth", bandwidth}};
}

TEST_CASE("a message belongs to the last regime that begins at or below its size") {
  const MessageCosts costs = read({{"regimes",
                                    {regime("0B", "1us", "1GBps"),
                                     regime("4KiB", "2us", "2GBps"),
                                     regime("64KiB", "3us", "4GBps")}},
                                   {"uncertainty", 0.02},
                                   {"notes", {"measured in a hurry"}}});

  CHECK(costs.regime(0).latency_s == 1e-6);
  CHECK(costs.regime(4095).latency_s == 1e-6);
  CHECK(costs.regime(4096).latency_s == 2e-6);
  CHECK(costs.regime(1e9).latency_s == 3e-6);
  CHECK(costs.message_s(65536) == Approx(3e-6 + 65536 / 4e9).epsilon(1e-12));
  CHECK(costs.uncertainty == 0.02);
  CHECK(costs.notes == std::vector<std::string>{"measured in a hurry"});
}

TEST_CASE("each end of a message adds half of its latency, and the lower bandwidth counts") {
  const MessageCosts a = {.regimes = {{.from_bytes = 0, .latency_s = 10e-6, .bytes_per_s = 1e9},
                                      {.from_bytes = 4096, .latency_s = 30e-6, .bytes_per_s = 2e9}},
                          .uncertainty = 0.1};
  const MessageCosts b = {.regimes = {{.from_bytes = 0, .latency_s = 20e-6, .bytes_per_s = 1.5e9}},
                          .uncertainty = 0.05};

  const MessageCosts both = between_ends(a, b);

  CHECK(both.message_s(1000) == Approx(15e-6 + 1e-6));
  CHECK(both.message_s(1.5e6) == Approx(25e-6 + 1e-3));
  CHECK(both.uncertainty == 0.1);
  CHECK(between_ends(b, a).regimes == both.regimes);
  CHECK(between_ends(a, a).regimes == a.regimes);
}

TEST_CASE("the uncertainty of an exchange is the error of the costs for all-reduces of its size") {
  MessageCosts costs = {.regimes = {{}}, .uncertainty = 0.01};
  const auto add = [&costs](const std::string& algorithm, double bytes, double factor) {
    costs.all_reduces.push_back(
        {.algorithm = algorithm, .bytes = bytes, .measured_s = 2, .forecast_s = 2 * factor});
  };
  add("ring", 1e3, 1.5);
  add("ring", 1e4, 0.9);
  add("ring", 1e5, 1.2);
  add("openmpi", 1e4, 0.5);
  add("openmpi", 1e5, 3);

  CHECK(costs.uncertainty_of("ring", 1, 4) == Approx(std::log(1.5)));
  CHECK(costs.uncertainty_of("ring", 1e4, 4) == Approx(-std::log(0.9)));
  CHECK(costs.uncertainty_of("binary-tree", 5e4, 4) ==
        Approx(std::hypot(std::log(0.9), std::log(1.2)) / std::sqrt(2)));
  CHECK(costs.uncertainty_of("hierarchical", 1e9, 4) == Approx(std::log(1.2)));
  CHECK(costs.uncertainty_of("openmpi", 1e4, 4) == Approx(std::log(2)));
  CHECK(costs.uncertainty_of("openmpi", 1e6, 4) == kMostUncertainty);
  costs.uncertainty = 0.3;
  CHECK(costs.uncertainty_of("ring", 1e4, 4) == 0.3);
}

TEST_CASE("an all-reduce measured among as many ranks has the uncertainty of its measurements") {
  MessageCosts costs = {.regimes = {{}}, .uncertainty = 0.2};
  for (const char* algorithm : {"ring", "openmpi"}) {
    for (const double deviation : {0.03, 0.04}) {
      costs.all_reduces.push_back({.algorithm = algorithm,
                                   .bytes = 1e6 * deviation,
                                   .measured_s = 2,
                                   .forecast_s = 3,
                                   .ranks = 2,
                                   .deviation = deviation});
    }
  }

  CHECK(costs.uncertainty_of("ring", 1e3, 2) == 0.03);
  CHECK(costs.uncertainty_of("ring", 35e3, 2) ==
        Approx(std::hypot(0.03, 0.04) / std::sqrt(2)).epsilon(1e-12));
  CHECK(costs.uncertainty_of("ring", 1e9, 2) == 0.04);
  // All algorithms but the library's own are used for the deviation of such exchanges.
  costs.all_reduces.push_back({.algorithm = "binary-tree",
                               .bytes = 1e6 * 0.04,
                               .measured_s = 2,
                               .forecast_s = 3,
                               .ranks = 2,
                               .deviation = 0.08});
  CHECK(costs.uncertainty_of("ring", 1e9, 2) ==
        Approx(std::hypot(0.04, 0.08) / std::sqrt(2)).epsilon(1e-12));
  CHECK(costs.uncertainty_of("ring", 1e9, 3) == Approx(std::log(1.5)));
  CHECK(costs.uncertainty_of("linear", 1e9, 2) == Approx(std::log(1.5)));
  CHECK(costs.uncertainty_of("openmpi", 1e9, 2) == 0.04);
}

TEST_CASE("all-reduces take their measured times, interpolated in the logarithm of the size") {
  MessageCosts costs = {.regimes = {{}}};
  const auto add = [&costs](double bytes, double factor, int ranks) {
    costs.all_reduces.push_back({.algorithm = "ring",
                                 .bytes = bytes,
                                 .measured_s = 2 * factor,
                                 .forecast_s = 2,
                                 .ranks = ranks});
  };
  add(1e6, 1.4, 4);
  add(1e4, 1.2, 4);
  add(1e5, 9, 5);
  add(1e5, 9, 0);

  CHECK(costs.measured_factor("ring", 1, 4) == Approx(1.2));
  CHECK(costs.measured_factor("ring", 1e5, 4) == Approx(1.3));
  CHECK(costs.measured_factor("ring", 1e9, 4) == Approx(1.4));
  CHECK(costs.measured_factor("ring", 1e5, 3) == 1);
  CHECK(costs.measured_factor("binary-tree", 1e5, 4) == 1);
}

TEST_CASE("invalid message costs are reported") {
  for (const json& uncertainty : {json("2 %"), json(-0.01), json(1.01), json(1e300)}) {
    CHECK(problems_of([&] {
            static_cast<void>(
                read({{"regimes", {regime("0B", "1us", "1GBps")}}, {"uncertainty", uncertainty}}));
          }) == Texts{"p.json: /messages/uncertainty: got " + uncertainty.dump() +
                      "; expected a number from 0 to 1, such as 0.02"});
  }
  CHECK(problems_of([] {
          static_cast<void>(read({{"regimes", json::array()}}));
        }) ==
        Texts{"p.json: /messages/regimes: got a list of 0; expected a list that is not empty"});
  CHECK(problems_of([] {
          static_cast<void>(read({{"regimes", {regime("1B", "1us", "1GBps")}}}));
        }) == Texts{"p.json: /messages/regimes: the first must be \"from\": \"0B\""});
  CHECK(problems_of([] {
          static_cast<void>(
              read({{"regimes", {regime("0B", "1us", "1GBps"), regime("0B", "fast", "1GBps")}}}));
        }) == Texts{"p.json: /messages/regimes/1/latency: got \"fast\"; expected a time with its "
                    "unit, such as \"1.5us\"",
                    "p.json: /messages/regimes: \"from\" must ascend"});
  CHECK(problems_of([] {
          static_cast<void>(read({{"regimes", {regime("0B", "1us", "1GBps")}},
                                  {"all_reduces",
                                   {{{"algorithm", "ring"},
                                     {"bytes", "1MiB"},
                                     {"measured", "0s"},
                                     {"forecast", "1ms"}}}}}));
        }) ==
        Texts{"p.json: /messages/all_reduces/0/measured: got \"0s\"; expected a value above zero"});
}

TEST_CASE("message costs of an older version are refused in one sentence") {
  const std::string rest =
      "\" of an older version of epochcast; measure messages and calibrate again";
  for (const std::string key : {"turns", "pairwise", "one_way", "barrier", "meeting"}) {
    CHECK(problems_of([&] {
            static_cast<void>(read({{"regimes", {regime("0B", "1us", "1GBps")}},
                                    {key, "64KiB"},
                                    {"turns_share", 0.5},
                                    {"all_reduces", {{{"member_share", 0.9}}}}}));
          }) == Texts{"p.json: /messages: has \"" + key + rest});
  }
  for (const std::string key : {"member_share", "measured_late"}) {
    CHECK(problems_of([&] {
            static_cast<void>(read({{"regimes", {regime("0B", "1us", "1GBps")}},
                                    {"all_reduces", {{{key, 0.9}}, {{key, 0.8}}}}}));
          }) == Texts{"p.json: /messages: has \"" + key + rest});
  }
}

json trace_document() {
  return json::parse(R"({
    "schema": "epochcast.message-trace/1", "name": "two", "title": "Two nodes",
    "source": {"grade": "estimated", "method": "made up"},
    "ranks": 3, "nodes": 2, "node_of_rank": [0, 0, 1],
    "costs": [{"kind": "ping-pong", "scope": "node", "bytes": 4, "samples_s": [1e-6, 2e-6]},
              {"kind": "all-reduce", "scope": "all", "algorithm": "ring", "bytes": 64,
               "samples_s": [1e-5]}]})");
}

TEST_CASE("a message trace keeps every sample in order") {
  const MessageTrace trace = parse_message_trace(trace_document(), "t.json");

  CHECK(trace.node_count() == 2);
  CHECK(trace.node_of_rank == std::vector<int>{0, 0, 1});
  REQUIRE(trace.costs.size() == 2);
  CHECK(trace.costs[0].samples_s == std::vector<double>{1e-6, 2e-6});
  CHECK(trace.costs[1].algorithm == "ring");
}

TEST_CASE("all problems of a message trace are reported at once") {
  json document = trace_document();
  document["node_of_rank"] = {0, 0};
  document["costs"][0]["kind"] = "pingpong";
  document["costs"][1]["samples_s"] = json::array();

  CHECK(problems_of([&] { static_cast<void>(parse_message_trace(document, "t.json")); }) ==
        Texts{"t.json: /node_of_rank: has 2 entries for 3 ranks",
              "t.json: /costs/0/kind: unknown kind of message \"pingpong\"; did you mean "
              "\"ping-pong\"?",
              "t.json: /costs/1/samples_s: got a list of 0; expected a list of seconds"});
}

TEST_CASE("a message trace of an older version is refused in one sentence") {
  const auto problems_with = [](const std::string& key, const json& value) {
    json document = trace_document();
    for (json& cost : document["costs"]) cost[key] = value;
    return problems_of([&] { static_cast<void>(parse_message_trace(document, "t.json")); });
  };
  const std::string rest = " of an older version of epochcast; measure messages again";

  json rings = trace_document();
  for (json& cost : rings["costs"]) cost.update({{"kind", "ring-step"}, {"nodes", {0, 1}}});
  CHECK(problems_of([&] { static_cast<void>(parse_message_trace(rings, "t.json")); }) ==
        Texts{"t.json: has ring steps among some \"nodes\"" + rest});
  CHECK(problems_with("kind", "barrier") ==
        Texts{"t.json: has messages of the kind \"barrier\"" + rest});
  CHECK(problems_with("kind", "late") == Texts{"t.json: has messages of the kind \"late\"" + rest});
  CHECK(problems_with("kind", "in-a-row") ==
        Texts{"t.json: has messages of the kind \"in-a-row\"" + rest});
  CHECK(problems_with("member_share", 0.9) == Texts{"t.json: has \"member_share\"" + rest});
}

}  // namespace
}  // namespace epochcast::tests
