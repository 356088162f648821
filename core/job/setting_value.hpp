// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/job/setting_text.hpp"

// Kinds of values of settings. read() returns the value of a text, or throws a UserError that
// begins with the text. show() returns the text that read() reads as this value.

namespace epochcast::value {

/// A text that is not empty.
struct Text {
  const char* expected;

  [[nodiscard]] std::string read(const std::string& text) const {
    return parse_text(text, expected);
  }
  [[nodiscard]] std::string show(const std::string& value) const { return value; }
};

/// Texts separated by commas.
struct List {
  const char* expected;

  [[nodiscard]] std::vector<std::string> read(const std::string& text) const {
    return parse_list(text, expected);
  }
  [[nodiscard]] std::string show(const std::vector<std::string>& value) const {
    return joined(value);
  }
};

/// A whole number in [low, high].
struct Count {
  std::int64_t low;
  std::int64_t high = kMostCount;

  [[nodiscard]] std::int64_t read(const std::string& text) const {
    return parse_count(text, low, high);
  }
  [[nodiscard]] std::string show(std::int64_t value) const { return std::to_string(value); }
};

/// A whole number of machines, processes or threads, in [low, high].
struct SmallCount {
  int low;
  int high = kMostSmallCount;

  [[nodiscard]] int read(const std::string& text) const {
    return parse_small_count(text, low, high);
  }
  [[nodiscard]] std::string show(int value) const { return std::to_string(value); }
};

/// A plain number in [low, high].
struct Number {
  double low;
  double high;
  const char* expected;

  [[nodiscard]] double read(const std::string& text) const {
    return parse_number(text, low, high, expected);
  }
  [[nodiscard]] std::string show(double value) const { return shortest(value); }
};

/// Bytes with a unit, above zero. Whole MiB are shown as such, as libraries state them.
struct Size {
  static constexpr double kMiB = 1048576;

  [[nodiscard]] double read(const std::string& text) const {
    return parse_positive(text, Dimension::bytes);
  }
  [[nodiscard]] std::string show(double value) const {
    const double whole = std::floor(value / kMiB);
    return whole * kMiB == value ? shortest(whole) + "MiB" : shortest(value) + "B";
  }
};

/// "on" or "off".
struct Switch {
  [[nodiscard]] bool read(const std::string& text) const { return parse_switch(text); }
  [[nodiscard]] std::string show(bool value) const { return show_switch(value); }
};

/// One of several names.
template <typename Value, std::size_t N>
struct Name {
  Names<Value, N> names;

  [[nodiscard]] Value read(const std::string& text) const { return parse_name(text, names); }
  [[nodiscard]] std::string show(const Value& value) const { return show_name(value, names); }
};
template <typename Value, std::size_t N>
Name(Names<Value, N>) -> Name<Value, N>;

}  // namespace epochcast::value
