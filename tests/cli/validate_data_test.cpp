// SPDX-License-Identifier: Apache-2.0
// Errors of data sets that `epochcast validate` reports before it measures.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/fake_cluster.hpp"

namespace epochcast::tests {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("missing data is reported before any measurement", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json",
                     "small-cnn",
                     {{{"strategy", "sync"}, {"data", "nowhere"}},
                      {{"strategy", "sync"}, {"train-samples", 50001}},
                      {{"strategy", "dlb"}, {"data", "nowhere"}},
                      {{"strategy", "sync"}}},
                     "train");

  const Outcome outcome = cluster.validate("e.json");

  CHECK(outcome.status == 2);
  CHECK(lines(outcome.err) ==
        Lines{"epochcast: e.json: /validate/rows/0: nowhere: No such file or directory; expected "
              "the folder of "
              "CIFAR-10",
              "epochcast: e.json: /validate/rows/1: --train-samples: got 50001; the data has 50000",
              "epochcast: e.json: /validate/rows/2: nowhere: No such file or directory; expected "
              "the folder of "
              "CIFAR-10"});
  CHECK(cluster.calls().empty());
}

}  // namespace
}  // namespace epochcast::tests
