// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

// Pieces of HTML and SVG, as text. What is handed to them as text, they escape.

namespace epochcast {

/// With & < > " ' as entities: for elements and attributes.
[[nodiscard]] std::string escaped_html(const std::string& text);
/// At most `most` characters (UTF-8 aware), 1 or more; one in the middle stands for those left out:
/// "sync, aver…abenseifner".
[[nodiscard]] std::string shortened(const std::string& text, std::size_t most);
/// "12.5": a coordinate in pixels.
[[nodiscard]] std::string px(double value);

/// `attributes` is markup, such as `class="tick" text-anchor="end"`.
[[nodiscard]] std::string svg_text(double x,
                                   double y,
                                   const std::string& text,
                                   const std::string& attributes);
[[nodiscard]] std::string svg_line(
    double x1, double y1, double x2, double y2, const std::string& attributes);
[[nodiscard]] std::string svg_rect(
    double x, double y, double width, double height, const std::string& attributes);
/// A marker centred at x, y; `style` picks colour and shape, different ones for the first 56.
[[nodiscard]] std::string svg_marker(std::size_t style, double x, double y);
/// The class of a marker's colour, for what belongs to it.
[[nodiscard]] std::string colour_class(std::size_t style);
/// The style sheet's part for markers: the colours of `class="cN"`, in light and in dark.
[[nodiscard]] std::string marker_css();

/// A logarithmic axis in pixels.
class LogAxis {
 public:
  /// Reaches over all positive `values` with a margin, and over a factor of 1.7 at least. `first`
  /// and `last`: pixels of the ends.
  LogAxis(const std::vector<double>& values, double first, double last);

  /// Where `value` is; beyond the ends: the end.
  [[nodiscard]] double at(double value) const;
  /// Round values that leave `gap` pixels between them.
  [[nodiscard]] std::vector<double> ticks(double gap) const;
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  double low_ = 1;
  double high_ = 10;
  double first_;
  double last_;
};

/// Multiples of 1, 2 or 5 times a power of ten in [low, high], at most `most` and some.
[[nodiscard]] std::vector<double> round_values(double low, double high, std::size_t most);

}  // namespace epochcast
