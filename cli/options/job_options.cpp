// SPDX-License-Identifier: Apache-2.0
#include "cli/options/job_options.hpp"

#include <boost/program_options.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/json/json_input.hpp"
#include "base/text/suggest.hpp"
#include "core/job/experiment.hpp"
#include "core/job/job.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/other_names.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace po = boost::program_options;
namespace {

/// Settings with two values need no value on the command line: `--deterministic` is
/// `--deterministic on`.
bool is_switch(const Setting& setting) { return setting.value_name == "on|off"; }

}  // namespace

po::options_description setting_options(Command command) {
  po::options_description options("The job (each is also a key of an experiment file)", 110, 60);
  for (const Setting& setting : all_settings().of(command)) {
    auto* value = po::value<std::string>()->value_name(std::string(setting.value_name));
    if (is_switch(setting)) value->implicit_value("on");
    options.add_options()(
        std::string(setting.name).c_str(), value, std::string(setting.help).c_str());
  }
  return options;
}

po::options_description common_options() {
  po::options_description options("How", 110, 60);
  options.add_options()("experiment",
                        po::value<std::string>()->value_name("FILE"),
                        "settings from a JSON file; flags override it")(
      "set",
      po::value<std::vector<std::string>>()->value_name("NAME=VALUE"),
      "one setting; overrides the experiment file")(
      "format",
      po::value<std::string>()->default_value("table")->value_name("table|json|csv"),
      "of the result on stdout")("help,h", "this text");
  return options;
}

po::variables_map parse_flags(const std::string& command,
                              const std::vector<std::string>& arguments,
                              const po::options_description& options,
                              const std::string& positional) {
  // Words without an option are an argument, or an error.
  po::options_description all;
  all.add(options);
  const std::string words = positional.empty() ? "word" : positional;
  if (positional.empty()) all.add_options()("word", po::value<std::vector<std::string>>());
  const po::positional_options_description positions =
      po::positional_options_description().add(words.c_str(), -1);
  std::vector<std::string> known;
  for (const auto& option : options.options()) known.push_back("--" + option->long_name());
  try {
    po::variables_map values;
    const auto style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::command_line_parser parser(arguments);
    const auto parsed = parser.options(all).style(style).positional(positions).run();
    for (const auto& option : parsed.options) {
      if (positional.empty() && option.string_key == words)
        throw UserError("got \"" + option.value.front() + "\"; " + command +
                        " takes options only, each with two dashes; `epochcast " + command +
                        " --help` lists them");
      for (const std::string& value : option.value)
        check_plain_text(value, option.position_key < 0 ? "--" + option.string_key : positional);
    }
    po::store(parsed, values);
    return values;
  } catch (const po::unknown_option& error) {
    const std::string answer = answer_to_other_setting(error.get_option_name());
    throw UserError(answer.empty() ? unknown_option(error.get_option_name(), known)
                                   : error.get_option_name() + ": " + answer);
  } catch (const po::multiple_occurrences& error) {
    throw UserError(error.get_option_name() + ": given more than once");
  } catch (const po::invalid_command_line_syntax& error) {
    if (error.kind() != po::invalid_syntax::missing_parameter) throw UserError(error.what());
    throw UserError(error.get_option_name() + ": its value is missing");
  } catch (const po::error& error) {
    throw UserError(error.what());
  }
}

JobConfig config_from(Command command, const po::variables_map& values) {
  JobConfig config;
  if (values.count("experiment") > 0) {
    const auto file = values["experiment"].as<std::string>();
    if (file.empty()) throw UserError("--experiment: got \"\"; expected the name of a file");
    apply_experiment(config, all_settings(), read_json_file(file), file);
  }
  std::vector<std::string> problems;
  const auto apply =
      [&](const std::string& name, const std::string& value, const std::string& origin) {
        try {
          all_settings().check_counts(name, command, origin);
          all_settings().set(config, name, value, origin);
        } catch (const UserError& error) {
          problems.emplace_back(error.what());
        }
      };
  // A preset first: settings that are given count more.
  for (const bool is_preset : {true, false}) {
    for (const Setting& setting : all_settings().of(command)) {
      const std::string name(setting.name);
      if ((name == "like") == is_preset && values.count(name) > 0)
        apply(name, values[name].as<std::string>(), "--" + name);
    }
  }
  if (values.count("set") > 0) {
    try {
      apply_assignments(config, command, values["set"].as<std::vector<std::string>>());
    } catch (const UserError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw UserError(problems);
  check_strategies_have_settings(config);
  for (const Setting& setting : all_settings().of(command)) {
    const std::string name(setting.name);
    if (values.count(name) > 0) all_settings().check_counts_in(config, name, command, "--" + name);
  }
  if (values.count("set") > 0) {
    for (const auto& assignment : values["set"].as<std::vector<std::string>>()) {
      const std::string name = assignment.substr(0, assignment.find('='));
      all_settings().check_counts_in(config, name, command, "--set " + name);
    }
  }
  return config;
}

void apply_assignments(JobConfig& config,
                       Command command,
                       const std::vector<std::string>& assignments) {
  std::vector<std::string> problems;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      problems.push_back("--set: got \"" + assignment +
                         "\"; expected a setting and its value, such as batch=64");
      continue;
    }
    const std::string name = assignment.substr(0, equals);
    try {
      all_settings().check_counts(name, command, "--set " + name);
      all_settings().set(config, name, assignment.substr(equals + 1), "--set " + name);
    } catch (const UserError& error) {
      problems.emplace_back(error.what());
    }
  }
  if (!problems.empty()) throw UserError(problems);
}

