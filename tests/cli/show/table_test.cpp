// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

const std::string kLegend =
    "\n"
    "  Epoch, compute, exchange (communication that is not hidden) and blocked (waiting for other "
    "workers) are means over\n"
    "  workers and epochs; bytes are sums over workers. Inputs: the lowest grade among platform, "
    "links and costs\n"
    "  (measured > published > extrapolated > estimated).\n"
    "  Of data: the samples that an epoch trains on, as a share of the data set. Strategies are "
    "compared by \"all data\": the time\n"
    "  for as many samples as the data set has. How accurate the model gets is not compared here, "
    "but "
    "by epochcast choose.\n";

// 50,000 samples / (2 workers x batch 128) = 195 iterations of 100 ms: 19.5 s.
// sync exchanges 195 times, 20 ms each: 3.9 s. Local SGD with H = 65 exchanges 195 / 65 = 3 times.
// 23.4 s / 19.56 s = 1.196.
TEST_CASE("a ranking can be verified by hand", "[cli]") {
  const Outcome outcome =
      Folder().run(kJob + " --exchange-seconds 20ms --strategy sync,local-sgd --local-steps 65");

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out ==
        "resnet20 on cifar10, platform pair, 2 nodes: 2 test-gpu, batch 128 per worker, 2 epochs\n"
        "\n"
        "#  strategy          epoch  of data  all data  vs sync  samples/s  per device  compute  "
        "exchange  blocked  "
        "# compute = exchange . blocked  rounds  in nodes  between  whole job  inputs\n"
        "-  ---------------  ------  -------  --------  -------  ---------  ----------  -------  "
        "--------  -------  "
        "------------------------------  ------  --------  -------  ---------  ---------\n"
        "1  local-sgd, H 65  19.6 s   99.8 %    19.6 s    1.20x       2552        1276   19.5 s   "
        "60.0 ms      0 s  "
        "####################                 3       0 B      0 B     39.1 s  estimated\n"
        "2  sync             23.4 s   99.8 %    23.4 s    1.00x       2133        1067   19.5 s    "
        "3.90 s      0 s  "
        "#################===               195       0 B      0 B     46.8 s  estimated\n" +
            kLegend);
}

// With H = 80 two rounds fit into 195 iterations: 160 of them, 81.9 % of the samples, take 16 s and
// two exchanges. Less work per epoch is no saving.
TEST_CASE("epochs of unequal length are compared by the time for the same number of samples",
          "[cli]") {
  const Outcome outcome =
      Folder().run(kJob + " --exchange-seconds 20ms --strategy sync,local-sgd --local-steps 80");

  REQUIRE(outcome.status == 0);
  CHECK(
      lines(outcome.out)[4].starts_with("1  local-sgd, H 80  16.0 s   81.9 %    19.6 s    1.20x "));
  CHECK(
      lines(outcome.out)[5].starts_with("2  sync             23.4 s   99.8 %    23.4 s    1.00x "));
}

TEST_CASE("a forecast is for the requested number of samples, if they exist", "[cli]") {
  // 5,000 / 256 = 19 iterations of 120 ms.
  const Outcome few =
      Folder().run(kJob + " --exchange-seconds 20ms --strategy sync --train-samples 5000");
  CHECK(few.status == 0);
  CHECK(lines(few.out)[4].starts_with("1  sync      2.28 s   97.3 %    2.34 s "));

  const Outcome many = Folder().run(kJob + " --strategy sync --train-samples 50001");
  CHECK(many.status == 2);
  CHECK(many.err == "epochcast: --train-samples: got 50001; the data set has 50000\n");
}

TEST_CASE("among all strategies, sync occurs with and without overlap", "[cli]") {
  const Outcome outcome = Folder().run(kJob + " --exchange-seconds 20ms");

  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("  sync, overlap ") != std::string::npos);
  CHECK(outcome.out.find("  sync  ") != std::string::npos);
  CHECK(outcome.out.find("  node-based, K' 195 = an epoch ") != std::string::npos);
}

TEST_CASE(
    "strategies that average at most once an epoch are below the ranking, and not the fastest",
    "[cli]") {
  const Outcome outcome =
      Folder().run(kJob + " --exchange-seconds 20ms --strategy one-shot,sync,node-based");

  REQUIRE(outcome.status == 0);
  const std::vector<std::string> rows = lines(outcome.out);
  REQUIRE(rows.size() > 8);
  CHECK(rows[4].starts_with("1  sync "));
  CHECK(rows[5].empty());
  CHECK(rows[6] ==
        "Not ranked: all workers average at most once an epoch, and learn less from as many "
        "samples:");
  CHECK(rows[7].starts_with("-  one-shot, steps 390 "));
  CHECK(rows[8].starts_with("-  node-based, K' 195 = an epoch "));
  CHECK_THAT(outcome.out,
             Catch::Contains("\n  one-shot: not ranked: averages only after the last epoch"));
}

TEST_CASE("--rank-by ranks strategies that average at most once an epoch last", "[cli]") {
  const Outcome outcome =
      Folder().run(kJob + " --exchange-seconds 20ms --strategy one-shot,sync --rank-by time");

  REQUIRE(outcome.status == 0);
  const std::vector<std::string> rows = lines(outcome.out);
  const auto of = [&](const std::string& begin) {
    return std::find_if(
        rows.begin(), rows.end(), [&](const auto& row) { return row.starts_with(begin); });
  };
  CHECK(of("1  sync") != rows.end());
  CHECK(of("-  one-shot") != rows.end());
  CHECK(of("1  sync") < of("Not ranked: "));
  CHECK(of("Not ranked: ") < of("-  one-shot"));
}

// CPU and GPU of one node: the GPU waits 1 s - 0.1 s in each of 50,000 / 256 = 195 iterations.
TEST_CASE("a fast worker's waiting is shown as blocked", "[cli]") {
  const Outcome outcome = Folder().run(
      kJob + " --exchange-seconds 0s --strategy sync --workers all --nodes 1 --format csv");

  REQUIRE(lines(outcome.out).size() == 2);
  CHECK(lines(outcome.out)[1].find(
            ",sync,pair,resnet20,cifar10,1,2,128,2,195,195,49920,50000,195,") != std::string::npos);
}

TEST_CASE("costs with spread get an interval around the epoch", "[cli]") {
  const Outcome outcome = Folder().run(kNoisyJob + " --strategy sync");

  CHECK(outcome.status == 0);
  CHECK(lines(outcome.out)[2].find("  5 - 95 %  ") != std::string::npos);
}

TEST_CASE("without sync there is no column for it", "[cli]") {
  const Outcome outcome = Folder().run(kJob + " --strategy dlb");

  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("vs sync") == std::string::npos);
}

TEST_CASE("extrapolated costs are noted", "[cli]") {
  const Outcome outcome = Folder().run(kNoisyJob + " --strategy sync --set batch=8");

  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("\n  sync: cost of batch 8 on test-gpu is extrapolated from 16 to 64\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace epochcast::tests
