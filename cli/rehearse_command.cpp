// SPDX-License-Identifier: Apache-2.0
// `epochcast rehearse`: learning curves on simulated clusters.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/curve_html.hpp"
#include "analysis/rehearsals.hpp"
#include "analysis/sweep.hpp"
#include "cli/commands.hpp"
#include "cli/job_options.hpp"
#include "cli/launch.hpp"
#include "cli/progress_bar.hpp"
#include "cli/rehearsal_options.hpp"
#include "cli/table.hpp"
#include "core/error.hpp"
#include "core/setting_text.hpp"
#include "core/shell_text.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

po::options_description own_options() {
  po::options_description options("The rehearsals", 110, 60);
  options.add_options()(
      "sweep",
      po::value<std::vector<std::string>>()->value_name("NAME=V1,V2,..."),
      "rehearse every value of a setting; several sweeps multiply (use ; between values that "
      "contain commas)")(
      "stop-after",
      po::value<std::string>()->value_name("TIME"),
      "end with the first epoch after which training has taken so long on the simulated clock")(
      "target-accuracy",
      po::value<std::string>()->value_name("SHARE"),
      "end with the first epoch that reaches this test accuracy, such as 0.9 or 90%; tell when "
      "that was")("html", po::value<std::string>()->value_name("FILE"), "write a page with plots");
  return options;
}

std::string percent(double share) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.2f %%", 100 * share);
  return text.data();
}

std::string loss(double value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%.4f", value);
  return text.data();
}

std::string name_of(const RehearsalOutcome& outcome) {
  const std::string& point = outcome.task.point;
  return outcome.task.config.strategy + (point.empty() ? "" : ", " + point);
}

void show_table(const std::vector<RehearsalOutcome>& outcomes,
                const std::optional<double>& target) {
  Table table;
  table.add_column("job");
  for (const char* title : {"epochs", "s/epoch", "time", "sent", "test loss", "test accuracy"})
    table.add_column(title, Table::Align::right);
  if (target) table.add_column("time to " + percent(*target), Table::Align::right);
  for (const RehearsalOutcome& outcome : outcomes) {
    if (outcome.curve.empty()) continue;
    const CurvePoint& last = outcome.curve.back();
    std::vector<std::string> cells = {
        name_of(outcome),
        std::to_string(last.epoch),
        format_seconds(last.training_s / static_cast<double>(last.epoch)),
        format_seconds(last.training_s),
        format_bytes(last.bytes_sent),
        loss(last.test_loss),
        last.test_accuracy ? percent(*last.test_accuracy) : "-"};
    if (target) {
      const auto reached_s = seconds_to(outcome.curve, *target);
      cells.push_back(reached_s ? format_seconds(*reached_s) : "not reached");
    }
    table.add_row(std::move(cells));
  }
  table.print(std::cout);
  std::cout << "\nTime is that of the simulated cluster, without start-up and tests; training was "
               "real.\n";
}

void show_json(const std::vector<RehearsalOutcome>& outcomes, const std::string& command) {
  Json all = Json::array();
  for (const RehearsalOutcome& outcome : outcomes) {
    Json one = {{"point", outcome.task.point}, {"run", nullptr}, {"curve", to_json(outcome.curve)}};
    if (outcome.run) one["run"] = to_json(*outcome.run);
    one["problems"] = outcome.problems;
    all.push_back(std::move(one));
  }
  const Json document = {
      {"schema", "epochcast.rehearsals/1"},
      {"rehearsals", all},
      {"provenance", {{"program", "epochcast " EPOCHCAST_VERSION}, {"command", command}}}};
  std::cout << document.dump(2) << '\n';
}

void show_csv(const std::vector<RehearsalOutcome>& outcomes) {
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
                                   "discriminator_loss",
                                   "generator_loss"};
  std::cout << "job";
  for (const char* column : kColumns) std::cout << ',' << column;
  std::cout << '\n';
  for (const RehearsalOutcome& outcome : outcomes) {
    for (const CurvePoint& point : outcome.curve) {
      std::string name = name_of(outcome);
      std::replace(name.begin(), name.end(), '"', '\'');
      std::cout << '"' << name << '"';
      const Json values = to_json(point);
      for (const char* column : kColumns) {
        const Json value = values.value(column, Json());
        std::cout << ',' << (value.is_null() ? std::string() : value.dump());
      }
      std::cout << '\n';
    }
  }
}

