// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "real/measure/sampling/group_exchange.hpp"

namespace epochcast::real {

/// The processes that measure at the same time, from the view of one.
class MeasureGroup {
 public:
  virtual ~MeasureGroup() = default;
  /// Returns when all have arrived at the same point. Collective.
  virtual void start_point() = 0;
  /// Whether all have enough samples of the point, after every batch. `has_enough`: whether this
  /// rank has; if so, for the rest of the point. Does not wait: ranks with enough samples continue
  /// to compute, to keep the load constant for the others.
  [[nodiscard]] virtual bool is_point_over(bool has_enough) = 0;
  /// The gradient exchange of its members with this all-reduce; null for a group of one.
  /// Collective. `computes_on_cores`: the ranks that move messages compute on CPU cores, not on a
  /// GPU.
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
