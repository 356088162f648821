// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/job/job.hpp"
#include "core/job/platform_figures.hpp"

namespace epochcast {

/// The searched values of a setting or figure, ascending: every count, or quantities in steps of 1
/// %.
class SearchRange {
 public:
  /// 0 < low <= high.
  SearchRange(std::string name, FigureKind kind, double low, double high);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] FigureKind kind() const { return kind_; }
  /// The number of values.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double value(std::size_t index) const;
  /// The value in the setting's syntax: "24.1Gbps", "16".
  [[nodiscard]] std::string text(std::size_t index) const;
  /// The index of the value that is closest to a text's. Throws a UserError.
  [[nodiscard]] std::size_t index_of(const std::string& text) const;

 private:
  std::string name_;
  FigureKind kind_;
  double low_;
  double high_;
  std::size_t size_;
};

/// The kind of a setting or figure. Throws a UserError if a search cannot use it: names, lists,
/// switches, settings without effect on forecasts.
[[nodiscard]] FigureKind searched_kind(const std::string& name);

/// The default range of a search (docs/questions.md). `platform`: of the job, figures applied.
/// Throws a UserError.
[[nodiscard]] SearchRange usual_range(const std::string& name, const Platform& platform);

/// "NAME=1Gbps..100Gbps". Throws a UserError that begins with --between.
[[nodiscard]] SearchRange parse_range(const std::string& text);

}  // namespace epochcast