/// The problems of those that have no curve, each once. Throws when the user has to do something.
void report_problems(const std::vector<RehearsalOutcome>& outcomes) {
  std::vector<std::string> problems;
  bool is_bad_input = false;
  for (const RehearsalOutcome& outcome : outcomes) {
    for (const std::string& problem : outcome.problems) {
      std::string text = outcomes.size() > 1 ? name_of(outcome) + ": " + problem : problem;
      if (std::find(problems.begin(), problems.end(), text) == problems.end())
        problems.push_back(std::move(text));
    }
    is_bad_input = is_bad_input || outcome.is_bad_input;
  }
  if (problems.empty()) return;
  if (is_bad_input) throw UserError(problems);
  for (std::size_t i = 0; i + 1 < problems.size(); ++i)
    std::cerr << "epochcast: " << problems[i] << '\n';
  throw RunError(problems.back());
}

}  // namespace

int run_rehearse(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(setting_options(Command::rehearse))
      .add(own_options())
      .add(rehearsal_place_options())
      .add(common_options());
  const po::variables_map values = parse_flags("rehearse", arguments, options);
  if (values.count("help") > 0) {
    std::cout << "epochcast rehearse: train for real on a simulated clock: accuracy against the "
                 "seconds of a cluster that you do not have\n\n"
              << options
              << "\nExample: epochcast rehearse --platform deep-est-esb --nodes 8 --network "
                 "resnet20 --dataset cifar10\n  --data procedural --train-samples 8192 --epochs 4 "
                 "--strategy sync,local-sgd --html curves.html\n";
    return 0;
  }
  const Format format = format_from(values);
  const JobConfig config = config_from(Command::rehearse, values);
  std::vector<SweepAxis> axes;
  if (values.count("sweep") > 0) {
    for (const std::string& text : values["sweep"].as<std::vector<std::string>>())
      axes.push_back(parse_axis(text, Command::rehearse));
  }
  const std::optional<double> target = accuracy_from(values, "target-accuracy");
  const std::optional<double> stop_after_s = seconds_from(values, "stop-after");
  std::vector<RehearsalTask> tasks;
  for (const ForecastTask& task : expand(config, axes)) {
    tasks.push_back({.config = task.config,
                     .point = task.point,
                     .stop_after_s = stop_after_s,
                     .stop_at_accuracy = target});
    tasks.back().config.strategy = task.strategy;
  }
  const OutputFile page = output_from(values, "html");
  for (const RehearsalTask& task : tasks) keep_apart({page}, inputs_of(values, task.config));
  const RehearsalPlace place = rehearsal_place_from(values, config);
  std::vector<RehearsalOutcome> outcomes;
  {
    ProgressBar progress(std::cerr, isatty(STDERR_FILENO) != 0, "rehearsing", 1);
    outcomes = rehearse_all(tasks, place, Catalog::standard(), news_for(progress));
  }
  std::vector<std::string> words = {"epochcast", "rehearse"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string command = shell_text(words);
  const bool has_curve = std::any_of(
      outcomes.begin(), outcomes.end(), [](const auto& outcome) { return !outcome.curve.empty(); });
  if (format == Format::json) show_json(outcomes, command);
  if (format == Format::csv) show_csv(outcomes);
  if (format == Format::table && has_curve) show_table(outcomes, target);
  if (page.is_wanted() && has_curve) {
    std::vector<NamedCurve> curves;
    for (const RehearsalOutcome& outcome : outcomes)
      if (!outcome.curve.empty()) curves.push_back({name_of(outcome), outcome.curve});
    page.write(curve_html(
        curves, "Rehearsal of " + config.network + " on " + config.platform, command, target));
  }
  report_problems(outcomes);
  return 0;
}

}  // namespace epochcast
