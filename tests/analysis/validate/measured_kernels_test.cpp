// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "analysis/validate/cluster_commands.hpp"
#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

JobConfig compressing(const std::string& compression, const std::string& ratio = {}) {
  JobConfig config;
  config.compression = compression;
  if (!ratio.empty()) config.of_strategies["compression-ratio"] = ratio;
  return config;
}

TEST_CASE("the kernels of all rows of a cluster are measured at once") {
  MeasuredKernels kernels;
  kernels.add(compressing("none"));
  CHECK(kernels.words_after({"measure"}) == std::vector<std::string>{"measure"});

  for (const std::string name : {"topk", "fp16", "topk"}) kernels.add(compressing(name));

  CHECK(
      kernels.words_after({"measure"}) ==
      std::vector<std::string>{
          "measure", "--compression", "fp16", "--compression", "topk", "--compression-ratio=0.01"});
}

TEST_CASE("rows of a cluster that compress with two values of a setting are refused") {
  MeasuredKernels kernels;
  kernels.add(compressing("topk"));

  CHECK_THROWS_WITH(kernels.add(compressing("gtopk", "0.1")),
                    "--compression-ratio: got 0.01 and 0.1 in rows of one cluster and network; "
                    "expected one value, with which compressing is measured");
}

}  // namespace
}  // namespace epochcast::tests
