// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/fabric_contract.hpp"

namespace epochcast::tests {

/// Claims about groups of workers, and received data.
[[nodiscard]] std::vector<FabricClaim> claims_about_numbers();
/// Claims about clocks, phases, order and traffic.
[[nodiscard]] std::vector<FabricClaim> claims_about_time();

/// Claims about payloads of every type.
[[nodiscard]] std::vector<FabricClaim> claims_about_types();
/// Claims about waiting for the first of several messages.
[[nodiscard]] std::vector<FabricClaim> claims_about_any();
/// Claims about numbers dealt on demand, messages that are looked for, and streams.
[[nodiscard]] std::vector<FabricClaim> claims_about_deals();
/// Claims about messages from one worker to another.
[[nodiscard]] std::vector<FabricClaim> claims_about_messages();

/// Seconds that are long compared with the exchanges of the claims' programs.
constexpr double kStep_s = 0.02;

/// The claim for jobs of 1, 2 and 4 workers, on one node and on several.
[[nodiscard]] std::vector<FabricClaim> on_all_layouts(const std::string& text,
                                                      const FabricProgram& program);

/// An all-reduce choice for groups.
[[nodiscard]] inline AllReduceChoice ring() { return {.algorithm = "ring", .servers = {}}; }

using epochcast::payload_of;
/// `values` as a payload.
template <typename T>
[[nodiscard]] Payload payload_of(std::vector<T>& values) {
  return epochcast::payload_of(std::span(values));
}

}  // namespace epochcast::tests
