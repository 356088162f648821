// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/rows_file.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

nlohmann::json rows_with(const char* forecast) {
  nlohmann::json document = nlohmann::json::parse(R"({
    "schema": "epochcast.rows/1",
    "cluster": {"devices-per-node": 4, "network": "10Gbps", "transport": "tcp"},
    "job": {"parameters": 1e6, "gradient": "4MB", "tensors": 10, "exchange": "grpc",
            "device-sample": "2ms"},
    "measured": {"network": "8Gbps"},
    "rows": [{"nodes": 1, "devices": 1, "batch": 32, "step": "100ms"}]})");
  document["forecast"] = nlohmann::json::array({nlohmann::json::parse(forecast)});
  return document;
}

TEST_CASE("a rows file states shaped links and servers of its rows", "[throughput]") {
  const RowsFile rows = parse_rows(
      rows_with(R"({"nodes": 4, "devices": 2, "batch": 32, "network": "1Gbps", "servers": 2})"),
      "rows.json");

  CHECK(rows.job.exchange == Exchange::grpc);
  CHECK(rows.job.device_sample_s == Approx(2e-3));
  CHECK(rows.rates.network_bytes_per_s == Approx(1e9));
  CHECK(rows.rows.front().row.network_bytes_per_s == 0);
  REQUIRE(rows.forecast.size() == 1);
  CHECK(rows.forecast.front().devices == 8);
  CHECK(rows.forecast.front().network_bytes_per_s == Approx(125e6));
  CHECK(rows.forecast.front().servers == 2);
}

TEST_CASE("a rows file states local steps and exchanges with peers", "[throughput]") {
  const TrainingRow row =
      parse_rows(rows_with(R"({"nodes": 4, "devices": 2, "batch": 32, "exchanges": 0.125,
                               "exchange": "peer", "graph": "node-pairs", "overlap": "none"})"),
                 "rows.json")
          .forecast.front();

  CHECK(row.exchanges == 0.125);
  CHECK(row.exchange == Exchange::peer);
  CHECK(row.graph == PeerGraph::node_pairs);
  CHECK(row.overlap == GradientOverlap::none);
  CHECK_THROWS_AS(
      parse_rows(rows_with(R"({"nodes": 4, "devices": 2, "batch": 32, "exchanges": 2})"),
                 "rows.json"),
      UserError);
}

TEST_CASE("a rows file states rounds of peers", "[throughput]") {
  nlohmann::json document = rows_with(R"({"nodes": 1, "devices": 1, "batch": 32})");
  document["rounds"] = nlohmann::json::parse(R"([{
    "target-batch": 1024, "parameters": 1e6, "gradient": "2MB", "matchmaking": "5s",
    "delayed-updates": true,
    "peers": [{"count": 2, "rate": 50, "slowdown": 1.5, "site": "us"},
              {"count": 1, "rate": 20, "site": "eu"}],
    "links": [{"sites": ["us", "eu"], "bandwidth": "80Mbps", "latency": "50ms"}]}])");

  const AskedRound round = parse_rows(document, "rows.json").rounds.front();

  CHECK(round.target == 1024);
  CHECK(round.matchmaking_s == 5);
  CHECK(round.is_delayed);
  REQUIRE(round.peers.size() == 2);
  CHECK(round.peers[0].slowdown == 1.5);
  CHECK(round.peers[1].slowdown == 1);
  CHECK(round.links.front().bytes_per_s == Approx(10e6));
  document["rounds"][0]["links"][0]["sites"] = {"us"};
  CHECK_THROWS_AS(parse_rows(document, "rows.json"), UserError);
}

TEST_CASE("a row has no more servers than nodes", "[throughput]") {
  CHECK_THROWS_AS(parse_rows(rows_with(R"({"nodes": 2, "devices": 2, "batch": 32, "servers": 3})"),
                             "rows.json"),
                  UserError);
}

}  // namespace
}  // namespace epochcast::tests
