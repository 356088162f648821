// SPDX-License-Identifier: Apache-2.0
// Run by mpirun: checks that trainings which are the same in mathematics end in the same place.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

#include "real/mpi/mpi_call.hpp"
#include "tests/real/equivalence/findings.hpp"

namespace epochcast::tests {
namespace {

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& some : {plain_cases(),
                           gradient_cases(),
                           server_cases(),
                           parameter_cases(),
                           peer_cases(),
                           compression_cases(),
                           exchange_cases(),
                           sample_cases()})
    cases.insert(cases.end(), some.begin(), some.end());
  return cases;
}

int run(int argc, char** argv) {
  const real::MpiSession session(&argc, &argv);
  int checked = 0;
  int failed = 0;
  for (const Case& each : all_cases()) {
    if (std::ranges::count(each.ranks, session.size()) == 0) continue;
    ++checked;
    Findings findings;
    const auto start = std::chrono::steady_clock::now();
    try {
      each.check(session.size(), findings);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "FAILED: %s\n  %s\n", each.claim.c_str(), error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks would block
    }
    if (!findings.broken().empty()) ++failed;
    if (session.rank() > 0) continue;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%s (%.1f s): %s;%s\n%s",
                findings.broken().empty() ? "passed" : "FAILED",
                took.count(),
                each.claim.c_str(),
                findings.notes().c_str(),
                findings.broken().c_str());
  }
  if (session.rank() == 0)
    std::printf("%d claims with %d ranks, %d failed\n", checked, session.size(), failed);
  return failed > 0 || checked == 0 ? 1 : 0;
}

}  // namespace
}  // namespace epochcast::tests

int main(int argc, char** argv) { return epochcast::tests::run(argc, argv); }