Format format_from(const po::variables_map& values) {
  const auto format = values["format"].as<std::string>();
  if (format == "json") return Format::json;
  if (format == "csv") return Format::csv;
  if (format == "table") return Format::table;
  throw UserError("--format: " + unknown_name("format", format, {"table", "json", "csv"}));
}

po::options_description show_option() {
  po::options_description options("Text", 110, 60);
  options.add_options()("show",
                        po::value<std::string>()->value_name("pytorch"),
                        "also what to write in PyTorch to train so");
  return options;
}

bool shows_pytorch(const po::variables_map& values) {
  if (values.count("show") == 0) return false;
  const auto what = values["show"].as<std::string>();
  if (what != "pytorch") throw UserError("--show: got \"" + what + "\"; expected pytorch");
  if (format_from(values) != Format::table)
    throw UserError("--show: adds text to tables; expected --format table");
  return true;
}

std::string file_from(const po::variables_map& values, const std::string& option) {
  if (values.count(option) == 0) return {};
  auto file = values[option].as<std::string>();
  if (file.empty()) throw UserError("--" + option + ": got \"\"; expected the name of a file");
  return file;
}

OutputFile output_from(const po::variables_map& values, const std::string& option) {
  return OutputFile(file_from(values, option));
}

std::vector<std::filesystem::path> inputs_of(const po::variables_map& values,
                                             const JobConfig& config) {
  const std::filesystem::path root = Catalog::standard().root();
  std::vector<std::filesystem::path> inputs = {root / "models",
                                               root / "traces",
                                               config.platform,
                                               config.network,
                                               config.dataset,
                                               config.learning.data,
                                               config.learning.pretrained};
  inputs.insert(inputs.end(), config.traces.begin(), config.traces.end());
  if (values.count("experiment") > 0) inputs.emplace_back(values["experiment"].as<std::string>());
  return inputs;
}

int seeds_from(const po::variables_map& values) {
  try {
    return parse_small_count(values["seeds"].as<std::string>(), 1);
  } catch (const UserError& error) {
    throw UserError(std::string("--seeds: ") + error.what());
  }
}

po::options_description target_options(const std::string& what) {
  po::options_description options("The target", 110, 60);
  const auto* word = "NUMBER";
  options.add_options()("target-accuracy",
                        po::value<std::string>()->value_name("SHARE"),
                        (what + " this test accuracy, such as 0.9 or 90%").c_str())(
      "target-loss",
      po::value<std::string>()->value_name(word),
      (what + " this test loss, or a lower one").c_str())(
      "target-perplexity",
      po::value<std::string>()->value_name(word),
      (what + " this test perplexity of a language model, or a lower one").c_str());
  return options;
}

std::optional<LearningTarget> target_from(const po::variables_map& values) {
  std::optional<LearningTarget> target;
  for (const Metric metric : {Metric::accuracy, Metric::loss, Metric::perplexity}) {
    const std::string flag = "target-" + std::string(to_string(metric));
    if (values.count(flag) == 0) continue;
    if (target) throw UserError("--" + flag + ": there is a target already; expected one");
    const std::string given = values[flag].as<std::string>();
    std::string text = given;
    const bool is_share = metric == Metric::accuracy;
    const bool is_percent = is_share && text.ends_with('%');
    if (is_percent) text.pop_back();
    constexpr double kAny = std::numeric_limits<double>::max();
    // A loss that a model returns may be negative, such as that of a log-likelihood.
    const double least = metric == Metric::perplexity ? 1 : is_share ? 0 : -kAny;
    const double most = is_percent ? 100 : is_share ? 1 : kAny;
    try {
      target = {.metric = metric,
                .value = parse_number(text, least, most, "") / (is_percent ? 100 : 1)};
    } catch (const UserError&) {
      throw UserError("--" + flag + ": got \"" + given + "\"; expected " +
                      (is_share                 ? "an accuracy such as 0.9 or 90%"
                       : metric == Metric::loss ? "a loss such as 1.5"
                                                : "a perplexity from 1, such as 30"));
    }
  }
  return target;
}

std::optional<double> seconds_from(const po::variables_map& values, const std::string& flag) {
  if (values.count(flag) == 0) return std::nullopt;
  try {
    return parse_positive(values[flag].as<std::string>(), Dimension::seconds);
  } catch (const UserError& error) {
    throw UserError("--" + flag + ": " + error.what());
  }
}

}  // namespace epochcast
