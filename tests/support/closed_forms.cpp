// SPDX-License-Identifier: Apache-2.0
#include "tests/support/closed_forms.hpp"

#include <algorithm>
#include <bit>

#include "collectives/checks.hpp"
#include "collectives/segmented_ring.hpp"

namespace epochcast::tests {
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

/// Recursive halving of the parts of ranks [first, first + count), a power of two; and, with
/// nothing to add, recursive doubling, whose steps are the same in reverse order.
double halving_s(const Parts& parts, int first, int count, const Message& unit) {
  if (count == 1 || parts.range(first, first + count).size() == 0) return 0;
  const int half = count / 2;
  const auto low = static_cast<double>(parts.range(first, first + half).size());
  const auto high = static_cast<double>(parts.range(first + half, first + count).size());
  return unit.latency_s + std::max(low, high) * unit.transfer_s +
         std::max(low * unit.add_s + halving_s(parts, first, half, unit),
                  high * unit.add_s + halving_s(parts, first + half, half, unit));
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

std::optional<double> all_gather_closed_form_s(std::string_view form,
                                               const Parts& parts,
                                               std::int64_t bytes,
                                               double alpha_s,
                                               double beta_s_per_byte) {
  return reduce_scatter_closed_form_s(form, parts, bytes, alpha_s, beta_s_per_byte, 0);
}

std::optional<double> reduce_scatter_closed_form_s(std::string_view form,
                                                   const Parts& parts,
                                                   std::int64_t bytes,
                                                   double alpha_s,
                                                   double beta_s_per_byte,
                                                   double gamma_s_per_byte) {
  const int ranks = parts.ranks();
  const double unit_bytes = static_cast<double>(bytes) / static_cast<double>(parts.divisions());
  const Message unit{alpha_s, unit_bytes * beta_s_per_byte, unit_bytes * gamma_s_per_byte};
  std::int64_t largest = 0;
  for (int rank = 0; rank < ranks; ++rank) largest = std::max(largest, parts.of(rank).size());
  const double others = ranks - 1;
  const double part_s = static_cast<double>(largest) * (unit.transfer_s + unit.add_s);

  if (form != "ring" && form != "direct" && form != "recursive") return std::nullopt;
  if (ranks == 1 || largest == 0) return 0;
  if (form == "ring") return others * (alpha_s + part_s);
  if (form == "direct") return alpha_s + others * part_s;
  if (std::has_single_bit(static_cast<unsigned>(ranks))) return halving_s(parts, 0, ranks, unit);
  if (!parts.are_equal()) return std::nullopt;
  return std::bit_width(static_cast<unsigned>(ranks - 1)) * alpha_s + others * part_s;
}

}  // namespace epochcast::tests
