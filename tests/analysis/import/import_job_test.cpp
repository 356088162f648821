// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/import_job.hpp"

#include "base/text/units.hpp"
#include "core/formats/network.hpp"
#include "tests/analysis/import/events.hpp"
#include "tests/analysis/import/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

ImportSettings profiles(const std::string& job) {
  return {.files = {data_file(job + "-rank0.json" + (job == "cnn" ? ".gz" : "")),
                    data_file(job + "-rank1.json" + (job == "cnn" ? ".gz" : ""))},
          .batch = 64};
}

Texts problems_of_job(const ImportSettings& settings) {
  return problems_of([&] { static_cast<void>(import_job(settings)); });
}

TEST_CASE("a constructed job on two GPUs is imported with its times") {
  const ImportedJob job = import_job(profiles("two-gpus"));

  REQUIRE(job.batches.size() == 2);  // ranks
  for (const BatchSamples& batch : job.batches) {
    CHECK(batch.batch == 64);
    REQUIRE(batch.total_s.size() == 2);  // of 3 iterations
    CHECK(batch.total_s[0] == Approx(800e-6));
    CHECK(batch.total_s[1] == Approx(900e-6));
    CHECK(batch.forward_s[1] == Approx(250e-6));
  }
  CHECK(job.batches[1].rank == 1);
  REQUIRE(job.all_reduces.costs.size() == 1);
  CHECK(job.all_reduces.costs[0].algorithm == "nccl");
  CHECK(job.all_reduces.costs[0].bytes == 4000);
  CHECK(job.all_reduces.costs[0].samples_s[0] == Approx(220e-6));  // rank 1 came last
  CHECK(job.all_reduces.costs[0].samples_s[1] == Approx(240e-6));
  CHECK(job.versions.at("nccl") == "2.21.5");
}

TEST_CASE("a rank outside of its world and an iteration of more than a day are bad input") {
  const auto problem_of = [](int rank, const std::string& end_us) {
    const TestFile file(
        "p.json",
        R"({"distributedInfo": {"rank": )" + std::to_string(rank) +
            R"(, "world_size": 2}, "traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 1, "dur": )" +
            end_us + R"(}, {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": )" +
            end_us + "}]}");
    const Texts problems = problems_of_job({.files = {file.path()}, .batch = 64, .skip = 0});
    REQUIRE(problems.size() == 1);
    return problems[0].substr(file.path().string().size());
  };

  CHECK(problem_of(7, "1000") ==
        ": /distributedInfo/rank: got 7; expected less than /distributedInfo/world_size, 2");
  CHECK(problem_of(1, "1e17") == ": ProfilerStep#1: got " + format_seconds(1e11) +
                                     " of computing; expected at most " + format_seconds(86400));
}

TEST_CASE("computing is scaled to the time of iterations without the profiler") {
  const ImportedJob with = import_job(profiles("two-gpus"));
  ImportSettings settings = profiles("two-gpus");
  settings.iteration_s = 0.9e-3;
  const ImportedJob without = import_job(settings);

  const double scale = without.batches[0].total_s[0] / with.batches[0].total_s[0];
  for (std::size_t rank = 0; rank < 2; ++rank) {
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(without.batches[rank].total_s[i] == Approx(scale * with.batches[rank].total_s[i]));
      CHECK(without.batches[rank].forward_s[i] == Approx(scale * with.batches[rank].forward_s[i]));
    }
  }
  CHECK(without.all_reduces.costs[0].samples_s == with.all_reduces.costs[0].samples_s);
  CHECK(scale < 1);
  CHECK_THAT(without.findings.back(), Catch::StartsWith("without the profiler, computing takes"));

  settings.iteration_s = 1e-6;
  CHECK_THAT(problems_of_job(settings).at(0), Catch::StartsWith("--iteration-time: got 1.00 us"));
}

// Recorded by tests/analysis/data/make_profiles.py. The expected times were found by painting every
// microsecond of an iteration, thread by thread.
TEST_CASE("profiles of PyTorch 1.13 training a CNN over gloo are imported") {
  const ImportedJob job = import_job(profiles("cnn"));

  REQUIRE(job.batches.size() == 2);
  const BatchSamples& batch = job.batches[0];
  const double painted_us[4][5] = {
      {500, 9608, 12518, 310, 22936},
      {594, 10150, 11754, 320, 22818},
      {549, 5470, 11978, 364, 18361},
      {548, 7290, 11190, 418, 19446},
  };
  REQUIRE(batch.total_s.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    // Painting has a resolution of one microsecond.
    CHECK(batch.load_s[i] * 1e6 == Approx(painted_us[i][0]).margin(1.5));
    CHECK(batch.forward_s[i] * 1e6 == Approx(painted_us[i][1]).margin(1.5));
    CHECK(batch.backward_s[i] * 1e6 == Approx(painted_us[i][2]).margin(1.5));
    CHECK(batch.step_s[i] * 1e6 == Approx(painted_us[i][3]).margin(1.5));
    CHECK(batch.total_s[i] * 1e6 == Approx(painted_us[i][4]).margin(1.5));
  }
}

