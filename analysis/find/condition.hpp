// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/find/quantity.hpp"

namespace epochcast {

/// A condition on results: "exposed < 10%", "epoch <= 60s", "local-sgd faster than sync by 2x".
struct Condition {
  const Quantity* quantity = nullptr;
  bool wants_more = false;      ///< the quantity is to be above the bound; else below
  bool includes_bound = false;  ///< <= and >=
  double bound = 0;
  std::string currency;  ///< of a bound that is money
  std::string strategy;  ///< the strategy concerned; empty: each requested one
  std::string baseline;  ///< the strategy of the comparison; empty: none
  std::string text;      ///< as it was written

  [[nodiscard]] bool holds(double value) const;
  /// The quantity's value of a sighting, relative to the condition's reference. Throws a UserError
  /// if the platform does not define it, or defines it in another currency.
  [[nodiscard]] double value(const QuantityInput& input) const;
  /// A value of the quantity, for display.
  [[nodiscard]] std::string value_text(double value) const {
    return quantity_value_text(quantity->unit, value, currency);
  }
};

/// Reads one. Throws a UserError with the text and the expected form.
[[nodiscard]] Condition parse_condition(const std::string& text);

}  // namespace epochcast
