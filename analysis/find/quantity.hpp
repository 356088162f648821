// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/result.hpp"

namespace epochcast {

/// What a condition's figure is told in.
enum class QuantityUnit { seconds, share, factor, bytes, per_second, money, joules };

/// What a result is measured against.
enum class Reference {
  none,
  one_node,  ///< the same job on one node
  strategy   ///< the same job under another strategy
};

/// A run, the one it is measured against, and how much longer an epoch takes than forecast: 0, or
/// up to a bound of the forecast's interval. Whatever makes it longer counts as what the quantity
/// tells of, so that between the bounds lies what the forecast says at least.
struct Sighting {
  const RunResult& run;
  const RunResult* reference = nullptr;  ///< null where the quantity needs none
  double longer_s = 0;
};

/// A figure of results that conditions may speak of.
struct Quantity {
  std::string_view name;
  QuantityUnit unit = QuantityUnit::seconds;
  Reference reference = Reference::none;
  std::string_view help;
  /// Throws a UserError where the platform does not say what it takes.
  double (*value)(const Sighting& seen);
};

/// Every quantity, a line each.
[[nodiscard]] std::span<const Quantity> quantities();
/// The one of that name. Throws a UserError with the closest name.
[[nodiscard]] const Quantity& find_quantity(std::string_view name);
/// What "A faster than B" compares: how many times as long the other takes for as much data.
[[nodiscard]] const Quantity& faster_than();

/// "9.8 %", "51.0 s", "2.04x": three digits for people. Money has its `currency`.
[[nodiscard]] std::string quantity_value_text(QuantityUnit unit,
                                              double value,
                                              const std::string& currency = {});

}  // namespace epochcast
