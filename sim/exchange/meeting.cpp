// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/meeting.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "collectives/execute.hpp"

namespace epochcast::sim {
namespace {

/// Every payload becomes the weighted sum, added in the order of the schedule: processes that
/// execute it get the same bits.
void reduce(Meeting& meeting, const Schedule& schedule) {
  std::vector<std::span<float>> payloads;
  payloads.reserve(meeting.payloads.size());
  for (std::size_t member = 0; member < meeting.payloads.size(); ++member) {
    const std::span<float> values = meeting.payloads[member].values;
    const auto weight = static_cast<float>(meeting.weights[member]);
    for (float& value : values) value *= weight;
    payloads.push_back(values);
  }
  if (payloads.size() == 1) return;
  const Execution execution = execute(schedule, std::move(payloads));
  if (!execution.problem.empty()) throw std::logic_error(execution.problem);
}

}  // namespace

void move_numbers(Meeting& meeting, const Schedule* schedule) {
  const auto root = static_cast<std::size_t>(meeting.root);
  switch (meeting.kind) {
    case Meeting::Kind::all_reduce:
      reduce(meeting, *schedule);
      break;
    case Meeting::Kind::broadcast:
      for (std::size_t member = 0; member < meeting.payloads.size(); ++member) {
        if (member == root) continue;
        std::ranges::copy(meeting.payloads[root].values, meeting.payloads[member].values.begin());
      }
      break;
    case Meeting::Kind::gather: {
      auto out = meeting.gathered.values.begin();
      for (const Payload& payload : meeting.payloads)
        out = std::ranges::copy(payload.values, out).out;
      break;
    }
    case Meeting::Kind::all_gather:
    case Meeting::Kind::barrier:
      break;
  }
}

}  // namespace epochcast::sim
