// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/row_text.hpp"

#include <nlohmann/json.hpp>

#include "analysis/throughput/benchmark_output.hpp"
#include "analysis/throughput/rows_file.hpp"
#include "base/json/json_file.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a row of text is a configuration and its step", "[throughput]") {
  const TrainingRow usual = {.devices = 4, .batch = 32};

  const MeasuredRow rate = parse_measured_row("nodes=2, devices=4: 512/s", usual, "--row");
  const MeasuredRow step =
      parse_measured_row("nodes=1,batch=64,accumulation=2: 276ms", usual, "--row");

  CHECK(rate.row.devices == 8);
  CHECK(rate.step_s == Approx(0.5));
  CHECK(step.row.devices == 4);
  CHECK(step.row.batch == 64);
  CHECK(step.row.accumulation == 2);
  CHECK(step.step_s == Approx(0.276));
}

TEST_CASE("a rate is written as people write it", "[throughput]") {
  for (const char* rate : {"512/s", "512 /s", "512 samples/s", "512 img/s", "512images/s"}) {
    CAPTURE(rate);
    CHECK(parse_measured_row("nodes=2: " + std::string(rate), {.devices = 4, .batch = 32}, "--row")
              .step_s == Approx(0.5));
  }
}

TEST_CASE("a list of values is a configuration each", "[throughput]") {
  const std::vector<TrainingRow> rows =
      parse_rows_text("nodes=2,4,batch=32,64", {.devices = 8}, "--forecast");

  REQUIRE(rows.size() == 4);
  CHECK(rows[0].devices == 16);
  CHECK(rows[3].nodes == 4);
  CHECK(rows[3].batch == 64);
}

TEST_CASE("malformed rows are refused in one sentence", "[throughput]") {
  for (const char* text :
       {"", "2", "nodes=0", "nodes=2,nodes=4", "nodess=2", "nodes=x", "nodes=2,"}) {
    CHECK_THROWS_WITH(
        parse_rows_text(text, {}, "--forecast"),
        "--forecast: got \"" + std::string(text) +
            "\"; expected counts such as \"nodes=2,devices=4,batch=64,accumulation=1\"");
  }
  for (const char* text : {"nodes=1", "nodes=1: 12", "nodes=1: -3/s", "nodes=1,2: 3/s"}) {
    CHECK_THROWS_WITH(parse_measured_row(text, {}, "--row"),
                      "--row: got \"" + std::string(text) +
                          "\"; expected a configuration and what was measured, such as "
                          "\"nodes=1,devices=4: 926/s\" "
                          "or \"...: 276ms\"");
  }
}

constexpr const char* kNcclTests =
    R"(# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor)
#  Rank  0 Group  0 Pid   4242 on      n01 device  0 [0x07] NVIDIA A100
#  Rank  1 Group  0 Pid   4243 on      n02 device  0 [0x07] NVIDIA A100
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           8             2     float     sum      -1    20.00    0.00    0.00      0    19.00    0.00    0.00      0
   134217728      33554432     float     sum      -1   6100.0   22.00   22.50      0   6090.0   22.04   22.40      0
# Avg bus bandwidth    : 11.2
)";

TEST_CASE("nccl-tests on two nodes tell the network's rate and a hop", "[throughput]") {
  MeasuredRates rates;

  add_nccl_tests(kNcclTests, "out.txt", rates);

  CHECK(*rates.network_bytes_per_s == Approx(22.5e9));
  CHECK(*rates.network_hop_s == Approx(10e-6));
  CHECK_FALSE(rates.node_bytes_per_s);
}

TEST_CASE("nccl-tests on one node tell the rate inside it", "[throughput]") {
  std::string output = kNcclTests;
  output.replace(output.find("n02"), 3, "n01");
  MeasuredRates rates;

  add_nccl_tests(output, "out.txt", rates);

  CHECK(*rates.node_bytes_per_s == Approx(22.5e9));
  CHECK_FALSE(rates.network_bytes_per_s);
}

