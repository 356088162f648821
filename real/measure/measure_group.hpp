// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "real/measure/group_exchange.hpp"

namespace epochcast::real {

/// The processes that measure at the same time, as one of them sees them.
class MeasureGroup {
 public:
  virtual ~MeasureGroup() = default;
  /// Returns when all are about to measure the same point. Collective.
  virtual void start_point() = 0;
  /// Whether all have enough samples of the point, after every batch. `has_enough`: whether this
  /// one has; if so, for the rest of the point. Does not wait: whoever has enough goes on
  /// computing, so that the others measure on a machine as busy as before.
  [[nodiscard]] virtual bool is_point_over(bool has_enough) = 0;
  /// What its members exchange gradients with, by this all-reduce; null for a group of one.
  /// Collective. `computes_on_cores`: those that move the messages, not on a GPU.
  [[nodiscard]] virtual std::unique_ptr<GroupExchange> exchange(const std::string& all_reduce,
                                                                bool computes_on_cores) = 0;
};

/// A group of one.
class MeasureAlone : public MeasureGroup {
 public:
  void start_point() override {}
  [[nodiscard]] bool is_point_over(bool has_enough) override { return has_enough; }
  [[nodiscard]] std::unique_ptr<GroupExchange> exchange(const std::string&, bool) override {
    return nullptr;
  }
};

}  // namespace epochcast::real
