// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace epochcast {
namespace {

constexpr std::size_t kAll = 33;
constexpr std::size_t kFew = 9;
constexpr std::size_t kMany = 129;
/// Random costs move figures up and down by this share of their total range.
constexpr double kRipple = 0.01;

/// Indices from the first to the last.
struct Part {
  std::size_t first = 0;
  std::size_t last = 0;

  [[nodiscard]] std::size_t size() const { return last - first + 1; }
};

std::vector<std::size_t> spread(const Part& part, std::size_t count) {
  std::set<std::size_t> indices;
  for (std::size_t i = 0; i < count; ++i)
    indices.insert(part.first + i * (part.size() - 1) / std::max<std::size_t>(1, count - 1));
  return {indices.begin(), indices.end()};
}

/// Whether numbers are monotone.
bool goes_one_way(const std::vector<double>& values) {
  if (values.empty()) return true;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double ripple = kRipple * (*most - *least);
  bool rises = false;
  bool falls = false;
  double highest = values.front();
  double lowest = values.front();
  for (const double value : values) {
    highest = std::max(highest, value);
    lowest = std::min(lowest, value);
    falls = falls || value < highest - ripple;
    rises = rises || value > lowest + ripple;
  }
  return !(rises && falls);
}

bool is_monotone(const SearchQuestions& questions, const std::vector<std::size_t>& indices) {
  bool has_held = false;
  std::vector<std::vector<double>> figures;
  for (const std::size_t index : indices) {
    const bool holds = questions.holds(index);
    if (has_held && !holds) return false;
    has_held = holds;
    const auto values = questions.figures(index);
    figures.resize(std::max(figures.size(), values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i]) figures[i].push_back(*values[i]);
    }
  }
  return std::all_of(figures.begin(), figures.end(), goes_one_way);
}

/// The index closest to `fails` that satisfies `is_so`, by bisection between one that does not and
/// one that does, in either direction.
std::size_t bisected(const SearchQuestions& questions,
                     std::size_t fails,
                     std::size_t holds,
                     const std::function<bool(std::size_t)>& is_so) {
  while (std::max(fails, holds) - std::min(fails, holds) > 1) {
    const std::size_t middle = std::midpoint(fails, holds);
    questions.look({middle});
    (is_so(middle) ? holds : fails) = middle;
  }
  return holds;
}

/// The first to the last possible index, i.e. with all figures. Absent if none of the evaluated
/// ones is possible.
std::optional<Part> possible_part(const SearchQuestions& questions,
                                  const std::vector<std::size_t>& indices) {
  const auto is_possible = [&](std::size_t index) {
    const auto figures = questions.figures(index);
    return std::all_of(
        figures.begin(), figures.end(), [](const auto& figure) { return figure.has_value(); });
  };
  const auto first = std::find_if(indices.begin(), indices.end(), is_possible);
  if (first == indices.end()) return std::nullopt;
  const auto last = std::find_if(indices.rbegin(), indices.rend(), is_possible);
  Part part = {*first, *last};
  if (first != indices.begin()) part.first = bisected(questions, *(first - 1), *first, is_possible);
  if (last != indices.rbegin()) part.last = bisected(questions, *(last - 1), *last, is_possible);
  return part;
}

}  // namespace

SearchAnswer first_that_holds(const SearchQuestions& questions) {
  Part part = {0, questions.size - 1};
  const bool is_small = questions.size <= kAll;
  std::vector<std::size_t> indices = spread(part, is_small ? part.size() : kFew);
  questions.look(indices);
  if (!is_small) {
    // An impossible value - a batch larger than memory - gives no information about possible ones.
    auto possible = possible_part(questions, indices);
    if (!possible) {
      indices = spread(part, kMany);
      questions.look(indices);
      possible = possible_part(questions, indices);
    }
    if (!possible) return {.first = {}, .is_monotone = true, .looked = indices.size()};
    part = *possible;
    indices = spread(part, part.size() <= kAll ? part.size() : kFew);
    questions.look(indices);
  }
  SearchAnswer answer = {
      .first = {}, .is_monotone = is_monotone(questions, indices), .looked = indices.size()};
  const auto first_of = [&] {
    return std::find_if(indices.begin(), indices.end(), questions.holds);
  };
  // Opposite conditions may hold together between two evaluated values.
  const bool may_be_between = questions.figures(indices.front()).size() > 1;
  if ((!answer.is_monotone || (may_be_between && first_of() == indices.end())) &&
      part.size() > kAll) {
    indices = spread(part, kMany);
    questions.look(indices);
    answer.looked = indices.size();
    answer.is_monotone = false;
  }
  const auto first = first_of();
  // The first index needs no monotony, and a complete evaluation overlooks nothing.
  answer.is_monotone =
      answer.is_monotone || first == indices.begin() || indices.size() == part.size();
  if (first == indices.end()) return answer;
  answer.first = first == indices.begin()
                     ? *first
                     : bisected(questions, *(first - 1), *first, questions.holds);
  return answer;
}

}  // namespace epochcast
