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
  for (std::size_t member = 0; member < call.payloads.size(); ++member)
    scale(call.payloads[member], call.weights[member]);
  if (call.payloads.size() == 1) return;
  with_element(call.payloads.front().element, [&](auto zero) {
    std::vector<std::span<decltype(zero)>> numbers;
    numbers.reserve(call.payloads.size());
    for (const Payload& payload : call.payloads) numbers.push_back(values<decltype(zero)>(payload));
    const Execution execution = execute(schedule, std::move(numbers));
    if (!execution.problem.empty()) throw std::logic_error(execution.problem);
  });
}

/// Copies between buffers that may be the same.
void copy(std::span<const std::byte> from, std::span<std::byte> to) {
  if (from.size() > to.size()) throw std::logic_error("a collective's destination is too small");
  if (from.data() != to.data()) std::ranges::copy(from, to.begin());
}

/// Fills `all` with every member's part.
void gather(const CollectiveCall& call, const Payload& all) {
  std::span<std::byte> rest = all.data;
  for (const Payload& part : call.parts) {
    copy(part.data, rest);
    rest = rest.subspan(part.data.size());
  }
}

/// Gives every member its part of its own payload.
void scatter(const CollectiveCall& call) {
  std::size_t begin = 0;
  for (std::size_t member = 0; member < call.parts.size(); ++member) {
    const std::span<std::byte> part = call.parts[member].data;
    const std::span<std::byte> all = call.payloads[member].data;
    if (begin + part.size() > all.size())
      throw std::logic_error("the parts of a collective are more than the whole");
    copy(all.subspan(begin, part.size()), part);
    begin += part.size();
  }
}

}  // namespace

void move_numbers(CollectiveCall& call, const Schedule* schedule) {
  const auto root = static_cast<std::size_t>(call.root);
  switch (call.kind) {
    case CollectiveCall::Kind::all_reduce:
      reduce(call, *schedule);
      break;
    case CollectiveCall::Kind::reduce_scatter:
      reduce(call, *schedule);
      scatter(call);
      break;
    case CollectiveCall::Kind::all_gather:
      for (const Payload& all : call.payloads) gather(call, all);
      break;
    case CollectiveCall::Kind::broadcast:
      for (const Payload& payload : call.payloads) copy(call.payloads[root].data, payload.data);
      break;
    case CollectiveCall::Kind::gather:
      gather(call, call.payloads[root]);
      break;
    case CollectiveCall::Kind::all_gather_numbers:
    case CollectiveCall::Kind::barrier:
      break;
  }
}

}  // namespace epochcast::sim
