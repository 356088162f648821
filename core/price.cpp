// SPDX-License-Identifier: Apache-2.0
#include "core/price.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace epochcast {
namespace {

constexpr double kMostPerHour = 1e9;
constexpr std::size_t kCurrencyLetters = 3;

}  // namespace

std::string expected_price_text() {
  return "a price for an hour with its currency, such as \"3.06USD/h\"";
}

std::optional<Price> parse_price(std::string_view text) {
  Price price;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), price.per_hour);
  const bool is_amount = error == std::errc{} && price.per_hour >= 0 &&
                         price.per_hour <= kMostPerHour && !std::signbit(price.per_hour);
  if (!is_amount) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  const std::string_view currency = unit.substr(0, kCurrencyLetters);
  const bool is_currency =
      currency.size() == kCurrencyLetters &&
      std::all_of(currency.begin(), currency.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_currency || unit.substr(kCurrencyLetters) != "/h") return std::nullopt;
  price.currency = currency;
  return price;
}

std::string price_text(const Price& price) {
  return fmt::format("{}{}/h", price.per_hour, price.currency);
}

std::string format_money(double amount, const std::string& currency) {
  const double magnitude = std::abs(amount);
  if (magnitude == 0) return "0 " + currency;
  // Money has two decimals; small amounts need more for three significant digits.
  const int decimals = magnitude >= 999.5 ? 0
                       : magnitude >= 0.995
                           ? 2
                           : 2 - static_cast<int>(std::floor(std::log10(magnitude)));
  return fmt::format("{:.{}f} {}", amount, std::min(decimals, 12), currency);
}

}  // namespace epochcast
