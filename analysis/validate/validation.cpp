// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>
#include <utility>

#include "analysis/validate/run_distribution.hpp"
#include "base/statistics/spread.hpp"
#include "core/costs/batch_cost.hpp"

namespace epochcast {
namespace {

double median_phase_s(const std::vector<RunResult>& runs, double PhaseTimes::*phase) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const RunResult& run : runs) values.push_back(run.phases.*phase);
  return median_of(values);
}

std::vector<double> epochs_s(const std::vector<RunResult>& runs) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const RunResult& run : runs) values.push_back(run.epoch_s);
  return values;
}

/// Adds the places of single runs in the distributions that were forecast for them.
void add_single_runs(RowFindings& findings, const ValidationRow& row) {
  const RunResult& forecast = *row.forecast;
  for (const RunResult& run : row.measured) {
    const double measured_s = run.epoch_s;
    const auto share = share_below(forecast, measured_s);
    if (!share) continue;
    const Interval& interval = *forecast.epoch_s_interval;
    ++findings.runs_with_interval;
    if (interval.low_s <= measured_s && measured_s <= interval.high_s) ++findings.runs_inside;
    findings.run_shares.push_back(*share);
  }
  findings.ks = ks_distance(findings.run_shares);
}

/// A row of a group with its findings.
struct RankedRow {
  double forecast_s = 0;
  RowFindings findings;
};

/// Welch's t-test. The spread of a single run is unknown: it counts as exact.
bool differ_by_more_than_chance(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kBothSides = 0.975;
  double variance = 0;    // of the difference between the means
  double by_degrees = 0;  // of that variance, as its degrees of freedom have it
  for (const std::vector<double>* runs : {&a, &b}) {
    const auto count = static_cast<double>(runs->size());
    if (count < 2) continue;
    const double of_mean = std::pow(deviation_of(*runs), 2) / count;
    variance += of_mean;
    by_degrees += of_mean * of_mean / (count - 1);
  }
  if (variance == 0) return true;
  const boost::math::students_t distribution(variance * variance / by_degrees);
  return std::abs(mean_of(a) - mean_of(b)) >
         boost::math::quantile(distribution, kBothSides) * std::sqrt(variance);
}

/// True only if all rows with the fastest forecast are right.
bool is_best_right(const std::vector<RankedRow>& rows) {
  const auto fastest = std::min_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.findings.measured_s < b.findings.measured_s;
  });
  const auto forecast =
      std::min_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.forecast_s < b.forecast_s;
      });
  return std::all_of(rows.begin(), rows.end(), [&](const RankedRow& row) {
    return row.forecast_s > forecast->forecast_s ||
           !are_distinguishable(row.findings, fastest->findings);
  });
}

/// At least one row.
GroupRanking ranking_of(const std::string& group, const std::vector<RankedRow>& rows) {
  GroupRanking ranking;
  ranking.group = group;
  ranking.rows = rows.size();
  std::vector<double> forecasts_s;
  std::vector<double> measured_s;
  for (const RankedRow& row : rows) {
    forecasts_s.push_back(row.forecast_s);
    measured_s.push_back(row.findings.measured_s);
  }
  ranking.tau = kendall_tau(forecasts_s, measured_s);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!are_distinguishable(rows[i].findings, rows[j].findings)) continue;
      ++ranking.pairs;
      const bool is_less = measured_s[i] < measured_s[j];
      const double forecast_s =
          is_less ? forecasts_s[i] - forecasts_s[j] : forecasts_s[j] - forecasts_s[i];
      if (forecast_s > 0) ++ranking.wrong_pairs;
    }
  }
  ranking.is_best_right = is_best_right(rows);
  return ranking;
}

std::optional<double> weighted_tau(const std::vector<GroupRanking>& rankings) {
  double sum = 0;
  double pairs = 0;
  for (const GroupRanking& ranking : rankings) {
    sum += static_cast<double>(ranking.pairs) * ranking.tau;
    pairs += static_cast<double>(ranking.pairs);
  }
  if (pairs == 0) return std::nullopt;
  return sum / pairs;
}

}  // namespace

bool are_distinguishable(const RowFindings& a, const RowFindings& b) {
  const bool overlap = a.measured_spread.high_s >= b.measured_spread.low_s &&
                       b.measured_spread.high_s >= a.measured_spread.low_s;
  return !overlap && differ_by_more_than_chance(a.measured_runs_s, b.measured_runs_s);
}

double RowFindings::worst_phase_error() const {
  return std::max({std::abs(phase_errors.compute_s),
                   std::abs(phase_errors.exposed_communication_s),
                   std::abs(phase_errors.blocked_s)});
}

std::size_t ValidationSummary::pairs() const {
  std::size_t sum = 0;
  for (const GroupRanking& ranking : rankings) sum += ranking.pairs;
  return sum;
}

std::size_t ValidationSummary::wrong_pairs() const {
  std::size_t sum = 0;
  for (const GroupRanking& ranking : rankings) sum += ranking.wrong_pairs;
  return sum;
}

