// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/find/quantity.hpp"

namespace epochcast {

/// What a result is to meet: "exposed < 10%", "epoch <= 60s", "local-sgd faster than sync by 2x".
struct Condition {
  const Quantity* quantity = nullptr;
  bool wants_more = false;      ///< the quantity is to be above the bound; else below
  bool includes_bound = false;  ///< <= and >=
  double bound = 0;
  std::string currency;  ///< of a bound that is money
  std::string strategy;  ///< that is to meet it; empty: each that is asked for
  std::string baseline;  ///< the strategy that is compared with; empty: none
  std::string text;      ///< as it was written

  [[nodiscard]] bool holds(double value) const;
  /// The quantity's value of a sighting whose reference is what the condition needs.
  /// Throws a UserError where the platform does not say it, or in another currency.
  [[nodiscard]] double value(const Sighting& seen) const;
  /// A value of the quantity, for people.
  [[nodiscard]] std::string value_text(double value) const {
    return quantity_value_text(quantity->unit, value, currency);
  }
};

/// Reads one. Throws a UserError that says what was got and what was expected.
[[nodiscard]] Condition parse_condition(const std::string& text);

}  // namespace epochcast
