// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/condition.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "core/job/setting_text.hpp"
#include "core/price.hpp"
#include "strategies/other_names.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

constexpr const char* kExpected =
    "a condition such as \"exposed < 10%\", \"epoch < 60s\" or \"local-sgd faster than sync by "
    "2x\"";
constexpr double kMost = 1e30;
constexpr std::size_t kCurrencyLetters = 3;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// The number before this suffix, such as "10%"; absent if the text has another suffix.
std::optional<double> number_before(const std::string& text, const std::string& ending) {
  if (!text.ends_with(ending)) return std::nullopt;
  const std::string number = trimmed(text.substr(0, text.size() - ending.size()));
  return parse_number(number, 0, kMost, "a number of 0 or more before \"" + ending + "\"");
}

double factor_of(const std::string& text) {
  if (const auto times = number_before(text, "x")) return *times;
  return parse_number(text, 0, kMost, "a factor such as 2x");
}

/// "100EUR".
double money_of(const std::string& text) {
  const auto price = parse_price(text + "/h");
  if (!price)
    throw UserError("got \"" + text + "\"; expected an amount with its currency, such as 100EUR");
  return price->per_hour;
}

/// "1.5kWh", "20MJ".
double joules_of(const std::string& text) {
  constexpr double kJoulesPerWattHour = 3600;
  static constexpr std::pair<const char*, double> kUnits[] = {{"MWh", 1e6 * kJoulesPerWattHour},
                                                              {"kWh", 1e3 * kJoulesPerWattHour},
                                                              {"Wh", kJoulesPerWattHour},
                                                              {"GJ", 1e9},
                                                              {"MJ", 1e6},
                                                              {"kJ", 1e3},
                                                              {"J", 1}};
  for (const auto& [unit, joules] : kUnits) {
    if (const auto number = number_before(text, unit)) return *number * joules;
  }
  throw UserError("got \"" + text + "\"; expected an energy with its unit, such as 1.5kWh or 20MJ");
}

/// The bound of a comparison. "60 s" is "60s".
double bound_of(const Quantity& quantity, std::string text) {
  std::erase(text, ' ');
  switch (quantity.unit) {
    case QuantityUnit::seconds:
      return parse_positive(text, Dimension::seconds, true);
    case QuantityUnit::bytes:
      return parse_positive(text, Dimension::bytes, true);
    case QuantityUnit::share:
      return parse_share(text);
    case QuantityUnit::factor:
      return factor_of(text);
    case QuantityUnit::per_second:
      if (const auto rate = number_before(text, "/s")) return *rate;
      return parse_number(text, 0, kMost, "samples per second, such as 5000");
    case QuantityUnit::money:
      return money_of(text);
    case QuantityUnit::joules:
      return joules_of(text);
  }
  return 0;
}

/// The name of a strategy that there is.
std::string strategy_named(const std::string& name) {
  std::vector<std::string> known;
  for (const Strategy& strategy : strategies()) {
    if (strategy.name == name) return name;
    known.emplace_back(strategy.name);
  }
  if (const std::string answer = answer_to_other_name(name); !answer.empty())
    throw UserError("got \"" + name + "\"; " + answer);
  throw UserError(unknown_name("strategy", name, known));
}

/// "[STRATEGY] faster than STRATEGY [by 2x|20%]", whose second word is at `than`.
Condition faster_condition(const std::vector<std::string>& words, std::size_t faster) {
  Condition condition;
  condition.quantity = &faster_than();
  condition.wants_more = true;
  condition.bound = 1;
  const bool has_by = words.size() > faster + 3;
  if (faster > 1 || words.size() < faster + 3 || words[faster + 1] != "than" ||
      (has_by && (words[faster + 3] != "by" || words.size() != faster + 5)))
    throw UserError(
        "expected \"faster than STRATEGY by 2x\", or \"by 20%\", with the strategy that "
        "is to be faster before it if it is one alone");
  if (faster == 1) condition.strategy = strategy_named(words.front());
  condition.baseline = strategy_named(words[faster + 2]);
  if (condition.strategy == condition.baseline)
    throw UserError("expected two different strategies");
  if (!has_by) return condition;
  const std::string& by = words.back();
  condition.includes_bound = true;
  condition.bound = by.ends_with('%') ? 1 + parse_share(by) : factor_of(by);
  return condition;
}

Condition comparison(const std::string& text) {
  const std::size_t at = text.find_first_of("<>=");
  if (at == std::string::npos) fail(text, kExpected);
  const std::size_t end = text.find_first_not_of("<>=", at);
  const std::string sign = text.substr(at, end == std::string::npos ? end : end - at);
  if (sign != "<" && sign != ">" && sign != "<=" && sign != ">=")
    throw UserError("got \"" + sign + "\"; expected <, <=, > or >=");
  Condition condition;
  condition.quantity = &find_quantity(trimmed(text.substr(0, at)));
  condition.wants_more = sign.front() == '>';
  condition.includes_bound = sign.ends_with('=');
  if (end == std::string::npos) throw UserError("expected a bound behind " + sign);
  condition.bound = bound_of(*condition.quantity, text.substr(end));
  if (condition.quantity->unit == QuantityUnit::money) {
    const std::string bound = trimmed(text.substr(end));
    condition.currency = bound.substr(bound.size() - kCurrencyLetters);
  }
  return condition;
}

}  // namespace

bool Condition::holds(double value) const {
  if (value == bound) return includes_bound;
  return (value > bound) == wants_more;
}

double Condition::value(const QuantityInput& input) const {
  const double value = quantity->value(input);
  if (!currency.empty() && input.run.cost->rate.currency != currency) {
    throw UserError("--where \"" + text + "\": prices of " + input.run.platform + " are in " +
                    input.run.cost->rate.currency + "; expected a bound in that currency");
  }
  return value;
}

Condition parse_condition(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  try {
    if (std::find(words.begin(), words.end(), "and") != words.end())
      throw UserError("expected a single condition; another one takes a second --where");
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] != "faster") continue;
      Condition condition = faster_condition(words, i);
      condition.text = text;
      return condition;
    }
    Condition condition = comparison(text);
    condition.text = text;
    return condition;
  } catch (const UserError& error) {
    throw UserError("--where \"" + text + "\": " + error.what());
  }
}

}  // namespace epochcast