std::optional<RowFindings> findings_of(const ValidationRow& row) {
  if (!row.forecast || row.measured.empty()) return std::nullopt;
  const std::vector<double> measured_s = epochs_s(row.measured);
  RowFindings findings;
  findings.measured_s = median_of(measured_s);
  if (!(findings.measured_s > 0)) return std::nullopt;
  const auto [least, most] = std::minmax_element(measured_s.begin(), measured_s.end());
  findings.measured_spread = {.low_s = *least, .high_s = *most};
  findings.measured_runs_s = measured_s;
  findings.measured_phases = {
      .compute_s = median_phase_s(row.measured, &PhaseTimes::compute_s),
      .exposed_communication_s = median_phase_s(row.measured, &PhaseTimes::exposed_communication_s),
      .blocked_s = median_phase_s(row.measured, &PhaseTimes::blocked_s)};
  findings.error = row.forecast->epoch_s / findings.measured_s - 1;
  findings.phase_errors =
      (1 / findings.measured_s) * (row.forecast->phases - findings.measured_phases);
  if (const auto& interval = row.forecast->epoch_s_interval) {
    findings.is_inside =
        interval->low_s <= findings.measured_s && findings.measured_s <= interval->high_s;
  }
  add_single_runs(findings, row);
  return findings;
}

std::vector<std::string> failures_of(const ValidationRow& row) {
  if (findings_of(row)) return {};
  if (!row.problems.empty()) return row.problems;
  std::vector<std::string> failures;
  if (!row.forecast) failures.emplace_back("there is no forecast");
  if (row.measured.empty()) {
    failures.emplace_back("there is no measurement");
  } else if (!(median_of(epochs_s(row.measured)) > 0)) {
    failures.emplace_back("the measured median is 0 s");
  }
  return failures;
}

std::vector<std::vector<const ValidationRow*>> by_group(const std::vector<ValidationRow>& rows) {
  std::vector<std::vector<const ValidationRow*>> groups;
  for (const ValidationRow& row : rows) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& each) {
      return each.front()->group == row.group;
    });
    if (group == groups.end()) {
      groups.push_back({&row});
    } else {
      group->push_back(&row);
    }
  }
  return groups;
}

ValidationSummary summarize(const std::vector<ValidationRow>& rows) {
  ValidationSummary summary;
  std::vector<double> errors;
  std::vector<double> phase_errors;
  std::vector<double> run_shares;
  std::size_t with_interval = 0;
  std::size_t inside = 0;
  for (const auto& group : by_group(rows)) {
    std::vector<RankedRow> ranked;
    for (const ValidationRow* row : group) {
      const auto findings = findings_of(*row);
      if (!findings) {
        ++summary.failed;
        continue;
      }
      ranked.push_back({row->forecast->epoch_s, *findings});
      errors.push_back(std::abs(findings->error));
      if (errors.size() == 1 || errors.back() > summary.worst_error) {
        summary.worst_error = errors.back();
        summary.worst = row->group + ": " + row->point;
      }
      phase_errors.push_back(findings->worst_phase_error());
      run_shares.insert(run_shares.end(), findings->run_shares.begin(), findings->run_shares.end());
      summary.runs_inside += findings->runs_inside;
      if (findings->is_inside) ++with_interval;
      if (findings->is_inside.value_or(false)) ++inside;
    }
    if (!ranked.empty()) summary.rankings.push_back(ranking_of(group.front()->group, ranked));
  }
  summary.configurations = errors.size();
  summary.p90_error = at_most(errors, 0.9);
  summary.p95_error = at_most(errors, 0.95);
  summary.p90_phase_error = at_most(phase_errors, 0.9);
  if (!errors.empty()) summary.median_error = median_of(std::move(errors));
  summary.tau = weighted_tau(summary.rankings);
  if (with_interval > 0) {
    summary.coverage = static_cast<double>(inside) / static_cast<double>(with_interval);
  }
  summary.runs = run_shares.size();
  if (summary.runs > 0)
    summary.run_coverage =
        static_cast<double>(summary.runs_inside) / static_cast<double>(summary.runs);
  summary.ks = ks_distance(std::move(run_shares));
  return summary;
}

std::vector<TierSummary> summarize_tiers(const std::vector<ValidationRow>& rows) {
  std::vector<TierSummary> tiers;
  for (const Tier tier : kTiers) {
    std::vector<ValidationRow> of_tier;
    std::ranges::copy_if(
        rows, std::back_inserter(of_tier), [&](const auto& row) { return row.tier == tier; });
    if (!of_tier.empty()) tiers.push_back({.tier = tier, .summary = summarize(of_tier)});
  }
  return tiers;
}

double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t count = std::min(a.size(), b.size());
  double agreement = 0;  // concordant less discordant pairs
  double pairs_a = 0;    // that are not tied in a
  double pairs_b = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int order_a = (a[i] > a[j]) - (a[i] < a[j]);
      const int order_b = (b[i] > b[j]) - (b[i] < b[j]);
      agreement += order_a * order_b;
      pairs_a += order_a != 0;
      pairs_b += order_b != 0;
    }
  }
  if (pairs_a == 0 && pairs_b == 0) return 1;
  if (pairs_a == 0 || pairs_b == 0) return 0;
  return agreement / std::sqrt(pairs_a * pairs_b);
}

}  // namespace epochcast