TEST_CASE("the all-reduce of that job has the size of its network's gradients") {
  Dataset mnist;
  mnist.shape = {1, 28, 28};
  mnist.classes = 10;
  const Network network =
      load_network(std::string(EPOCHCAST_SOURCE_DIR) + "/models/networks/small-cnn.json", mnist);

  const ImportedJob job = import_job(profiles("cnn"));

  REQUIRE(job.all_reduces.costs.size() == 1);
  CHECK(job.all_reduces.costs[0].bytes == static_cast<std::int64_t>(network.gradient_bytes()));
  CHECK(job.all_reduces.costs[0].algorithm == "gloo");
  CHECK(job.all_reduces.costs[0].samples_s.size() == 4);
}

TEST_CASE("the first iterations of every rank are left out, as many as requested") {
  ImportSettings settings = profiles("cnn");
  for (const std::int64_t skip : {0, 1, 4}) {
    settings.skip = skip;

    CHECK(import_job(settings).batches[0].total_s.size() == static_cast<std::size_t>(5 - skip));
  }
  settings.skip = 5;
  CHECK(problems_of_job(settings) ==
        Texts{settings.files[0].string() +
              ": got 5 iterations; expected more than the 5 that --skip leaves out"});
}

TEST_CASE("a table gives a batch size per series, each after its own warm-up") {
  const TestFile table("t.csv",
                       "rank,batch,time_ms\n0,32,90\n0,32,10\n0,32,11\n1,32,80\n1,32,12\n"
                       "0,64,70\n0,64,20\n");

  const ImportedJob job = import_job({.files = {table.path()}});

  REQUIRE(job.batches.size() == 3);
  CHECK(job.batches[0].batch == 32);
  CHECK(job.batches[0].total_s == std::vector<double>{0.010, 0.011});
  CHECK(job.batches[1].rank == 1);
  CHECK(job.batches[1].total_s == std::vector<double>{0.012});
  CHECK(job.batches[2].batch == 64);
  CHECK(job.batches[2].total_s == std::vector<double>{0.020});
  CHECK(job.batches[0].load_s.empty());
}

TEST_CASE("values missing in a table or profile must be given, and no others") {
  const TestFile plain("t.csv", "time_ms\n1\n2\n");
  const TestFile batched("b.csv", "batch,time_ms\n8,1\n8,2\n");
  const TestFile profile("p.json", profile_text({iteration(1, 0, 5), iteration(2, 5, 5)}));
  const std::string name = plain.path().string();

  CHECK(problems_of_job({.files = {plain.path()}}) ==
        Texts{"--batch: missing; " + name + " has no column \"batch\""});
  CHECK(problems_of_job({.files = {batched.path()}, .batch = 8}) ==
        Texts{"--batch: given, but " + batched.path().string() + " has a column of batch sizes"});
  CHECK(problems_of_job({.files = {profile.path()}}) ==
        Texts{"--batch: missing; expected the samples per rank and iteration, which the profiles "
              "do not contain (without record_shapes=True)"});
  CHECK(problems_of_job({.files = {profile.path(), plain.path()}, .batch = 8}) ==
        Texts{name + ": got a file of another kind than the first; expected profiles (JSON) or "
                     "tables (CSV) only"});
}

TEST_CASE("a file is given only once") {
  ImportSettings settings = profiles("cnn");
  settings.files[1] = settings.files[0].parent_path() / "." / settings.files[0].filename();

  CHECK(problems_of_job(settings) == Texts{settings.files[1].string() + ": given more than once"});
}

TEST_CASE("a rank has only one file") {
  const std::string text =
      profile_text({iteration(1, 0, 5), iteration(2, 5, 5)}, {{"distributedInfo", {{"rank", 1}}}});
  const TestFile one("one.json", text);
  const TestFile other("other.json", text);

  CHECK(problems_of_job({.files = {one.path(), other.path()}, .batch = 8}) ==
        Texts{other.path().string() + ": /distributedInfo/rank: got 1, as " + one.path().string() +
              " has; expected one file per rank"});
}

/// A profile of two iterations in which an operator has a first input of this shape.
std::string profile_with_input(const std::vector<int>& shape, const std::vector<int>& second) {
  return profile_text(
      {iteration(1, 0, 1000),
       {"cpu_op", "aten::conv2d", 100, 500, 1, {{"Input Dims", {shape, {8, 3, 3, 3}, {}}}}},
       iteration(2, 1000, 1000),
       {"cpu_op", "aten::conv2d", 1100, 500, 1, {{"Input Dims", {second, {8, 3, 3, 3}, {}}}}}});
}

TEST_CASE("the batch is that of the operators' inputs, if the profile has shapes") {
  const TestFile profile_file("p.json", profile_with_input({16, 3, 32, 32}, {16, 3, 32, 32}));
  const TestFile torn("q.json", profile_with_input({16, 3, 32, 32}, {9, 3, 32, 32}));

  CHECK(import_job({.files = {profile_file.path()}, .input = {3, 32, 32}}).batches[0].batch == 16);
  CHECK(import_job({.files = {profile_file.path()}, .batch = 4, .input = {3, 32, 32}})
            .batches[0]
            .batch == 4);
  CHECK(problems_of_job({.files = {profile_file.path()}, .input = {3, 64, 64}}) ==
        Texts{"--batch: missing; expected the samples per rank and iteration, which the profiles "
              "do not contain (without record_shapes=True)"});
  CHECK(problems_of_job({.files = {torn.path()}, .input = {3, 32, 32}}) ==
        Texts{"--batch: missing; expected the samples per rank and iteration, which the profiles "
              "give as 9, 16"});
}

}  // namespace
}  // namespace epochcast::tests
