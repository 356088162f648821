// SPDX-License-Identifier: Apache-2.0
// Run by mpirun: the cost of an exchange of gradients through MpiFabric, compared with a bare
// MPI_Allreduce of the same buffer. Repetitions are interleaved, so load affects all sides; nothing
// here fails because of a time.
//
// MPI_Allreduce allocates a buffer in each call. glibc returns memory of that size to the system,
// and getting it back page by page can take as long as the exchange. So freed memory is kept here:
// the bare call is measured at its best.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "core/costs/batch_cost.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"

namespace epochcast::bench {
namespace {

constexpr std::size_t kCount = 11'000'000;  // floats: 44 MB
constexpr int kBlocks = 5;
constexpr int kRepetitions = 9;  // in a block

/// One method to exchange the buffer, with its times.
struct Contender {
  std::string name;
  std::function<void(std::span<float>)> exchange;
  std::vector<double> seconds = {};  ///< of every repetition

  /// Ratio of medians to another one's, per block of repetitions.
  [[nodiscard]] std::vector<double> ratios_to(const Contender& other) const {
    std::vector<double> ratios;
    for (auto i = seconds.begin(), k = other.seconds.begin(); i != seconds.end();
         i += kRepetitions, k += kRepetitions) {
      ratios.push_back(median_of({i, i + kRepetitions}) / median_of({k, k + kRepetitions}));
    }
    return ratios;
  }
};

/// Freed memory of any size stays with the process.
void keep_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 27);
}

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
  return {.name = "MpiFabric " + algorithm,
          .exchange = [&fabric, &among, weight](std::span<float> values) {
            fabric.all_reduce(payload_of(values), weight, among);
          }};
}

int run(int argc, char** argv) {
  keep_memory();
  const real::MpiSession session(&argc, &argv);
  std::vector<std::string> algorithms(argv + 1, argv + argc);
  if (algorithms.empty()) algorithms = {"ring", "openmpi"};
  std::vector<WorkerInfo> workers;
  for (const int node : real::node_of_each_rank())
    workers.push_back({.node = node, .device_class = "cpu", .model = "cpu"});
  real::MpiFabric fabric(workers, {});

  std::vector<Contender> contenders = {{.name = "MPI_Allreduce", .exchange = exchange_bare}};
  for (const std::string& name : algorithms) contenders.push_back(through_fabric(fabric, name));
  std::vector<float> values(kCount);
  for (const Contender& contender : contenders) seconds_of(contender, values);  // warm-up
  for (int i = 0; i < kBlocks * kRepetitions; ++i) {
    for (Contender& contender : contenders)
      contender.seconds.push_back(seconds_of(contender, values));
  }
  if (session.rank() != 0) return 0;

  std::printf(
      "Exchange of 44 MB among %d ranks; ratios of medians of %d\n", session.size(), kRepetitions);
  for (const Contender& contender : contenders) show(contender.name, contender.seconds, "%.4f s");
  const Contender& bare = contenders.front();
  for (std::size_t i = 1; i < contenders.size(); ++i) {
    report(contenders[i].name + " / " + bare.name,
           contenders[i].ratios_to(bare),
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
