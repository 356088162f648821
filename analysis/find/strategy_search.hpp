// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/find/find.hpp"
#include "analysis/find/search.hpp"

namespace epochcast {

/// The quantile of a forecast's epochs.
enum class Bound { shortest, mean, longest };

/// The forecasts of a request, each made once.
class KeptForecasts {
 public:
  explicit KeptForecasts(const FindTools& tools) : tools_(tools) {}

  /// Makes the missing ones.
  void make(const std::vector<JobConfig>& configs);
  /// One that was made.
  [[nodiscard]] const ForecastOutcome& of(const JobConfig& config) const;

 private:
  const FindTools& tools_;
  std::map<std::string, ForecastOutcome> known_;
};

/// The search for one strategy, at one value of the other setting.
class StrategySearch {
 public:
  /// `config`: of this strategy and value. References must outlive the search.
  StrategySearch(const FindRequest& request,
                 const SearchRange& range,
                 const FindTools& tools,
                 KeptForecasts& forecasts,
                 JobConfig config,
                 std::vector<const Condition*> conditions);

  [[nodiscard]] FoundValue answer();

 private:
  /// A value's configuration and those of its references.
  struct Known {
    JobConfig config;
    std::vector<std::optional<JobConfig>> references;  ///< by condition
    std::vector<std::string> problems;                 ///< reasons for missing references
  };

  SearchAnswer first_for(Bound bound);
  /// The index in ascending order; searches may run from either end.
  [[nodiscard]] std::size_t place(std::size_t index) const;
  [[nodiscard]] std::string text_of(const std::optional<std::size_t>& index) const;
  void look(const std::vector<std::size_t>& indices);
  [[nodiscard]] Known described(std::size_t index) const;
  /// The same job on one node, or on one device if all jobs of the request are on one node.
  [[nodiscard]] JobConfig on_one_node(JobConfig config) const;
  void scale(JobConfig& config, const JobConfig& node) const;
  /// The conditions' figures, by condition, for epochs of this bound.
  [[nodiscard]] std::vector<std::optional<double>> figures(std::size_t index, Bound bound) const;
  [[nodiscard]] bool holds(std::size_t index, Bound bound) const;
  [[nodiscard]] TriedValue tried(std::size_t index) const;
  /// The evaluated value that meets the most conditions, and is closest to the first that it
  /// fails.
  [[nodiscard]] std::optional<TriedValue> closest() const;

  const FindRequest& request_;
  const SearchRange& range_;
  const FindTools& tools_;
  KeptForecasts& forecasts_;
  JobConfig config_;
  std::vector<const Condition*> conditions_;
  std::map<std::size_t, Known> known_;  ///< by index
  bool has_interval_ = false;
};

}  // namespace epochcast
