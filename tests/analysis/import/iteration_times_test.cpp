// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/iteration_times.hpp"

#include <istream>

#include "analysis/import/packed_text.hpp"
#include "tests/analysis/import/events.hpp"
#include "tests/analysis/import/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

constexpr double kUs = 1e-6;

void check_parts_us(const IterationTimes& times,
                    double load,
                    double forward,
                    double backward,
                    double step,
                    double exposed) {
  CHECK(times.parts.load_s / kUs == Approx(load));
  CHECK(times.parts.forward_s / kUs == Approx(forward));
  CHECK(times.parts.backward_s / kUs == Approx(backward));
  CHECK(times.parts.step_s / kUs == Approx(step));
  CHECK(times.exposed_s / kUs == Approx(exposed).margin(1e-6));
  CHECK(times.compute_s == Approx(times.parts.total_s()));
}

/// One iteration on CPUs of 100 us: load 10, forward 25, backward 35, step 10, and an all-reduce
/// that continues for 10 after backward and 10 during idle time.
std::vector<TestEvent> cpu_iteration() {
  return {iteration(1, 0, 100),
          {"user_annotation", "enumerate(DataLoader)#_Iter.__next__", 0, 10},
          {"cpu_op", "aten::to", 2, 5},  // inside of loading
          {"cpu_op", "aten::conv2d", 15, 20},
          {"cpu_op", "aten::convolution", 16, 18},
          {"user_annotation", "## backward and wait ##", 40, 50},
          {"cpu_op", "autograd::engine::evaluate_function: ConvolutionBackward0", 40, 30},
          {"cpu_op", "aten::convolution_backward", 42, 20},
          {"cpu_op", "gloo:all_reduce", 60, 20, 2},
          {"user_annotation", "Optimizer.step#SGD.step", 90, 8}};
}

TEST_CASE("every moment of an iteration belongs to one phase, idle ones to the next phase") {
  const RankIterations rank = iteration_times(profile_of(cpu_iteration()));

  REQUIRE(rank.iterations.size() == 1);
  CHECK(rank.has_parts());
  // load 0-10; forward (10-)15-35; backward (35-)40-70; all-reduce alone 70-80; step
  // (80-)90-98(-100)
  check_parts_us(rank.iterations[0], 10, 25, 35, 20, 10);
}

TEST_CASE("a call of a collective is communication, the phase around it is not") {
  std::vector<TestEvent> events = cpu_iteration();
  events.push_back({"cpu_op", "c10d::allreduce_", 50, 4});
  events.push_back({"cpu_op", "aten::copy_", 51, 2});  // inside of the call

  const RankIterations rank = iteration_times(profile_of(events));

  check_parts_us(rank.iterations[0], 10, 25, 31, 20, 14);
}

