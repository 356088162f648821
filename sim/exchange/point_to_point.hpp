// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fabric.hpp"
#include "sim/exchange/clocks.hpp"
#include "sim/exchange/interference.hpp"

namespace epochcast::sim {

/// Messages in progress, at one of their ends.
class PointToPoint : public Operation {
 public:
  PointToPoint(int worker, bool sends) : owner(worker), is_send(sends) {}

  /// Notes that it has arrived, at SimGrid's clock, and wakes its worker if that sleeps for it.
  void end(Clocks& clocks) {
    end_s = clocks.simgrid_s();
    // Once only: the worker's next sleep may be for something else.
    if (sleeps && std::exchange(*sleeps, false)) clocks.wake(owner);
  }

  int owner;  ///< its worker
  bool is_send;
  std::string label = {};  ///< on the timeline, if there is one
  double bytes = 0;
  std::shared_ptr<double> begun_s = {};     ///< when both sides have started it
  std::optional<double> end_s = {};         ///< SimGrid's clock, once it has arrived
  std::shared_ptr<bool> sleeps = {};        ///< its worker, until one of several arrives
  std::function<void()> take_numbers = {};  ///< at the end of a receive
  Footprint footprint = {};
  std::uint64_t token = 0;
};

}  // namespace epochcast::sim
