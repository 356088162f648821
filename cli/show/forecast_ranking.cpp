// SPDX-License-Identifier: Apache-2.0
#include "cli/show/forecast_ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "cli/show/cost_front.hpp"
#include "cli/show/remarks.hpp"
#include "cli/show/table.hpp"
#include "strategies/learning.hpp"
#include "strategies/run_name.hpp"

namespace epochcast {
namespace {

/// Unknown values are last.
double value_of(const ForecastOutcome& outcome, RankBy by) {
  constexpr double kLast = std::numeric_limits<double>::max();
  constexpr double kNotForecast = std::numeric_limits<double>::infinity();
  if (!outcome.run) return kNotForecast;
  const RunResult& run = *outcome.run;
  switch (by) {
    case RankBy::time:
      return std::min(run.ranked_s(), kLast);
    case RankBy::cost:
      return run.cost ? run.cost->rate.of(run.ranked_s()) : kLast;
    case RankBy::energy:
      return run.energy ? run.training_j(run.ranked_s()) : kLast;
  }
  return kLast;
}

void check_has_costs(const std::vector<ForecastOutcome>& outcomes) {
  std::set<std::string> currencies;
  for (const ForecastOutcome& outcome : outcomes) {
    if (outcome.run && outcome.run->cost) currencies.insert(outcome.run->cost->rate.currency);
  }
  if (currencies.empty())
    throw UserError(
        "--rank-by: nothing has a cost; expected a \"price\" of the platform's nodes "
        "(docs/cost-and-energy.md)");
  if (currencies.size() > 1)
    throw UserError("--rank-by: costs are in " + *currencies.begin() + " and in " +
                    *currencies.rbegin() + "; expected platforms with prices in one currency");
}

void check_has_energy(const std::vector<ForecastOutcome>& outcomes) {
  const bool has_energy =
      std::any_of(outcomes.begin(), outcomes.end(), [](const ForecastOutcome& outcome) {
        return outcome.run && outcome.run->energy;
      });
  if (!has_energy)
    throw UserError(
        "--rank-by: nothing has an energy; expected the \"power\" of the platform's devices "
        "(docs/cost-and-energy.md)");
}

/// Keeps outcomes until all are complete.
class RankingWriter : public ForecastWriter {
 public:
  RankingWriter(std::unique_ptr<ForecastWriter> writer, RankBy by)
      : writer_(std::move(writer)), by_(by) {}

  void add(const ForecastOutcome& outcome) override { outcomes_.push_back(outcome); }

  void finish() override {
    rank(outcomes_, by_);
    for (const ForecastOutcome& outcome : outcomes_) writer_->add(outcome);
    writer_->finish();
  }

 private:
  std::unique_ptr<ForecastWriter> writer_;
  RankBy by_;
  std::vector<ForecastOutcome> outcomes_;
};

class RankingTable : public ForecastWriter {
 public:
  RankingTable(std::ostream& out, RankBy by, const TableLook& look)
      : out_(out), by_(by), look_(look) {}

  void add(const ForecastOutcome& outcome) override { outcomes_.push_back(outcome); }

  void finish() override {
    rank(outcomes_, by_);
    if (outcomes_.empty() || !outcomes_.front().run) return;
    show_rows();
    show_remarks();
  }