TEST_CASE("OSU's benchmarks tell a hop, a rate, or both", "[throughput]") {
  MeasuredRates latency;
  MeasuredRates bandwidth;
  MeasuredRates all_reduce;

  add_osu("# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n0   1.50\n8  1.60\n",
          {},
          "a",
          latency);
  add_osu(
      "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1  3.1\n4194304  "
      "12000\n2097152 11900\n",
      {},
      "b",
      bandwidth);
  add_osu("# OSU MPI Allreduce Latency Test\n# Size       Avg Latency(us)\n4   40\n2000000  3000\n",
          {.nodes = 4},
          "c",
          all_reduce);

  CHECK(*latency.network_hop_s == Approx(1.5e-6));
  CHECK(*bandwidth.network_bytes_per_s == Approx(12e9));
  CHECK(*all_reduce.network_bytes_per_s == Approx(1.5 * 2e6 / 3e-3));
  CHECK(*all_reduce.network_hop_s == Approx(10e-6));
}

constexpr const char* kOsuPort =
    "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1  3.1\n4194304  24000\n";

TEST_CASE("osu_bw tells the rate of one port of a node", "[throughput]") {
  const auto rate_of = [](const OsuRun& run) {
    MeasuredRates rates;
    add_osu(kOsuPort, run, "bw.txt", rates);
    return *rates.network_bytes_per_s;
  };

  CHECK(rate_of({.ports = 8, .node_bytes_per_s = 184e9}) == Approx(184e9));
  CHECK(rate_of({.ports = 4, .node_bytes_per_s = 184e9}) == Approx(96e9));
  CHECK(rate_of({.known_ports = 2, .node_bytes_per_s = 184e9}) == Approx(48e9));
  CHECK(rate_of({.ports = 1, .node_bytes_per_s = 184e9}) == Approx(24e9));
  CHECK(rate_of({.node_bytes_per_s = 25e9}) == Approx(24e9));
  CHECK_THROWS_WITH(rate_of({.node_bytes_per_s = 184e9}),
                    "bw.txt: one port has 24 GB/s, and the network of a node 184 GB/s; state the "
                    "ports of a node, as in --osu ports=8:bw.txt");
}

TEST_CASE("outputs that show no rate are refused", "[throughput]") {
  MeasuredRates rates;

  CHECK_THROWS_WITH(add_osu("# Size      Bandwidth (MB/s)\n8  3.1\n", {}, "x.txt", rates),
                    "x.txt: its largest message has 8 B; expected 1 MiB or more");
  CHECK_THROWS_WITH(add_osu("# Size      Bandwidth (MB/s)\n4194304  0\n", {}, "x.txt", rates),
                    "x.txt: got 0 for messages of 4194304 B; expected a positive value");
  CHECK_THROWS_WITH(add_osu("# Size    Latency (us)\n0  -1.5\n", {}, "x.txt", rates),
                    "x.txt: got -1.5 for messages of 0 B; expected a positive value");
}

TEST_CASE("other outputs are refused", "[throughput]") {
  MeasuredRates rates;

  CHECK_THROWS_WITH(add_osu("hello", {}, "x.txt", rates),
                    "x.txt: expected the output of osu_latency, osu_bw or osu_allreduce");
  CHECK_THROWS_WITH(add_osu("# Size       Avg Latency(us)\n4   40\n", {}, "x.txt", rates),
                    "x.txt: expected the number of nodes, as in --osu nodes=4:x.txt");
  CHECK_THROWS_WITH(add_nccl_tests("hello", "x.txt", rates),
                    "x.txt: expected the output of all_reduce_perf of nccl-tests, with its list of "
                    "ranks and its table "
                    "of sizes, times and bandwidths");
}

TEST_CASE("a rows file reports all its problems", "[throughput]") {
  const auto document = parse_json(
      R"({"schema": "epochcast.rows/1", "cluster": {"devices-per-node": 4, "netwrk": "1GBps"},
      "rows": [{"nodes": 1, "devices": 4, "batch": 32, "rate": -1}]})",
      "rows.json");

  CHECK_THROWS_WITH(parse_rows(document, "rows.json"),
                    Catch::Contains("/cluster/netwrk") && Catch::Contains("/rows/0/rate"));
}

}  // namespace
}  // namespace epochcast::tests
