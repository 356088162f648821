// SPDX-License-Identifier: Apache-2.0
// Run by mpirun: what an exchange of gradients through MpiFabric costs beside a bare MPI_Allreduce
// of the same buffer. Repetitions are interleaved, so that a busy machine moves all sides; nothing
// here fails because of a time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "core/batch_cost.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"

namespace epochcast::bench {
namespace {

constexpr std::size_t kCount = 11'000'000;  // floats: 44 MB
constexpr int kBlocks = 5;
constexpr int kRepetitions = 9;  // in a block

/// One way to exchange the buffer, and what it took.
struct Contender {
  std::string name;
  std::function<void(std::span<float>)> exchange;
  std::vector<double> seconds = {};       ///< of every repetition
  std::vector<double> block_ratios = {};  ///< to the bare call: ratio of medians, per block

  [[nodiscard]] double last_median() const {
    return median_of({seconds.end() - kRepetitions, seconds.end()});
  }
};

/// Seconds of the slowest rank, on every rank.
double seconds_of(const Contender& contender, std::vector<float>& values) {
  std::fill(values.begin(), values.end(), 1.0F);
  real::check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const auto start = std::chrono::steady_clock::now();
  contender.exchange(values);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  real::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
                  "MPI_Allreduce");
  return seconds;
}

void exchange_bare(std::span<float> values) {
  const int count = static_cast<int>(values.size());
  real::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
      "MPI_Allreduce");
}

Contender through_fabric(real::MpiFabric& fabric, const std::string& algorithm) {
  const Communicator& among =
      fabric.communicator(fabric.world().ranks, {.algorithm = algorithm, .servers = {}});
  const double weight = 1.0 / among.size();
  return {.name = algorithm, .exchange = [&fabric, &among, weight](std::span<float> values) {
            const auto bytes = static_cast<double>(values.size_bytes());
            fabric.all_reduce({.bytes = bytes, .values = values}, weight, among);
          }};
}

int run(int argc, char** argv) {
  const real::MpiSession session(&argc, &argv);
  std::vector<std::string> algorithms(argv + 1, argv + argc);
  if (algorithms.empty()) algorithms = {"ring", "openmpi"};
  std::vector<WorkerInfo> workers;
  for (const int node : real::node_of_each_rank())
    workers.push_back({.node = node, .device_class = "cpu", .model = "cpu"});
  real::MpiFabric fabric(workers, {});

  std::vector<Contender> contenders = {{.name = "bare", .exchange = exchange_bare}};
  for (const std::string& name : algorithms) contenders.push_back(through_fabric(fabric, name));
  std::vector<float> values(kCount);
  for (const Contender& contender : contenders) seconds_of(contender, values);  // warm-up
  for (int block = 0; block < kBlocks; ++block) {
    for (int i = 0; i < kRepetitions; ++i) {
      for (Contender& contender : contenders)
        contender.seconds.push_back(seconds_of(contender, values));
    }
    for (Contender& contender : contenders)
      contender.block_ratios.push_back(contender.last_median() / contenders[0].last_median());
  }
  if (session.rank() != 0) return 0;

  const std::string ranks = std::to_string(session.size()) + " ranks";
  show("MPI_Allreduce of 44 MB, " + ranks, contenders[0].seconds, "%.4f s");
  for (std::size_t i = 1; i < contenders.size(); ++i) {
    const Contender& ours = contenders[i];
    show("MpiFabric, " + ours.name, ours.seconds, "%.4f s");
    report("  / MPI_Allreduce, medians of " + std::to_string(kRepetitions),
           ours.block_ratios,
           {.bound = 1.05, .is_minimum = false, .format = "%.3f"});
  }
  return 0;
}

}  // namespace
}  // namespace epochcast::bench

int main(int argc, char** argv) {
  try {
    return epochcast::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "epochcast-bench-exchange: %s\n", error.what());
    return 1;
  }
}
