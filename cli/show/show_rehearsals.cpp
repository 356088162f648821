// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_rehearsals.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/units.hpp"
#include "cli/show/table.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

std::string loss_text(const Spread& loss, std::size_t seeds) {
  const std::string mean = fmt::format("{:.4f}", loss.mean);
  return seeds == 1 ? mean : mean + fmt::format(" ± {:.4f}", loss.deviation);
}

std::string target_text(const CurveSummary& job) {
  if (!job.to_target_s) return "not reached";
  std::string text = format_seconds(job.to_target_s->mean);
  if (job.reached < job.seeds)
    text += " (" + std::to_string(job.reached) + " of " + std::to_string(job.seeds) + " seeds)";
  return text;
}

/// The baseline of the others: sync if present, else the first.
const CurveSummary& baseline_of(const CurveComparison& comparison) {
  const auto sync = std::find_if(comparison.jobs.begin(),
                                 comparison.jobs.end(),
                                 [](const CurveSummary& job) { return job.name == "sync"; });
  return sync == comparison.jobs.end() ? comparison.jobs.front() : *sync;
}

}  // namespace

std::string samples_text(double samples) {
  return samples < 1e6 ? fmt::format("{:.0f}", samples)
                       : fmt::format("{:.4g} million", samples / 1e6);
}

std::string name_of(const RehearsalOutcome& outcome) {
  const std::string& point = outcome.task.point;
  return outcome.task.config.strategy + (point.empty() ? "" : ", " + point);
}

std::string origin_text(const std::vector<RehearsalOutcome>& outcomes) {
  using Origin = RehearsalOutcome::Origin;
  const auto any = [&](Origin origin) {
    return std::ranges::any_of(
        outcomes, [&](const RehearsalOutcome& outcome) { return outcome.origin == origin; });
  };
  if (any(Origin::learned)) {
    const std::string& reason = outcomes.front().reason_to_learn;
    return "learned now" + (reason.empty() ? "" : ": " + reason);
  }
  return any(Origin::timed) ? "learned earlier, timed now" : "learned and timed earlier";
}

void show_origins(const std::vector<RehearsalOutcome>& outcomes, std::size_t seeds) {
  std::map<std::string, std::string> jobs;  // by their origin
  for (std::size_t first = 0; first < outcomes.size(); first += seeds) {
    const auto begin = outcomes.begin() + static_cast<std::ptrdiff_t>(first);
    const std::string origin = origin_text({begin, begin + static_cast<std::ptrdiff_t>(seeds)});
    // Usual values need no line.
    if (origin == "learned now" || origin == "learned and timed earlier") continue;
    std::string& names = jobs[origin];
    names += (names.empty() ? "" : "; ") + name_of(outcomes[first]);
  }
  for (const auto& [origin, names] : jobs) {
    std::string text = origin;
    text[0] = 'L';
    std::cout << text << " (" << names << ").\n";
  }
}

std::vector<SeededCurves> curves_by_job(const std::vector<RehearsalOutcome>& outcomes,
                                        std::size_t seeds) {
  std::vector<SeededCurves> jobs;
  for (std::size_t first = 0; first < outcomes.size(); first += seeds) {
    SeededCurves job = {.name = name_of(outcomes[first]), .curves = {}};
    for (std::size_t i = first; i < first + seeds; ++i) {
      if (!outcomes[i].curve.empty()) job.curves.push_back(outcomes[i].curve);
    }
    const std::optional<RunResult>& run = outcomes[first].run;
    if (run && run->cost) job.running.price = run->cost->rate;
    if (run && run->energy) job.running.power_w = run->training_j(1);
    if (!job.curves.empty()) jobs.push_back(std::move(job));
  }
  return jobs;
}

