// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/machine_drift.hpp"

#include <nlohmann/json.hpp>

#include "base/files/file_draft.hpp"
#include "base/process/temp_folder.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

RunResult timed_run() {
  RunResult run;
  run.workers = 2;
  run.timed_batches = {{.rank = 0, .before_s = 1, .after_s = 3},
                       {.rank = 1, .before_s = 4, .after_s = 6}};
  run.timed_exchanges =
      TimedExchanges{.all_reduce = "ring", .bytes = 4096, .before_s = {0.25}, .after_s = {0.75}};
  return run;
}

MessageTrace measured() {
  MessageTrace trace;
  trace.node_of_rank = {0, 1};
  trace.costs = {{.kind = "ring-step", .scope = "all", .bytes = 4096, .samples_s = {9}},
                 {.kind = "all-reduce",
                  .scope = "all",
                  .algorithm = "ring",
                  .bytes = 4096,
                  .samples_s = {0.4}}};
  return trace;
}

// 2 s instead of 1, 5 s instead of 4: 1 and 0.25 longer.
TEST_CASE("drift of batches is the mean over ranks of how much longer they took") {
  CHECK(*batch_drift(timed_run(), {1, 4}, 1) == Approx(0.625));
  CHECK(*batch_drift(timed_run(), {1, 0}, 1) == Approx(1));
  CHECK(*batch_drift(timed_run(), {1, 0}, 2) == Approx(0));  // two passes each
  CHECK_FALSE(batch_drift(timed_run(), {0, 0}, 1));
  CHECK_FALSE(batch_drift(RunResult(), {1, 4}, 1));
}

TEST_CASE("drift of exchanges compares the same all-reduce, size and number of ranks") {
  CHECK(*exchange_drift(timed_run(), measured()) == Approx(0.25));
  CHECK_FALSE(exchange_drift(RunResult(), measured()));

  RunResult run = timed_run();
  run.timed_exchanges->bytes = 8192;
  CHECK_FALSE(exchange_drift(run, measured()));
  run = timed_run();
  run.timed_exchanges->all_reduce = "linear";
  CHECK_FALSE(exchange_drift(run, measured()));
  run = timed_run();
  run.workers = 3;
  CHECK_FALSE(exchange_drift(run, measured()));
}

TEST_CASE("drift of a row is the median over the runs that timed something") {
  const auto drift = median_drift({{.batches = 0.1, .exchanges = {}},
                                   {.batches = 0.3, .exchanges = -0.5},
                                   {.batches = 0.2, .exchanges = {}}});

  CHECK(drift == MachineDrift{.batches = 0.2, .exchanges = -0.5});
  CHECK_FALSE(median_drift({MachineDrift()}));
  CHECK_FALSE(median_drift({}));
}

TEST_CASE("a file has the batches of its own ranks, counted from 0") {
  const TempFolder folder("epochcast-drift");
  const auto write = [&](const std::string& name, double first_s, double second_s) {
    const auto batches = [](int rank, double seconds) {
      return nlohmann::json{{"batch", 8}, {"rank", rank}, {"seconds", {seconds, seconds}}};
    };
    const nlohmann::json trace = {{"schema", "epochcast.trace/1"},
                                  {"name", "b"},
                                  {"title", "b"},
                                  {"device", "cpu"},
                                  {"source", {{"grade", "estimated"}, {"method", "made up"}}},
                                  {"costs",
                                   {{{"network", "small-cnn"},
                                     {"input", {3, 32, 32}},
                                     {"batches", {batches(0, first_s), batches(1, second_s)}}}}}};
    const fs::path file = folder.path() / name;
    replace_file(file, trace.dump());
    return file;
  };
  const fs::path plain = write("plain.json", 1, 2);
  const fs::path slowed = write("slowed.json", 3, 4);

  CHECK(calibrated_batches_s({plain, slowed, plain}, 8) == std::vector<double>{1, 3, 2});
  CHECK(calibrated_batches_s({plain}, 16) == std::vector<double>{0});
}

}  // namespace
}  // namespace epochcast::tests
