// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "results/result.hpp"

namespace epochcast {

/// The unit of a condition's figure.
enum class QuantityUnit { seconds, share, factor, bytes, per_second, money, joules };

/// The baseline of a quantity.
enum class Reference {
  none,
  one_node,  ///< the same job on one node
  strategy   ///< the same job under another strategy
};

/// A run, its reference, and the extension of an epoch over the forecast: 0, or up to a bound of
/// the forecast's interval. The extension counts towards the phase of the quantity, so the true
/// value is between the bounds if the forecast's time is.
struct QuantityInput {
  const RunResult& run;
  const RunResult* reference = nullptr;  ///< null if the quantity needs none
  double longer_s = 0;
};

/// A figure of results that conditions may name.
struct Quantity {
  std::string_view name;
  QuantityUnit unit = QuantityUnit::seconds;
  Reference reference = Reference::none;
  std::string_view help;
  /// Throws a UserError if the platform lacks the figures for it.
  double (*value)(const QuantityInput& input);
};

/// Every quantity, a line each.
[[nodiscard]] std::span<const Quantity> quantities();
/// The one of that name. Throws a UserError with the closest name.
[[nodiscard]] const Quantity& find_quantity(std::string_view name);
/// The quantity of "A faster than B": the ratio of their times for the same amount of data.
[[nodiscard]] const Quantity& faster_than();

/// "9.8 %", "51.0 s", "2.04x": three digits, for display. Money has its `currency`.
[[nodiscard]] std::string quantity_value_text(QuantityUnit unit,
                                              double value,
                                              const std::string& currency = {});

}  // namespace epochcast
