// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast {

/// A price per hour.
struct Price {
  double per_hour = 0;
  std::string currency;  ///< three capital letters, as ISO 4217 has them: "USD"

  [[nodiscard]] double of(double seconds) const { return per_hour / 3600 * seconds; }

  bool operator==(const Price&) const = default;
};

/// "a price for an hour with its currency, such as \"3.06USD/h\"": the expected value in messages.
[[nodiscard]] std::string expected_price_text();

/// Parses "3.06USD/h". None if the number is malformed, negative or above 1e9, or the currency or
/// the hour is missing.
[[nodiscard]] std::optional<Price> parse_price(std::string_view text);
/// A text from which parse_price() returns exactly this price.
[[nodiscard]] std::string price_text(const Price& price);

/// "0.0123 USD", "4.56 USD", "1234 USD": an amount for people, three significant digits or more.
[[nodiscard]] std::string format_money(double amount, const std::string& currency);

}  // namespace epochcast
