// SPDX-License-Identifier: Apache-2.0
#include "base/text/units.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <span>

#include "base/text/plausible.hpp"

namespace epochcast {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kTime[] = {
    {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60.0}, {"h", 3600.0}};
constexpr Unit kBytes[] = {{"B", 1.0},
                           {"kB", 1e3},
                           {"MB", 1e6},
                           {"GB", 1e9},
                           {"TB", 1e12},
                           {"KiB", 1024.0},
                           {"MiB", 1048576.0},
                           {"GiB", 1073741824.0},
                           {"TiB", 1099511627776.0}};
constexpr Unit kBandwidth[] = {{"Bps", 1.0},
                               {"kBps", 1e3},
                               {"MBps", 1e6},
                               {"GBps", 1e9},
                               {"TBps", 1e12},
                               {"KiBps", 1024.0},
                               {"MiBps", 1048576.0},
                               {"GiBps", 1073741824.0},
                               {"bps", 0.125},
                               {"kbps", 125.0},
                               {"Mbps", 125e3},
                               {"Gbps", 125e6},
                               {"Tbps", 125e9}};
constexpr Unit kFlops[] = {
    {"flop", 1.0}, {"kflop", 1e3}, {"Mflop", 1e6}, {"Gflop", 1e9}, {"Tflop", 1e12}};
constexpr Unit kFlopsPerS[] = {{"flops", 1.0}, {"Mflops", 1e6}, {"Gflops", 1e9}, {"Tflops", 1e12}};
constexpr Unit kPower[] = {{"W", 1.0}, {"mW", 1e-3}, {"kW", 1e3}, {"MW", 1e6}};

/// The range of quantities that are not zero. All clusters are within; sums, quotients and clocks
/// of a simulation with such values stay finite and distinct.
struct Range {
  double least;
  double most;
  std::string_view text;
};

Range range_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::seconds:
      return {1e-12, 1e9, "1e-12s to 1e9s"};
    case Dimension::bytes:
      return {1e-3, 1e18, "1e-3B to 1e18B"};
    case Dimension::bytes_per_s:
      return {1, 1e15, "1Bps to 1e15Bps"};
    case Dimension::flops:
      return {1e-3, 1e24, "1e-3flop to 1e24flop"};
    case Dimension::flops_per_s:
      return {1, 1e24, "1flops to 1e24flops"};
    case Dimension::watts:
      return {1e-3, 1e9, "1e-3W to 1e9W"};
  }
  return {};
}

Range link_range_of(Dimension dimension) {
  if (dimension == Dimension::seconds) return {1e-10, 1e3, "1e-10s to 1000s"};
  return range_of(dimension);
}

bool is_within(const Range& range, double value) {
  return value == 0 || (std::abs(value) >= range.least && std::abs(value) <= range.most);
}

std::span<const Unit> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::seconds:
      return kTime;
    case Dimension::bytes:
      return kBytes;
    case Dimension::bytes_per_s:
      return kBandwidth;
    case Dimension::flops:
      return kFlops;
    case Dimension::flops_per_s:
      return kFlopsPerS;
    case Dimension::watts:
      return kPower;
  }
  return {};
}

/// The number times its unit, whatever it is.
std::optional<double> parse_any_quantity(std::string_view text, Dimension dimension) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const Unit& known : units_of(dimension)) {
    if (unit == known.name) return number * known.factor;
  }
  return std::nullopt;
}

constexpr int kFewestDigits = 6;
constexpr int kMostDigits = 17;  // distinguish any two doubles

/// So many significant digits, and the unit.
std::string digits_text(double value, int digits, const Unit& unit) {
  return fmt::format("{:.{}g}{}", value / unit.factor, digits, unit.name);
}

/// The preferred unit to write quantities in.
Unit written_unit(Dimension dimension) {
  if (dimension == Dimension::seconds) return {"us", 1e-6};
  if (dimension == Dimension::bytes_per_s) return {"MBps", 1e6};
  return units_of(dimension).front();
}

/// Three significant digits: "1.23", "12.3", "123".
std::string three_digits(double value, const char* unit) {
  const double magnitude = std::abs(value);
  const int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

}  // namespace

