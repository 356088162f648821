// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace epochcast::real {

/// The time span of all-reduces: from the first one's start, after all members have arrived, to the
/// end of the last one, in seconds since the request.
struct ExchangeSpan {
  double began_s = 0;
  double ended_s = 0;

  [[nodiscard]] double seconds() const { return ended_s - began_s; }
};

/// All-reduces of a group, overlapped with computation. All methods are collective.
class GroupExchange {
 public:
  virtual ~GroupExchange() = default;
  /// One all-reduce of `bytes`, with nothing overlapped, as in training without overlap.
  virtual void run(double bytes) = 0;
  /// Starts `count` all-reduces of `bytes`, one after the other.
  virtual void start(std::int64_t count, double bytes) = 0;
  /// Waits for their end.
  virtual ExchangeSpan finish() = 0;
  /// The largest of the members' values.
  [[nodiscard]] virtual double largest(double mine) = 0;
};

}  // namespace epochcast::real
