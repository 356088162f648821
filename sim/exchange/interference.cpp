// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/interference.hpp"

#include <algorithm>

#include "sim/exchange/clocks.hpp"

namespace epochcast::sim {
namespace {

constexpr std::uint64_t kShared = ~std::uint64_t{0};

}  // namespace

Interference::Interference(std::size_t nodes, double origin_s)
    : origin_s_(origin_s), slots_(nodes + 1) {}

std::uint64_t Interference::begins(const Footprint& footprint) const {
  std::uint64_t sum = 0;
  for (const std::size_t slot : footprint.slots) sum += slots_[slot].begins;
  return sum;
}

std::uint64_t Interference::begin_simulated(const Footprint& footprint, double start_s) {
  bool is_shared = false;
  for (const std::size_t index : footprint.slots) {
    Slot& slot = slots_[index];
    const bool is_replaying =
        slot.replays > 0 || slot.replayed_until_s > start_s + rounding_s(origin_s_ + start_s);
    has_conflict_ = has_conflict_ || is_replaying;
    is_shared = is_shared || slot.simulations > 0;
    ++slot.simulations;
    ++slot.begins;
  }
  return is_shared ? kShared : begins(footprint);
}

bool Interference::end_simulated(const Footprint& footprint, std::uint64_t token, double end_s) {
  for (const std::size_t index : footprint.slots) {
    Slot& slot = slots_[index];
    --slot.simulations;
    slot.simulated_until_s = std::max(slot.simulated_until_s, end_s);
  }
  return is_alone(footprint, token);
}

bool Interference::is_alone(const Footprint& footprint, std::uint64_t token) const {
  return token != kShared && token == begins(footprint);
}

bool Interference::begin_replay(const Footprint& footprint, double start_s, double end_s) {
  if (!begin_replay(footprint, start_s)) return false;
  end_replay(footprint, end_s);
  return true;
}

bool Interference::begin_replay(const Footprint& footprint, double start_s) {
  if (is_simulating(footprint)) return false;
  for (const std::size_t index : footprint.slots) {
    Slot& slot = slots_[index];
    const bool is_used = std::max(slot.simulated_until_s, slot.replayed_until_s) >
                         start_s + rounding_s(origin_s_ + start_s);
    has_conflict_ = has_conflict_ || is_used || slot.replays > 0;
    ++slot.replays;
  }
  return true;
}

void Interference::end_replay(const Footprint& footprint, double end_s) {
  for (const std::size_t index : footprint.slots) {
    Slot& slot = slots_[index];
    --slot.replays;
    slot.replayed_until_s = std::max(slot.replayed_until_s, end_s);
  }
}

bool Interference::is_idle_from(double time_s) const {
  return std::all_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.simulations == 0 && slot.replays == 0 &&
           std::max(slot.simulated_until_s, slot.replayed_until_s) <=
               time_s + rounding_s(origin_s_ + time_s);
  });
}

bool Interference::is_simulating(const Footprint& footprint) const {
  return std::any_of(footprint.slots.begin(), footprint.slots.end(), [&](std::size_t index) {
    return slots_[index].simulations > 0;
  });
}

}  // namespace epochcast::sim
