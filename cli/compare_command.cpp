// SPDX-License-Identifier: Apache-2.0
// `epochcast compare`: two results, platforms or experiments side by side.
#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analysis/compare/comparison.hpp"
#include "analysis/forecast/sweep.hpp"
#include "base/error.hpp"
#include "base/files/text_file.hpp"
#include "base/json/json_file.hpp"
#include "base/process/ending.hpp"
#include "base/text/shell_text.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/show_comparison.hpp"
#include "cli/show/table_style.hpp"
#include "core/job/setting_text.hpp"
#include "results/result_file.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

po::options_description bounds_of_comparison() {
  po::options_description options("Bounds: exit status 1 when B exceeds one", 110, 60);
  const auto share = [] { return po::value<std::string>()->value_name("SHARE"); };
  options.add_options()(
      "max-slower", share(), "most that B may take longer than A, such as 5% or 0.05")(
      "max-costlier", share(), "most that B may cost more")(
      "max-more-energy", share(), "most that B may draw more energy")(
      "max-more-bytes", share(), "most that B may send more");
  return options;
}

ComparisonBounds comparison_bounds_from(const po::variables_map& values) {
  std::vector<std::string> problems;
  const auto bound = [&](const char* name) -> std::optional<double> {
    if (values.count(name) == 0) return std::nullopt;
    try {
      return parse_share(values[name].as<std::string>());
    } catch (const UserError& error) {
      problems.push_back("--" + std::string(name) + ": " + error.what());
      return std::nullopt;
    }
  };
  const ComparisonBounds bounds = {.slower = bound("max-slower"),
                                   .costlier = bound("max-costlier"),
                                   .more_energy = bound("max-more-energy"),
                                   .more_bytes = bound("max-more-bytes")};
  if (!problems.empty()) throw UserError(problems);
  return bounds;
}

enum class InputKind { result, platform, experiment };

/// An input named by the user.
struct ComparedInput {
  std::string label;  ///< "A"
  std::string name;
  InputKind kind = InputKind::platform;
  fs::path file = {};
  OrderedJson document = {};  ///< of a result
};

ComparedInput input_named(const std::string& label,
                          const std::string& name,
                          const Catalog& catalog) {
  ComparedInput input = {.label = label, .name = name};
  input.file = catalog.find("models/platforms", name, label);
  if (input.file.extension() == ".xml") return input;
  const std::string text = read_text_file(input.file, kSamplesFile);
  const nlohmann::json checked = parse_json(text, input.file.string());
  const std::string schema =
      checked.is_object() && checked.contains("schema") && checked["schema"].is_string()
          ? checked["schema"].get<std::string>()
          : "";
  if (schema == kResultSchema) {
    input.kind = InputKind::result;
    input.document = OrderedJson::parse(text);
  } else if (schema == "epochcast.experiment/1") {
    input.kind = InputKind::experiment;
  } else if (schema != "epochcast.platform/1") {
    throw UserError(input.file.string() + ": /schema: got " +
                    (schema.empty() ? "none" : "\"" + schema + "\"") +
                    "; expected \"epochcast.result/1\" (simulate, emulate or train with --format "
                    "json), \"epochcast.platform/1\" or \"epochcast.experiment/1\"");
  }
  return input;
}

/// The flags that set a part of the job.
std::vector<std::string> job_flags(const po::variables_map& values) {
  std::vector<std::string> flags;
  for (const Setting& setting : all_settings().of(Command::simulate)) {
    if (values.count(std::string(setting.name)) > 0)
      flags.push_back("--" + std::string(setting.name));
  }
  for (const char* name : {"set", "experiment"}) {
    if (values.count(name) > 0) flags.push_back(std::string("--") + name);
  }
  return flags;
}

/// Throws for flags that contradict the inputs.
void check_flags(const std::vector<ComparedInput>& inputs, const po::variables_map& values) {
  const auto is_of = [&](InputKind kind) {
    return std::any_of(
        inputs.begin(), inputs.end(), [&](const auto& input) { return input.kind == kind; });
  };
  const std::vector<std::string> flags = job_flags(values);
  if (!flags.empty() && !is_of(InputKind::platform) && !is_of(InputKind::experiment))
    throw UserError(flags.front() +
                    ": A and B are results; settings are for platforms and "
                    "experiments, which are forecast");
  if (values.count("platform") > 0 && is_of(InputKind::platform))
    throw UserError("--platform: A or B is a platform itself");
  if (values.count("experiment") > 0 && is_of(InputKind::experiment))
    throw UserError("--experiment: A or B is an experiment itself");
  if (fs::equivalent(inputs[0].file, inputs[1].file))
    throw UserError("A and B are the same file, " + inputs[0].file.string() +
                    "; expected two to compare");
}

std::string problem_text(const std::string& strategy,
                         const std::string& point,
                         const std::vector<std::string>& problems) {
  std::string text = strategy + (point.empty() ? "" : ", " + point) + ":";
  for (const std::string& problem : problems) text += " " + problem;
  return text;
}