 private:
  void show_rows() const {
    CostFront front;
    bool has_point = false;
    bool has_energy = false;
    std::set<std::string> precisions;
    for (const ForecastOutcome& outcome : outcomes_) {
      if (!outcome.run) continue;
      precisions.insert(setting_of(*outcome.run, "precision"));  // "auto" of given batches
      front.add(*outcome.run, {});
      has_point = has_point || !outcome.task.point.empty();
      has_energy = has_energy || outcome.run->energy;
    }
    const std::vector<std::size_t> best = front.places();
    const RunResult& first = *outcomes_.front().run;
    const bool differ = precisions.size() > 1;
    const std::string target = setting_of(first, "target");
    out_ << first.network << " on " << first.dataset << ", "
         << (differ || precisions.contains("auto") ? "" : *precisions.begin() + ", ")
         << (target.empty() ? "times of all data:\n\n" : "times to " + target + ":\n\n");
    Table table;
    using enum Table::Align;
    table.add_column("#", right);
    if (has_point) table.add_column("point");
    table.add_column({.title = "strategy", .align = left, .importance = Table::kAlways});
    if (differ) table.add_column("precision");
    table.add_column({.title = "time", .align = right, .importance = Table::kAlways});
    if (!best.empty()) table.add_column("cost", right);
    if (!best.empty()) table.add_column("");
    if (has_energy) table.add_column("energy", right);
    table.add_column("inputs");
    for (std::size_t i = 0; i < outcomes_.size() && outcomes_[i].run; ++i) {
      const RunResult& run = *outcomes_[i].run;
      const double seconds = run.ranked_s();
      if (i > 0 && is_ranked(*outcomes_[i - 1].run) && !is_ranked(run))
        table.add_heading(std::string(kNotRanked));
      std::vector<std::string> row = {is_ranked(run) ? std::to_string(i + 1) : "-"};
      if (has_point) row.push_back(point_text(outcomes_[i].task.point));
      row.push_back(run_name(run));
      if (differ) row.push_back(setting_of(run, "precision"));
      const bool is_known = std::isfinite(seconds);
      row.push_back(is_known ? format_seconds(seconds) : "unknown");
      if (!best.empty()) {
        row.push_back(run.cost && is_known
                          ? format_money(run.cost->rate.of(seconds), run.cost->rate.currency)
                          : "-");
        row.emplace_back(std::binary_search(best.begin(), best.end(), i) ? "*" : "");
      }
      if (has_energy)
        row.push_back(run.energy && is_known ? format_energy(run.training_j(seconds)) : "-");
      row.emplace_back(to_string(run.input_grade));
      table.add_row(std::move(row));
    }
    table.print_whole(out_, look_);
    if (!best.empty()) out_ << "\n  *: nothing is as fast and as cheap.\n";
  }

  void show_remarks() const {
    Remarks notes;
    Remarks problems;
    for (const ForecastOutcome& outcome : outcomes_) {
      const std::string place = point_text(outcome.task.point);
      const std::string& strategy = outcome.task.strategy;
      problems.expect(strategy, place);
      for (const std::string& problem : outcome.problems) problems.add(problem, strategy, place);
      if (!outcome.run) continue;
      notes.expect(strategy, place);
      for (const std::string& note : outcome.run->notes) notes.add(note, strategy, place);
      if (!is_ranked(*outcome.run)) notes.add(why_not_ranked(*outcome.run), strategy, place);
    }
    if (!notes.empty() || !problems.empty()) out_ << '\n';
    notes.print(out_);
    problems.with_one_for_each_flag().print(out_, "not forecast: ");
  }

  std::ostream& out_;
  RankBy by_;
  TableLook look_;
  std::vector<ForecastOutcome> outcomes_;
};

}  // namespace

RankBy rank_by_from(const std::string& text) {
  if (text == "time") return RankBy::time;
  if (text == "cost") return RankBy::cost;
  if (text == "energy") return RankBy::energy;
  throw UserError("--rank-by: got \"" + text + "\"; expected time, cost or energy");
}

void rank(std::vector<ForecastOutcome>& outcomes, RankBy by) {
  const bool has_run = std::any_of(
      outcomes.begin(), outcomes.end(), [](const ForecastOutcome& outcome) { return outcome.run; });
  if (!has_run) return;  // the reason is reported elsewhere
  if (by == RankBy::cost) check_has_costs(outcomes);
  if (by == RankBy::energy) check_has_energy(outcomes);
  std::stable_sort(
      outcomes.begin(), outcomes.end(), [&](const ForecastOutcome& a, const ForecastOutcome& b) {
        const bool is_behind_a = a.run && !is_ranked(*a.run);
        const bool is_behind_b = b.run && !is_ranked(*b.run);
        if (a.run && b.run && is_behind_a != is_behind_b) return is_behind_b;
        return value_of(a, by) < value_of(b, by);
      });
}

std::unique_ptr<ForecastWriter> ranking_writer(std::unique_ptr<ForecastWriter> writer, RankBy by) {
  return std::make_unique<RankingWriter>(std::move(writer), by);
}

std::unique_ptr<ForecastWriter> ranking_table(std::ostream& out, RankBy by, const TableLook& look) {
  return std::make_unique<RankingTable>(out, by, look);
}

}  // namespace epochcast
