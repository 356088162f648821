// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/svg.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace epochcast {
namespace {

/// Of Okabe and Ito's palette for the colour-blind; darkened on white and lightened on black until
/// the contrast is at least 3.
struct Colour {
  const char* light;
  const char* dark;
};
constexpr std::array<Colour, 7> kColours = {{{"#0072b2", "#4db2ec"},
                                             {"#d55e00", "#ff8b3d"},
                                             {"#00805e", "#2fd0a2"},
                                             {"#b0508f", "#e7a0cb"},
                                             {"#a06a00", "#f0b93a"},
                                             {"#2b7fb3", "#a5d8f5"},
                                             {"#555555", "#cccccc"}}};

constexpr std::array<const char*, 8> kShapes = {"M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",  // circle
                                                "M-4.5 -4.5h9v9h-9z",                     // square
                                                "M0 -6L5.8 4.5H-5.8z",          // triangle
                                                "M0 -6.5L5.5 0L0 6.5L-5.5 0z",  // diamond
                                                "M0 6L5.8 -4.5H-5.8z",          // triangle, down
                                                "M-2 -6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",    // plus
                                                "M0 -6.5L6.2 -2L3.8 5.3H-3.8L-6.2 -2z",  // pentagon
                                                "M-6 -3.2L-3.2 -6L0 -2.8L3.2 -6L6 -3.2L2.8 0L6 "
                                                "3.2L3.2 6L0 2.8L-3.2 6L-6 3.2L-2.8 0z"};  // cross

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

std::string escaped_html(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string shortened(const std::string& text, std::size_t most) {
  std::vector<std::size_t> characters;  // where they begin
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues_character(text[i])) characters.push_back(i);
  }
  if (characters.size() <= most) return text;
  const std::size_t tail = (most - 1) / 2;
  const std::size_t head = most - 1 - tail;
  return text.substr(0, characters[head]) + "…" +
         (tail == 0 ? "" : text.substr(characters[characters.size() - tail]));
}

std::string px(double value) {
  const std::string text = fmt::format("{:.1f}", value);
  return text == "-0.0" ? "0.0" : text;
}

std::string svg_text(double x, double y, const std::string& text, const std::string& attributes) {
  return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\" " + attributes + ">" + escaped_html(text) +
         "</text>\n";
}

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& attributes) {
  return "<line x1=\"" + px(x1) + "\" y1=\"" + px(y1) + "\" x2=\"" + px(x2) + "\" y2=\"" + px(y2) +
         "\" " + attributes + "/>\n";
}

std::string svg_rect(
    double x, double y, double width, double height, const std::string& attributes) {
  return "<rect x=\"" + px(x) + "\" y=\"" + px(y) + "\" width=\"" + px(std::max(0.0, width)) +
         "\" height=\"" + px(std::max(0.0, height)) + "\" " + attributes + "/>\n";
}

std::string colour_class(std::size_t style) {
  return "c" + std::to_string(style % kColours.size());
}

std::string svg_marker(std::size_t style, double x, double y) {
  // 7 colours and 8 shapes have no common divisor: neighbours differ in both, and 56 are different.
  return "<path class=\"marker " + colour_class(style) + "\" transform=\"translate(" + px(x) + " " +
         px(y) + ")\" d=\"" + kShapes[style % kShapes.size()] + "\"/>\n";
}

std::string marker_css() {
  std::string light;
  std::string dark;
  for (std::size_t i = 0; i < kColours.size(); ++i) {
    const std::string selector = ".c" + std::to_string(i);
    light += selector + "{color:" + kColours[i].light + "}\n";
    dark += selector + "{color:" + kColours[i].dark + "}\n";
  }
  return light + "@media (prefers-color-scheme:dark){\n" + dark + "}\n";
}

LogAxis::LogAxis(const std::vector<double>& values, double first, double last)
    : first_(first), last_(last) {
  double low = 0;
  double high = 0;
  for (const double value : values) {
    if (!(value > 0)) continue;
    low = low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
  if (low == 0) return;
  constexpr double kLeastFactor = 1.7;
  const double margin = std::max(1.06, std::pow(high / low, 0.05));
  low /= margin;
  high *= margin;
  const double missing = std::sqrt(std::max(1.0, kLeastFactor * low / high));
  low_ = low / missing;
  high_ = high * missing;
}

double LogAxis::at(double value) const {
  const double clamped = std::clamp(value, low_, high_);
  return first_ + (last_ - first_) * std::log(clamped / low_) / std::log(high_ / low_);
}

std::vector<double> LogAxis::ticks(double gap) const {
  const double decade = std::abs(last_ - first_) / std::log10(high_ / low_);  // pixels
  if (high_ / low_ < 10) {
    // Even steps: they are closest at the upper end.
    const double least_step = high_ * (1 - std::pow(10, -gap / decade));
    return round_values(low_, high_, static_cast<std::size_t>((high_ - low_) / least_step));
  }
  std::vector<double> digits = {1};
  if (decade * std::log10(3) > gap) digits = {1, 3};
  if (decade * std::log10(2) > gap) digits = {1, 2, 5};
  const auto every = std::max(1, static_cast<int>(std::ceil(gap / decade)));
  std::vector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(low_)));
  const int last = static_cast<int>(std::ceil(std::log10(high_)));
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % every != 0) continue;
    for (const double digit : digits) {
      const double value = digit * std::pow(10, exponent);
      if (value >= low_ && value <= high_) ticks.push_back(value);
    }
  }
  return ticks;
}

std::vector<double> round_values(double low, double high, std::size_t most) {
  const double least_step = (high - low) / static_cast<double>(std::max<std::size_t>(most, 1));
  if (!(least_step > 0)) return {};
  const double power = std::pow(10, std::floor(std::log10(least_step)));
  double step = 10 * power;
  for (const double factor : {5, 2, 1}) {
    if (factor * power >= least_step * (1 - 1e-9)) step = factor * power;
  }
  std::vector<double> values;
  for (double i = std::ceil(low / step); i * step <= high; ++i) values.push_back(i * step);
  return values;
}

}  // namespace epochcast
