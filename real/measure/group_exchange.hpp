// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace epochcast::real {

/// When all-reduces were under way: from the first one's start, once all members had come, to the
/// end of the last one, in seconds since they were asked for.
struct ExchangeSpan {
  double began_s = 0;
  double ended_s = 0;

  [[nodiscard]] double seconds() const { return ended_s - began_s; }
};

/// All-reduces among a group, beside what its members compute. All of it is collective.
class GroupExchange {
 public:
  virtual ~GroupExchange() = default;
  /// One all-reduce of `bytes`, with nothing beside it, as training has them without overlap.
  virtual void run(double bytes) = 0;
  /// Starts so many all-reduces of `bytes`, one after the other.
  virtual void start(std::int64_t count, double bytes) = 0;
  /// Returns when they are done.
  virtual ExchangeSpan finish() = 0;
  /// The largest of what the members bring.
  [[nodiscard]] virtual double largest(double mine) = 0;
};

}  // namespace epochcast::real