TEST_CASE("communication hidden by computation of another thread is not exposed") {
  std::vector<TestEvent> events = cpu_iteration();
  events.push_back({"cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 70, 6, 3});

  const RankIterations rank = iteration_times(profile_of(events));

  check_parts_us(rank.iterations[0], 10, 25, 41, 20, 4);
}

TEST_CASE("clearing the gradients belongs to the step, as in our own measurements") {
  std::vector<TestEvent> events = cpu_iteration();
  events.push_back({"user_annotation", "Optimizer.zero_grad#SGD.zero_grad", 11, 3});

  const RankIterations rank = iteration_times(profile_of(events));

  check_parts_us(rank.iterations[0], 10, 21, 35, 24, 10);  // 10-14 is the step's
}

TEST_CASE("a profile without backward or step gives only whole iterations") {
  std::vector<TestEvent> events = cpu_iteration();
  events.pop_back();

  const RankIterations rank = iteration_times(profile_of(events));

  CHECK_FALSE(rank.has_parts());
  CHECK(rank.iterations[0].compute_s == Approx(90 * kUs));
}

TEST_CASE("kernels belong to the phase that launched them, and determine the exposed time") {
  PackedText packed(data_file("two-gpus-rank0.json"));
  std::istream text(&packed);
  const Profile profile = parse_profile(text, "two-gpus-rank0.json");

  const RankIterations rank = iteration_times(profile);

  // Of iteration 6: load 1000-1100; forward, launched at 1110, (1100-)1150-1350; backward -1650;
  // the all-reduce 1600-1850 is exposed from 1650; step 1850-1900(-2000). In iteration 7 the
  // backward pass takes 100 more, which hide as much of the all-reduce.
  REQUIRE(rank.iterations.size() == 3);
  CHECK_FALSE(rank.is_run_ahead);
  CHECK(rank.iterations[1].number == 6);
  check_parts_us(rank.iterations[1], 100, 250, 300, 150, 200);
  check_parts_us(rank.iterations[2], 100, 250, 400, 150, 100);
}

/// Three iterations of 10 us on the CPU, each of which launches one kernel of 100 us.
std::vector<TestEvent> run_ahead() {
  std::vector<TestEvent> events;
  for (int i = 0; i < 3; ++i) {
    const nlohmann::json join = {{"correlation", i}};
    events.push_back(iteration(i, 10 * i, 10));
    events.push_back({"cuda_runtime", "cudaLaunchKernel", 10.0 * i + 2, 1, 1, join});
    events.push_back({"kernel", "gemm", 100.0 * i + 5, 100, 7, join});
  }
  return events;
}

TEST_CASE("if the CPU runs ahead, an iteration is a period of the GPU, and the last is left out") {
  const RankIterations rank = iteration_times(profile_of(run_ahead()));

  CHECK(rank.is_run_ahead);
  REQUIRE(rank.iterations.size() == 2);
  CHECK(rank.iterations[0].compute_s == Approx(100 * kUs));
  CHECK(rank.iterations[1].start_s == Approx(105 * kUs));
}

TEST_CASE("a kernel whose launch is not recorded leaves the phases unknown") {
  std::vector<TestEvent> events = cpu_iteration();
  events.push_back({"cuda_runtime", "cudaLaunchKernel", 45, 1, 1, {{"correlation", 1}}});
  events.push_back({"kernel", "dgrad", 50, 10, 7, {{"correlation", 1}}});
  events.push_back({"cuda_runtime", "cudaLaunchKernel", 92, 1, 1, {{"correlation", 2}}});
  events.push_back({"kernel", "update", 93, 2, 7, {{"correlation", 2}}});
  REQUIRE(iteration_times(profile_of(events)).has_parts());

  events.push_back({"kernel", "gemm", 20, 10, 7, {{"correlation", 3}}});

  CHECK_FALSE(iteration_times(profile_of(events)).has_parts());
}

TEST_CASE("an iteration that a GPU repeats in its own row counts once") {
  std::vector<TestEvent> events = {iteration(1, 0, 10), iteration(2, 10, 10)};
  events.push_back({"gpu_user_annotation", "ProfilerStep#1", 3, 9});
  events.push_back({"user_annotation", "ProfilerStep#2", 12, 9});

  CHECK(iteration_times(profile_of(events)).iterations.size() == 2);
}

TEST_CASE("a profile without iterations, or with two at once, is bad input") {
  CHECK(problems_of([] { static_cast<void>(iteration_times(profile_of({}))); }) ==
        Texts{"p.json: got no ProfilerStep#N annotation; expected a job that calls step() of "
              "torch.profiler.profile after every iteration"});
  CHECK(
      problems_of([] {
        static_cast<void>(iteration_times(profile_of({iteration(1, 0, 10), iteration(2, 5, 10)})));
      }) ==
      Texts{"p.json: ProfilerStep#2 begins before ProfilerStep#1 ends; expected the profile of "
            "one rank"});
}

}  // namespace
}  // namespace epochcast::tests
