// SPDX-License-Identifier: Apache-2.0
// Run by mpirun: checks the claims of the fabric's contract whose layout has as many workers as
// this job has ranks.
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>

#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"
#include "tests/support/fabric_claims.hpp"

namespace epochcast::tests {
namespace {

/// Processes that share cores lose a few scheduler slices.
constexpr double kSlack_s = 0.015;
/// On a machine with all cores in use, most tries may lose more than that.
constexpr int kTries = 100;

std::vector<WorkerInfo> workers_of(const std::vector<int>& node_of_rank) {
  std::vector<WorkerInfo> workers;
  std::map<int, int> devices;
  for (const int node : node_of_rank)
    workers.push_back(
        {.node = node, .device = devices[node]++, .device_class = "cpu", .model = "cpu-a"});
  return workers;
}

std::ptrdiff_t threads() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::distance(begin(all), end(all));
}

/// A thread would be scheduled after a time that is long compared with such an all-reduce.
void alone(Fabric& fabric, Expectations& expect) {
  std::vector<float> numbers(100, 2);
  const std::ptrdiff_t before = threads();

  const Request request = fabric.start_all_reduce(payload_of(numbers), 3, fabric.world());

  expect.is_true(threads() == before, "no further thread");
  fabric.wait(request);
  expect.equal(numbers, std::vector<float>(100, 6), "the weighted sum");
}

struct Checked {
  std::string broken;  ///< the failures of all ranks
  bool has_wrong_numbers = false;
};

Checked check(const FabricClaim& claim) {
  Expectations expect(kSlack_s);
  {
    real::MpiFabric fabric(workers_of(claim.node_of_rank), {.algorithm = "ring", .servers = {}});
    claim.program(fabric, expect);
  }
  // A mark, then the text.
  std::string broken = "-";
  const std::string mine = (expect.has_wrong_numbers() ? "!" : "-") + expect.broken();
  int rank = 0;
  for (const std::string& text : real::gather_texts(mine, 0, MPI_COMM_WORLD)) {
    if (text.front() == '!') broken.front() = '!';
    if (text.size() > 1) broken += "  rank " + std::to_string(rank) + ": " + text.substr(1);
    ++rank;
  }
  broken = real::broadcast_text(broken, 0, MPI_COMM_WORLD);
  return {.broken = broken.substr(1), .has_wrong_numbers = broken.front() == '!'};
}

int run(int argc, char** argv) {
  const real::MpiSession session(&argc, &argv);
  int claims = 0;
  int failed = 0;
  std::vector<FabricClaim> contract = fabric_contract();
  contract.push_back({"an all-reduce with a single member starts no thread", {0}, alone});
  for (const FabricClaim& claim : contract) {
    if (static_cast<int>(claim.node_of_rank.size()) != session.size()) continue;
    ++claims;
    // Only timing may depend on load.
    Checked checked;
    for (int i = 0; i < kTries; ++i) {
      checked = check(claim);
      if (checked.broken.empty() || checked.has_wrong_numbers) break;
    }
    if (checked.broken.empty()) continue;
    ++failed;
    if (session.rank() == 0)
      std::printf("FAILED: %s\n%s\n", name_of(claim).c_str(), checked.broken.c_str());
  }
  if (session.rank() == 0)
    std::printf("%d claims with %d ranks, %d failed\n", claims, session.size(), failed);
  return failed > 0 || claims == 0 ? 1 : 0;
}

}  // namespace
}  // namespace epochcast::tests

int main(int argc, char** argv) { return epochcast::tests::run(argc, argv); }
