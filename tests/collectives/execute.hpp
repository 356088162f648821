// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "collectives/execute.hpp"

namespace epochcast::tests {

/// Result of an execution, with every rank's payload at the end.
template <typename T>
struct ExecutedPayloads : Execution {
  std::vector<std::vector<T>> payloads;
};

/// Runs `schedule` over `payloads`, one per rank.
template <typename T>
ExecutedPayloads<T> execute(const Schedule& schedule, std::vector<std::vector<T>> payloads) {
  std::vector<std::span<T>> spans(payloads.begin(), payloads.end());
  Execution execution = epochcast::execute(schedule, std::move(spans));
  return {std::move(execution), std::move(payloads)};
}

}  // namespace epochcast::tests
