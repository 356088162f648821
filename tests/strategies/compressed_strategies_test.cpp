// SPDX-License-Identifier: Apache-2.0
// Strategies with --compression: what travels, and that workers agree.
#include <cmath>
#include <string>

#include "base/files/text_file.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

/// Four workers on two nodes, B = 4, N = 160: K = 10 iterations, or 5 rounds of H = 2.
StrategyJob four_compressing(const std::string& strategy, const std::string& compression) {
  StrategyJob job = {.workers = workers_on({0, 0, 1, 1}),
                     .config = small_config(4, 3),
                     .train_samples = 160,
                     .work = {},
                     .cost = {}};
  set(job.config, "compression", compression);
  for (const CompressionMethod& method : compressions()) {
    if (method.name != compression) continue;
    if (method.has("powersgd-start")) set(job.config, "powersgd-start", 5);
    if (method.has("onebit-freeze-step")) set(job.config, "onebit-freeze-step", 5);
    if (method.has("compression-ratio")) set(job.config, "compression-ratio", "0.5");
  }
  if (find_strategy(strategy).has("local-steps")) set(job.config, "local-steps", 2);
  if (strategy == "node-based") set(job.config, "averaging-period", 5);
  return job;
}

TEST_CASE("all workers have equal parameters at the end, with every strategy and compression") {
  for (const Strategy& strategy : strategies()) {
    if (strategy.compressed.empty()) continue;
    for (const CompressionMethod& method : compressions()) {
      for (const Overlap overlap : {Overlap::none, Overlap::bucket}) {
        CAPTURE(strategy.name, method.name, overlap);
        StrategyJob job = four_compressing(std::string(strategy.name), std::string(method.name));
        job.config.overlap = overlap;
        const StrategyRun run = run_strategy(strategy.name, job);

        for (const LearnerLog& learner : run.learners) {
          CHECK(learner.parameters == run.learners[0].parameters);
          CHECK(std::isfinite(learner.parameters[0]));
        }
      }
    }
  }
}

TEST_CASE("topk that keeps all values trains like no compression, with every strategy") {
  for (const Strategy& strategy : strategies()) {
    if (strategy.compressed.empty()) continue;
    CAPTURE(strategy.name);
    StrategyJob job = four_compressing(std::string(strategy.name), "topk");
    set(job.config, "compression-ratio", 1);
    const StrategyRun compressed = run_strategy(strategy.name, job);
    job.config.compression = "none";
    job.config.of_strategies.erase("compression-ratio");
    const StrategyRun whole = run_strategy(strategy.name, job);

    for (std::size_t i = 0; i < whole.learners[0].parameters.size(); ++i) {
      // Sums are added in another order: float32 rounds each.
      CHECK(compressed.learners[0].parameters[i] ==
            Approx(whole.learners[0].parameters[i]).epsilon(1e-4));
    }
  }
}

TEST_CASE("a warm-up of five steps exchanges five whole gradients") {
  const StrategyRun run = run_strategy("sync", four_compressing("sync", "powersgd"));
  const StrategyRun signs = run_strategy("sync", four_compressing("sync", "onebit"));

  // Vectors travel whole with PowerSGD, too: here all are.
  CHECK(run.all_reduces(0, kGradientBytes).size() == 3 * 10);
  CHECK(signs.all_reduces(0, kGradientBytes).size() == 5);
  CHECK(signs.fabric.of(0, "all_gather").size() == 3 * 10 - 5);
}

TEST_CASE("node-based compresses averages between nodes, and gradients only on request") {
  StrategyJob job = four_compressing("node-based", "topk");
  const StrategyRun averages = run_strategy("node-based", job);
  set(job.config, "compress-in-nodes", "on");
  const StrategyRun both = run_strategy("node-based", job);

  // Two averages an epoch; ten gradients.
  CHECK(averages.fabric.of(0, "all_gather").size() == 3 * 2);
  CHECK(averages.all_reduces(0, kGradientBytes).size() == 3 * 10);
  CHECK(averages.all_reduces(0, kParameterBytes).empty());
  CHECK(both.fabric.of(0, "all_gather").size() == 3 * (2 + 10));
  CHECK(both.all_reduces(0, kGradientBytes).empty());
}

TEST_CASE("node-based without compression cannot compress in nodes") {
  StrategyJob job = four_compressing("node-based", "none");
  set(job.config, "compress-in-nodes", "on");

  CHECK_THROWS_WITH(find_strategy("node-based").check(job.config, DeviceNames(job.workers)),
                    "--compress-in-nodes: needs a --compression");
}

/// The table of docs/compression.md.
std::string combinations() {
  std::string table = "| strategy | `--compression` makes smaller |\n|---|---|\n";
  for (const Strategy& strategy : strategies()) {
    const std::string what =
        strategy.compressed.empty() ? "nothing: refused" : std::string(strategy.compressed);
    table += "| `" + std::string(strategy.name) + "` | " + what + " |\n";
  }
  return table;
}

TEST_CASE("docs/compression.md has the table of combinations, and every compression and setting") {
  const std::string page =
      read_text_file(std::string(EPOCHCAST_SOURCE_DIR) + "/docs/compression.md");

  INFO(combinations());
  CHECK(page.find(combinations()) != std::string::npos);
  for (const CompressionMethod& method : compressions()) {
    CAPTURE(method.name);
    CHECK(page.find("`" + std::string(method.name) + "`") != std::string::npos);
    for (const StrategySetting* own : method.settings)
      CHECK(page.find("`--" + std::string(own->name) + "`") != std::string::npos);
  }
}

}  // namespace
}  // namespace epochcast::tests