std::string expected_text(Dimension dimension) {
  switch (dimension) {
    case Dimension::seconds:
      return "a time with its unit, such as \"1.5us\"";
    case Dimension::bytes:
      return "a size with its unit, such as \"32GiB\"";
    case Dimension::bytes_per_s:
      return "a bandwidth with its unit, such as \"12.5GBps\"";
    case Dimension::flops:
      return "an operation count with its unit, such as \"3.6Gflop\"";
    case Dimension::flops_per_s:
      return "a speed with its unit, such as \"15.7Tflops\"";
    case Dimension::watts:
      return "a power with its unit, such as \"350W\"";
  }
  return "a quantity";
}

std::optional<double> parse_quantity(std::string_view text, Dimension dimension) {
  const std::optional<double> value = parse_any_quantity(text, dimension);
  return value && is_plausible(dimension, *value) ? value : std::nullopt;
}

std::string quantity_text(double value, Dimension dimension) {
  constexpr double kMostCount = 0x1p53;
  constexpr Unit kGiB = {"GiB", 0x1p30};
  const Unit base = units_of(dimension).front();
  const bool is_counted = dimension == Dimension::bytes || dimension == Dimension::flops;
  if (is_counted && value < kMostCount && value == std::floor(value)) {
    const bool is_memory =
        dimension == Dimension::bytes && value > 0 && std::fmod(value, kGiB.factor) == 0;
    return digits_text(value, kMostDigits, is_memory ? kGiB : base);
  }
  // Some doubles have no exact value in microseconds, for instance; all have one in the base unit.
  for (const Unit& unit : {written_unit(dimension), base}) {
    for (int digits = kFewestDigits; digits <= kMostDigits; ++digits) {
      std::string text = digits_text(value, digits, unit);
      if (parse_any_quantity(text, dimension) == value) return text;
    }
  }
  return digits_text(value, kMostDigits, base);
}

double rounded_quantity(double value, Dimension dimension) {
  const std::string text = digits_text(value, kFewestDigits, written_unit(dimension));
  return parse_any_quantity(text, dimension).value_or(value);
}

std::string expected_text(Dimension dimension, std::string_view got) {
  const std::optional<double> value = parse_any_quantity(got, dimension);
  return value && !is_plausible(dimension, *value) ? plausible_text(dimension)
                                                   : expected_text(dimension);
}

bool is_plausible(Dimension dimension, double value) {
  return is_within(range_of(dimension), value);
}

std::string plausible_text(Dimension dimension) {
  return "a value from " + std::string(range_of(dimension).text);
}

bool is_plausible_of_link(Dimension dimension, double value) {
  return is_within(link_range_of(dimension), value);
}

std::string plausible_text_of_link(Dimension dimension) {
  return "a value from " + std::string(link_range_of(dimension).text);
}

std::string format_seconds(double seconds) {
  const double magnitude = std::abs(seconds);
  if (magnitude == 0) return "0 s";
  if (magnitude < 999.5e-9) return three_digits(seconds * 1e9, "ns");
  if (magnitude < 999.5e-6) return three_digits(seconds * 1e6, "us");
  if (magnitude < 999.5e-3) return three_digits(seconds * 1e3, "ms");
  if (magnitude < 599.5) return three_digits(seconds, "s");
  if (magnitude < 3599.5) return three_digits(seconds / 60, "min");
  if (magnitude < 48 * 3600.0) return three_digits(seconds / 3600, "h");
  return three_digits(seconds / 86400, "d");
}

std::string format_bytes(double bytes) {
  const double magnitude = std::abs(bytes);
  if (magnitude < 1000) return fmt::format("{:.0f} B", bytes);
  if (magnitude < 999.5e3) return three_digits(bytes / 1e3, "kB");
  if (magnitude < 999.5e6) return three_digits(bytes / 1e6, "MB");
  if (magnitude < 999.5e9) return three_digits(bytes / 1e9, "GB");
  return three_digits(bytes / 1e12, "TB");
}

std::string format_energy(double joules) {
  constexpr double kWh = 3600;
  const double magnitude = std::abs(joules);
  if (magnitude == 0) return "0 J";
  if (magnitude < 0.9995 * kWh) return three_digits(joules, "J");
  if (magnitude < 999.5 * kWh) return three_digits(joules / kWh, "Wh");
  if (magnitude < 999.5e3 * kWh) return three_digits(joules / (1e3 * kWh), "kWh");
  return three_digits(joules / (1e6 * kWh), "MWh");
}

}  // namespace epochcast
