// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/collective_call.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "collectives/execute.hpp"

namespace epochcast::sim {
namespace {

/// Every payload becomes the weighted sum, added in the order of the schedule: processes that
/// execute it get the same bits.
void reduce(CollectiveCall& call, const Schedule& schedule) {
  std::vector<std::span<float>> payloads;
  payloads.reserve(call.payloads.size());
  for (std::size_t member = 0; member < call.payloads.size(); ++member) {
    const std::span<float> values = call.payloads[member].values;
    const auto weight = static_cast<float>(call.weights[member]);
    for (float& value : values) value *= weight;
    payloads.push_back(values);
  }
  if (payloads.size() == 1) return;
  const Execution execution = execute(schedule, std::move(payloads));
  if (!execution.problem.empty()) throw std::logic_error(execution.problem);
}

}  // namespace

void move_numbers(CollectiveCall& call, const Schedule* schedule) {
  const auto root = static_cast<std::size_t>(call.root);
  switch (call.kind) {
    case CollectiveCall::Kind::all_reduce:
      reduce(call, *schedule);
      break;
    case CollectiveCall::Kind::broadcast:
      for (std::size_t member = 0; member < call.payloads.size(); ++member) {
        if (member == root) continue;
        std::ranges::copy(call.payloads[root].values, call.payloads[member].values.begin());
      }
      break;
    case CollectiveCall::Kind::gather: {
      auto out = call.gathered.values.begin();
      for (const Payload& payload : call.payloads) out = std::ranges::copy(payload.values, out).out;
      break;
    }
    case CollectiveCall::Kind::all_gather:
    case CollectiveCall::Kind::barrier:
      break;
  }
}

}  // namespace epochcast::sim
