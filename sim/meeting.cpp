// SPDX-License-Identifier: Apache-2.0
#include "sim/meeting.hpp"

#include <algorithm>

namespace epochcast::sim {
namespace {

/// Every payload becomes the weighted sum. Members are added in the order of their ranks, so that
/// equal runs agree bit for bit.
void reduce(Meeting& meeting) {
  const std::size_t count = meeting.payloads.front().values.size();
  std::vector<float> sum(count, 0.0F);
  for (std::size_t member = 0; member < meeting.payloads.size(); ++member) {
    const auto weight = static_cast<float>(meeting.weights[member]);
    const auto values = meeting.payloads[member].values;
    for (std::size_t i = 0; i < values.size(); ++i) sum[i] += weight * values[i];
  }
  for (const Payload& payload : meeting.payloads)
    std::copy(sum.begin(), sum.end(), payload.values.begin());
}

}  // namespace

void move_numbers(Meeting& meeting) {
  if (meeting.payloads.empty() || meeting.payloads.front().values.empty()) return;
  const auto root = static_cast<std::size_t>(meeting.root);
  switch (meeting.kind) {
    case Meeting::Kind::all_reduce:
      reduce(meeting);
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
