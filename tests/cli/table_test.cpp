// SPDX-License-Identifier: Apache-2.0
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
    "  (measured > published > estimated).\n";

// 50,000 samples / (2 workers x batch 128) = 195 iterations of 100 ms: 19.5 s.
// sync exchanges 195 times, 20 ms each: 3.9 s. Local SGD with H = 65 exchanges 195 / 65 = 3 times.
// 23.4 s / 19.56 s = 1.196.
TEST_CASE("a ranking can be checked on paper", "[cli]") {
  const Outcome outcome =
      Folder().run(kJob + " --exchange-seconds 20ms --strategy sync,local-sgd --local-steps 65");

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out ==
        "resnet20 on cifar10, platform pair, 2 nodes: 2 test-gpu, batch 128 per worker, 2 epochs\n"
        "\n"
        "#  strategy    epoch  vs sync  compute  exchange  blocked  # compute = exchange . blocked"
        "  rounds  in nodes  between  whole job  inputs\n"
        "-  ---------  ------  -------  -------  --------  -------  ------------------------------"
        "  ------  --------  -------  ---------  ---------\n"
        "1  local-sgd  19.6 s    1.20x   19.5 s   60.0 ms      0 s  ####################          "
        "       3       0 B      0 B     39.1 s  estimated\n"
        "2  sync       23.4 s    1.00x   19.5 s    3.90 s      0 s  #################===          "
        "     195       0 B      0 B     46.8 s  estimated\n" +
            kLegend);
}

// CPU and GPU of one node: the GPU waits 1 s - 0.1 s in each of 50,000 / 256 = 195 iterations.
TEST_CASE("a fast worker's waiting is shown as blocked", "[cli]") {
  const Outcome outcome = Folder().run(
      kJob + " --exchange-seconds 0s --strategy sync --workers all --nodes 1 --format csv");

  REQUIRE(lines(outcome.out).size() == 2);
  CHECK(lines(outcome.out)[1].find(",sync,pair,resnet20,cifar10,1,2,128,2,195,195,195,") !=
        std::string::npos);
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
