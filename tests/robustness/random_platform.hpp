// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "core/formats/platform.hpp"
#include "tests/robustness/dice.hpp"

namespace epochcast::tests {

/// The limits of random platforms.
struct PlatformRange {
  int most_groups = 3;
  int most_devices = 12;  ///< of all nodes together, at least
  bool has_messages = true;
  std::initializer_list<NetworkTopology> topologies = {NetworkTopology::star,
                                                       NetworkTopology::fat_tree,
                                                       NetworkTopology::torus,
                                                       NetworkTopology::dragonfly};
};

/// A platform of groups of nodes of 1 to 8 devices ("gpu-a", "cpu-a"), the nodes of one device with
/// an interconnect or without, in any order, on any topology that is large enough. All quantities
/// differ.
[[nodiscard]] Platform random_platform(Dice& dice, const PlatformRange& range = {});

}  // namespace epochcast::tests
