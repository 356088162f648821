// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace epochcast {

/// Remarks about forecasts of a sweep: each text once, with its strategies and
/// points.
class Remarks {
 public:
  /// Adds a forecast, with or without remarks. `place`: its point of the sweep, "nodes 4"; empty
  /// without one.
  void expect(const std::string& strategy, const std::string& place);
  void add(const std::string& text, const std::string& strategy, const std::string& place);
  [[nodiscard]] bool empty() const { return texts_.empty(); }

  /// The same with one remark in place of many on the same flag ("--overlap: ..."), such as reasons
  /// of strategies that lack it.
  [[nodiscard]] Remarks with_one_for_each_flag() const;

  /// A line for each, in the order of their first occurrence: "  sync [nodes 4; nodes 8]: TEXT".
  /// `prefix` comes before the text.
  void print(std::ostream& out, const std::string& prefix = {}) const;

 private:
  using Numbers = std::set<std::size_t>;
  using About = std::map<std::size_t, Numbers>;  ///< by strategy, its places

  /// Names in the order of their first occurrence.
  struct Names {
    std::vector<std::string> all;
    std::map<std::string, std::size_t> numbers;

    std::size_t number_of(const std::string& name);
  };

  [[nodiscard]] std::vector<std::string> subjects_of(const About& about) const;
  [[nodiscard]] std::string places_text(const Numbers& places) const;

  Names strategies_;
  Names places_;
  About expected_;
  std::vector<std::string> texts_;
  std::map<std::string, About> about_;  ///< by text
};

}  // namespace epochcast
