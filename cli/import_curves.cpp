// SPDX-License-Identifier: Apache-2.0
#include "cli/import_curves.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>

#include "analysis/import/curves/learning_log.hpp"
#include "base/error.hpp"
#include "base/json/json_text.hpp"
#include "base/text/shell_text.hpp"
#include "cli/help/command_help.hpp"
#include "cli/help/show_help.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/option_values.hpp"
#include "core/job/chosen_dataset.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

constexpr std::int64_t kMostBatch = 1 << 20;
constexpr std::int64_t kMostWorkers = 1 << 20;

/// The strategy's own settings that were given.
std::vector<SettingText> strategy_settings(const JobConfig& config, const Words& assignments) {
  const Strategy& strategy = find_strategy(config.strategy);
  std::vector<SettingText> settings;
  for (const SettingText& setting : all_settings().texts(config, in(Command::train))) {
    const bool is_given = std::ranges::any_of(
        assignments, [&](const std::string& word) { return word.starts_with(setting.name + "="); });
    if (!is_given) continue;
    if (!strategy.has(setting.name))
      throw UserError("--set " + setting.name + ": " + config.strategy +
                      " has no such setting; those of a curve are its strategy's");
    settings.push_back(setting);
  }
  return settings;
}

std::string meaning_text(const LoggedTests& logged) {
  std::string text = logged.result.name + " over " + logged.progress.name;
  if (logged.counts_from_zero) text += ", counted from 0";
  return text;
}

std::string best_text(const std::vector<MeasuredTest>& tests) {
  const Curve curve = timed_curve(tests, 0);
  const Metric metric = main_metric(curve);
  return std::string(to_string(metric)) + " " +
         metric_text(metric, value_of(best_of(curve, metric), metric).value_or(0));
}

}  // namespace

po::options_description import_curves_options() {
  po::options_description options("Curves of training elsewhere", 110, 60);
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("network", word("NAME|FILE"), "the network that was trained")(
      "dataset", word("NAME|FILE"), "on what: an epoch has its samples")(
      "strategy", word("NAME")->default_value("sync"), "how, from `list strategies`")(
      "batch", word("SAMPLES"), "of each worker")("workers", word("COUNT"), "that trained")(
      "set",
      po::value<Words>()->value_name("NAME=VALUE"),
      "a setting of the strategy, such as local-steps=8")(
      "x",
      word("NAME[=samples|epochs|steps]"),
      "the field that counts progress (default: by usual names; a step is one of all workers)")(
      "y",
      word("NAME[=accuracy|loss|perplexity]"),
      "the field with test results (default: by usual names)")(
      "machine", word("TEXT"), "where it was trained, in words")(
      "output", word("FILE"), "curves to write, for `choose --curves`")("help,h", "this text");
  return options;
}

int run_import_curves(const Words& arguments) {
  po::options_description known = import_curves_options();
  known.add_options()("file", po::value<Words>());
  const po::variables_map words = parse_flags("import curves", arguments, known, "file");
  if (words.count("help") > 0) {
    std::cout << "Usage: epochcast import curves FILE... [OPTIONS]\n\n"
                 "Logs of your own training (CSV, JSON lines, TensorBoard events, MLPerf logs)\n"
                 "become curves, which `epochcast choose --curves` times on other clusters.\n"
                 "A file for each seed.\n\n"
              << import_curves_options();
    return 0;
  }
  Words problems;
  OptionValues values(words, problems);
  const Words files = words.count("file") > 0 ? words["file"].as<Words>() : Words{};
  if (files.empty())
    values.add("FILE: missing; expected a log: CSV, JSON lines, TensorBoard events or MLPerf's");
  for (const auto& [flag, what] : std::vector<std::pair<const char*, const char*>>{
           {"network", "the network that was trained"},
           {"dataset", "the data set that it was trained on"},
           {"batch", "samples of each worker's batch"},
           {"workers", "how many workers trained"},
           {"output", "the file of curves to write"}})
    if (!values.has(flag)) values.missing(flag, what);
  MeasuredCurves curves;
  if (values.has("batch")) curves.batch = values.integer("batch", 1, kMostBatch);
  if (values.has("workers")) curves.workers = values.integer("workers", 1, kMostWorkers);
  if (!problems.empty()) throw UserError(problems);
  const OutputFile output = output_from(words, "output");
  keep_apart({output}, {files.begin(), files.end()});
  const Catalog catalog = Catalog::standard();
  JobConfig config;
  config.network = values.text("network");
  config.dataset = values.text("dataset");
  config.strategy = std::string(find_strategy(values.text("strategy")).name);
  const Words assignments = words.count("set") > 0 ? words["set"].as<Words>() : Words{};
  apply_assignments(config, Command::train, assignments);
  const Dataset dataset = chosen_dataset(config, catalog);
  curves.network = std::filesystem::path(config.network).stem().string();
  if (!config.network.ends_with(".json") && !config.network.ends_with(".pt")) {
    static_cast<void>(catalog.find("models/networks", config.network, "--network"));
    curves.network = config.network;
  }
  curves.dataset = dataset.name;
  curves.strategy = config.strategy;
  curves.settings = strategy_settings(config, assignments);
  Words command = {"epochcast", "import", "curves"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  curves.source = {.grade = Grade::measured,
                   .machine = values.has("machine") ? values.text("machine") : "not stated",
                   .date = today_text(),
                   .command = shell_text(command)};
  const LogUnits units = {
      .epoch = static_cast<double>(dataset.train_samples),
      .step = static_cast<double>(curves.batch) * static_cast<double>(curves.workers)};
  for (const std::string& file : files) {
    const LoggedTests logged = tests_in(read_learning_log(file),
                                        file,
                                        {.progress = values.text("x"), .result = values.text("y")},
                                        units);
    std::cout << file << ": " << logged.tests.size() << " tests (" << meaning_text(logged)
              << "), best " << best_text(logged.tests) << '\n';
    curves.runs.push_back(logged.tests);
  }
  output.write(json_text(to_json(curves)));
  std::cout << "wrote " << output.name().string() << '\n';
  return 0;
}

}  // namespace epochcast
