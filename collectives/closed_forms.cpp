// SPDX-License-Identifier: Apache-2.0
#include "collectives/closed_forms.hpp"

#include <algorithm>
#include <bit>

#include "collectives/checks.hpp"
#include "collectives/segmented_ring.hpp"

namespace epochcast {
namespace {

/// The times of one message of the whole payload.
struct Message {
  double latency_s;
  double transfer_s;
  double add_s;
};

double reduce_range_s(int ranks, const Message& whole) {
  if (ranks == 1) return 0;
  if (ranks == 2) return whole.latency_s + whole.transfer_s + whole.add_s;
  const double left_s = reduce_range_s(ranks / 2, whole);
  const double right_s = reduce_range_s((ranks - 1) / 2, whole);
  const double first_s = std::min(left_s, right_s);
  const double last_s = std::max(left_s, right_s);
  return whole.latency_s + std::max(first_s + 2 * whole.transfer_s, last_s + whole.transfer_s) +
         2 * whole.add_s;
}

double broadcast_range_s(int ranks, const Message& whole) {
  if (ranks == 1) return 0;
  if (ranks == 2) return whole.latency_s + whole.transfer_s;
  return whole.latency_s + 2 * whole.transfer_s +
         std::max(broadcast_range_s(ranks / 2, whole), broadcast_range_s((ranks - 1) / 2, whole));
}

}  // namespace

std::optional<double> closed_form_s(std::string_view name,
                                    int ranks,
                                    std::int64_t bytes,
                                    double alpha_s,
                                    double beta_s_per_byte,
                                    double gamma_s_per_byte) {
  const double others = checked_ranks(ranks) - 1;
  const auto payload_bytes = static_cast<double>(bytes);
  const Message whole{alpha_s, payload_bytes * beta_s_per_byte, payload_bytes * gamma_s_per_byte};
  const double scattered_s = others / ranks * (2 * whole.transfer_s + whole.add_s);
  const bool is_power_of_two = std::has_single_bit(static_cast<unsigned>(ranks));
  const int doublings = std::countr_zero(std::bit_floor(static_cast<unsigned>(ranks)));

  if (name == "ring") return 2 * others * alpha_s + scattered_s;
  if (name == "segmented-ring") {
    const std::int64_t phases =
        SegmentedRing::phases_for(ranks, bytes, SegmentedRing::kSegmentBytes);
    return static_cast<double>(phases + 1) * others * alpha_s + scattered_s;
  }
  if (name == "recursive-doubling" && is_power_of_two) {
    return doublings * (alpha_s + whole.transfer_s + whole.add_s);
  }
  if (name == "rabenseifner" && is_power_of_two) return 2 * doublings * alpha_s + scattered_s;
  if (name == "linear") {
    if (ranks == 1) return 0;
    return others * (alpha_s + whole.transfer_s + whole.add_s) + alpha_s +
           others * whole.transfer_s;
  }
  if (name == "binary-tree") {
    return reduce_range_s(ranks, whole) + broadcast_range_s(ranks, whole);
  }
  return std::nullopt;
}

}  // namespace epochcast