ComparedSide side_of_result(const ComparedInput& input) {
  const ResultFile file = read_results(input.document, input.file.string());
  ComparedSide side = {.name = input.name, .runs = file.runs};
  for (const NotForecast& missing : file.not_forecast)
    side.not_forecast.push_back(problem_text(missing.strategy, missing.point, missing.problems));
  return side;
}

/// The job of a platform or experiment with the flags.
JobConfig config_of(const ComparedInput& input, po::variables_map values) {
  const char* flag = input.kind == InputKind::platform ? "platform" : "experiment";
  values.insert({flag, po::variable_value(input.name, false)});
  return config_from(Command::simulate, values);
}

ComparedSide side_of_forecasts(const ComparedInput& input,
                               const po::variables_map& values,
                               const Catalog& catalog) {
  const JobConfig config = config_of(input, values);
  ComparedSide side = {.name = input.name};
  std::vector<std::string> problems;
  const auto outcomes = forecast_all(with_overlapped_sync(expand(config, {})), catalog);
  for (const ForecastOutcome& outcome : outcomes) {
    if (outcome.has_died) throw RunError(outcome.problems.front());
    if (outcome.run) {
      side.runs.push_back(*outcome.run);
      continue;
    }
    side.not_forecast.push_back(problem_text(outcome.task.strategy, {}, outcome.problems));
    for (const std::string& problem : outcome.problems) {
      if (std::find(problems.begin(), problems.end(), problem) == problems.end())
        problems.push_back(problem);
    }
  }
  if (side.runs.empty() || (!problems.empty() && config.strategy != "all"))
    throw UserError(problems);
  Platform platform = load_job(config, catalog).platform;
  if (platform.simgrid_xml.empty()) side.platform = std::move(platform);
  return side;
}

}  // namespace

CommandHelp compare_help() {
  CommandHelp help = {
      .usage = "A B [OPTIONS]",
      .about =
          "Two results (FILE, as --format json writes them), platforms or experiments: the "
          "biggest difference first.",
      .groups = {help_group("Bounds: exit status 1 when B exceeds one", bounds_of_comparison())},
      .most_used =
          {"max-slower", "max-costlier", "network", "dataset", "nodes", "strategy", "format"},
      .examples = {"epochcast compare monday.json friday.json --max-slower 5%",
                   "epochcast compare dgx-a100 dgx-h100 --nodes 4 --network resnet50 --dataset "
                   "imagenet"}};
  help.positional = {.name = "input",
                     .value = "FILE|PLATFORM",
                     .help = "a result, an experiment, or a platform from `list platforms`"};
  for (HelpGroup& group : setting_groups(Command::simulate))
    help.groups.push_back(std::move(group));
  help.groups.push_back(help_group("How", common_options().add(wide_option())));
  return help;
}

int run_compare(const std::vector<std::string>& arguments) {
  po::options_description shown;
  shown.add(bounds_of_comparison())
      .add(setting_options(Command::simulate))
      .add(common_options())
      .add(wide_option());
  po::options_description options;
  options.add(shown).add_options()("input", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_flags("compare", arguments, options, "input");
  const auto names = values.count("input") > 0 ? values["input"].as<std::vector<std::string>>()
                                               : std::vector<std::string>();
  if (names.size() != 2)
    throw UserError("compare: got " + std::to_string(names.size()) +
                    (names.size() == 1 ? " input" : " inputs") +
                    "; expected two results, platforms or experiments");
  const Format format = format_from(values);
  const ComparisonBounds bounds = comparison_bounds_from(values);
  const Catalog catalog = Catalog::standard();
  const std::vector<ComparedInput> inputs = {input_named("A", names[0], catalog),
                                             input_named("B", names[1], catalog)};
  check_flags(inputs, values);
  std::vector<ComparedSide> sides;
  sides.reserve(inputs.size());
  for (const ComparedInput& input : inputs)
    sides.push_back(input.kind == InputKind::result ? side_of_result(input)
                                                    : side_of_forecasts(input, values, catalog));
  const Comparison comparison = compare(sides[0], sides[1]);
  std::vector<std::string> command = {"epochcast", "compare"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (format == Format::table) show_comparison(std::cout, comparison, look_from(values));
  if (format == Format::csv) show_comparison_csv(std::cout, comparison);
  if (format == Format::json)
    std::cout << to_json(comparison, shell_text(command))
                     .dump(2, ' ', false, OrderedJson::error_handler_t::replace)
              << '\n';
  std::cout.flush();
  const std::vector<std::string> problems = exceeded(comparison, bounds);
  for (const std::string& problem : problems) std::cerr << "epochcast: " << problem << '\n';
  return status_of(problems.empty() ? Ending::done : Ending::failed);
}

}  // namespace epochcast
