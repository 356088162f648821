// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <sstream>

#include "analysis/import/all_reduce_costs.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

namespace {

/// Every moment of an iteration is counted once.
void exercise(const RankProfile& rank) {
  for (const IterationTimes& times : rank.times.iterations) {
    const BatchTimes& parts = times.parts;
    for (const double part_s :
         {parts.load_s, parts.forward_s, parts.backward_s, parts.step_s, times.exposed_s}) {
      fuzz::require(std::isfinite(part_s) && part_s >= 0);
    }
    const double whole_s = times.end_s - times.start_s;
    // Sums of stretches, as rounded as the profile's own clock.
    fuzz::require(std::abs(times.compute_s + times.exposed_s - whole_s) <= 1e-9 * times.end_s);
  }
  const AllReduceCosts found = all_reduce_costs({&rank, 1}, 2);
  for (const MessageCost& cost : found.costs) {
    fuzz::require(cost.bytes > 0);
    for (const double sample_s : cost.samples_s) fuzz::require(sample_s >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream text({reinterpret_cast<const char*>(data), size});
  try {
    RankProfile rank;
    rank.profile = parse_profile(text, "input");
    rank.times = iteration_times(rank.profile);
    exercise(rank);
  } catch (const UserError& error) {
    fuzz::check_problems(error);
  }
  return 0;
}