void show_rehearsal_table(const std::vector<SeededCurves>& jobs,
                          const std::optional<LearningTarget>& target,
                          const TableLook& look) {
  const CurveComparison comparison = compare(jobs, target);
  const CurveSummary& baseline = baseline_of(comparison);
  const bool has_many = comparison.jobs.size() > 1;
  Table table;
  table.add_column("job");
  std::vector<std::string> titles = {"epochs", "s/epoch", "time", "samples", "sent", "test loss"};
  if (baseline.metric != Metric::loss)
    titles.push_back("test " + std::string(to_string(baseline.metric)));
  titles.emplace_back("best (epoch)");
  if (has_many) {
    titles.push_back("per sample vs " + baseline.name);
    titles.push_back("after " + samples_text(comparison.samples) + " samples");
    titles.push_back("after " + format_seconds(comparison.seconds));
  }
  if (target) titles.push_back("time to " + target->text());
  if (target && has_many) titles.push_back("to it vs " + baseline.name);
  const auto any_has = [&](std::optional<Spread> (CurveSummary::*figure)() const) {
    return std::any_of(comparison.jobs.begin(),
                       comparison.jobs.end(),
                       [&](const CurveSummary& job) { return (job.*figure)().has_value(); });
  };
  const bool has_cost = any_has(&CurveSummary::to_target_cost);
  const bool has_energy = any_has(&CurveSummary::to_target_j);
  if (has_cost) titles.emplace_back("cost to it");
  if (has_energy) titles.emplace_back("energy to it");
  for (const std::string& title : titles) table.add_column(title, Table::Align::right);
  for (const CurveSummary& job : comparison.jobs) {
    std::vector<std::string> cells = {job.name,
                                      fmt::format("{:.4g}", job.epochs),
                                      format_seconds(job.training_s / job.epochs),
                                      format_seconds(job.training_s),
                                      samples_text(job.samples),
                                      format_bytes(job.bytes_sent),
                                      loss_text(job.test_loss, job.seeds)};
    const auto text = [&](const Spread& values) {
      return spread_text(job.metric, values, job.seeds == 1);
    };
    if (baseline.metric != Metric::loss) cells.push_back(text(job.test));
    cells.push_back(text(job.best) + fmt::format(" ({:.3g})", job.best_epoch));
    if (has_many) {
      cells.push_back(fmt::format("{:.2f}x", baseline.sample_s() / job.sample_s()));
      cells.push_back(text(job.at_samples));
      cells.push_back(text(job.at_seconds));
    }
    if (target) cells.push_back(target_text(job));
    if (target && has_many) {
      cells.push_back(
          job.to_target_s && baseline.to_target_s
              ? fmt::format("{:.2f}x", baseline.to_target_s->mean / job.to_target_s->mean)
              : "-");
    }
    const auto cost = job.to_target_cost();
    const auto energy_j = job.to_target_j();
    if (has_cost)
      cells.push_back(cost ? format_money(cost->mean, job.running.price->currency) : "-");
    if (has_energy) cells.push_back(energy_j ? format_energy(energy_j->mean) : "-");
    table.add_row(std::move(cells));
  }
  table.print_whole(std::cout, look);
  std::cout << "\nTime is that of the simulated cluster, without start-up and tests; training was "
               "real.";
  if (comparison.jobs.front().seeds > 1)
    std::cout << " Means ± standard deviations over " << comparison.jobs.front().seeds << " seeds.";
  if (has_many) {
    std::cout << "\nEpochs may differ in samples and seconds: the columns `after` have every job's "
                 "test "
              << to_string(baseline.metric)
              << " where the\nfirst of them ended, by samples trained on and by seconds, "
                 "interpolated between epochs.";
  }
  std::cout << '\n';
}

void show_rehearsal_json(const std::vector<RehearsalOutcome>& outcomes,
                         const std::vector<SeededCurves>& jobs,
                         const std::optional<LearningTarget>& target,
                         const std::string& command) {
  Json all = Json::array();
  for (const RehearsalOutcome& outcome : outcomes) {
    all.push_back({{"point", outcome.task.point},
                   {"seed", outcome.task.config.seed},
                   {"run", outcome.run ? to_json(*outcome.run) : Json()},
                   {"curve", to_json(outcome.curve)},
                   {"problems", outcome.problems}});
  }
  const Json document =
      result_document(kRehearsalsSchema,
                      {{"rehearsals", std::move(all)},
                       {"comparison", jobs.empty() ? Json() : to_json(compare(jobs, target))}},
                      {.command = command});
  std::cout << document.dump(2) << '\n';
}

void show_rehearsal_csv(const std::vector<RehearsalOutcome>& outcomes) {
  constexpr std::array kColumns = {"epoch",
                                   "epoch_s",
                                   "training_s",
                                   "samples",
                                   "bytes_sent",
                                   "learning_rate",
                                   "train_loss",
                                   "train_accuracy",
                                   "test_loss",
                                   "test_accuracy",
                                   "test_perplexity",
                                   "discriminator_loss",
                                   "generator_loss"};
  std::cout << "job,seed";
  for (const char* column : kColumns) std::cout << ',' << column;
  std::cout << '\n';
  for (const RehearsalOutcome& outcome : outcomes) {
    std::string name = name_of(outcome);
    std::replace(name.begin(), name.end(), '"', '\'');
    for (const CurvePoint& point : outcome.curve) {
      std::cout << '"' << name << "\"," << outcome.task.config.seed;
      const Json values = to_json(point);
      for (const char* column : kColumns) {
        const Json value = values.value(column, Json());
        std::cout << ',' << (value.is_null() ? std::string() : value.dump());
      }
      std::cout << '\n';
    }
  }
}

}  // namespace epochcast
