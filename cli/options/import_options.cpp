// SPDX-License-Identifier: Apache-2.0
#include "cli/options/import_options.hpp"

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/json/json_input.hpp"
#include "base/text/plain_text.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/option_values.hpp"
#include "core/formats/network_file.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/described_model.hpp"
#include "core/job/setting_text.hpp"
#include "core/source.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

using Words = std::vector<std::string>;

constexpr std::int64_t kLargestBatch = std::int64_t{1} << 40;
constexpr std::int64_t kMostSkipped = std::int64_t{1} << 40;
constexpr std::int64_t kMostRanks = 1 << 20;
constexpr std::int64_t kUsualSamples = 100'000;
/// Settings of samples, which the records already contain.
constexpr std::array kDatasetFlags = {"sequence", "image-size"};
/// Settings of the forecast with own flags; --set has all others.
constexpr std::array kForecastFlags = {
    "platform", "strategy", "epochs", "train-samples", "all-reduce"};

po::options_description described_options() {
  po::options_description options("Options", 110, 60);
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto add = [&](const char* name, const po::value_semantic* value, const char* help) {
    options.add_options()(name, value, help);
  };
  add("network", word("NAME"), "the network that was trained: a name (`list networks`) or a file");
  add("dataset", word("NAME"), "the data set, for the samples' shape: a name, a file or a folder");
  add("input", word("SHAPE"), "the samples' shape instead, such as 3x32x32");
  for (const Setting& setting : all_settings().of(Command::simulate)) {
    if (std::ranges::find(kDatasetFlags, setting.name) != kDatasetFlags.end())
      add(std::string(setting.name).c_str(),
          word(std::string(setting.value_name).c_str()),
          std::string(setting.help).c_str());
  }
  add("batch", word("COUNT"), "samples per rank and iteration, unless a CSV column has it");
  add("device", word("NAME"), "the device that computed, by its name in platforms (`model`)");
  add("device-name", word("NAME"), "the same, as `measure` and `calibrate` call it");
  add("precision",
      word("NAME")->default_value("float32"),
      "what the job computed in: float32, tf32, float16 or bfloat16 (autocast)");
  add("machine", word("TEXT"), "the machine, for the trace's source: \"AMD EPYC, 2 cores, KVM\"");
  add("output", word("FILE"), "cost trace to write (with --forecast: optional)");
  add("append", word("FILE"), "cost trace to add to (or to create), instead of --output");
  add("messages-output", word("FILE"), "message trace to write with the all-reduces");
  add("title", word("TEXT"), "the traces' title");
  add("date", word("YYYY-MM-DD"), "day of the job (default: from the profile, or the file's)");
  add("skip", word("COUNT")->default_value("1"), "first iterations of each rank to leave out");
  add("iteration-time",
      word("TIME"),
      "time of an iteration without the profiler, such as 310ms: computing is scaled to it "
      "(default: the profiler's cost is counted)");
  add("ranks-per-node",
      word("COUNT"),
      "so many ranks after one another share a node (0: all; default: all, with --forecast 1)");
  add("time-column", word("NAME"), "CSV: the column of times, if its name is not a usual one");
  add("time-unit", word("s|ms|us|ns"), "CSV: its unit, if its name does not contain it");
  options.add_options()("help,h", "this text");
  return options;
}

po::options_description forecast_options() {
  po::options_description options("Forecast what the job would do on other clusters", 110, 60);
  options.add_options()("forecast",
                        po::value<Words>()->value_name("NAME=V1,V2,..."),
                        "forecast every strategy for these numbers of nodes (nodes=2,4,8), or "
                        "other values of a setting; several multiply");
  for (const Setting& setting : all_settings().of(Command::simulate)) {
    if (std::ranges::find(kForecastFlags, setting.name) == kForecastFlags.end()) continue;
    std::string help(setting.help);
    if (setting.name == "platform")
      help += " (default: nodes like those of the job, links as its all-reduces show them)";
    if (setting.name == "train-samples")
      help += ", or so many without --dataset (default: " + std::to_string(kUsualSamples) + ")";
    options.add_options()(std::string(setting.name).c_str(),
                          po::value<std::string>()->value_name(std::string(setting.value_name)),
                          help.c_str());
  }
  options.add_options()("set",
                        po::value<Words>()->value_name("NAME=VALUE"),
                        "one of the other settings of `simulate`, such as overlap=bucket")(
      "format",
      po::value<std::string>()->default_value("table")->value_name("table|json|csv"),
      "of the forecast on stdout");
  return options;
}

/// "3x32x32", or "3,32,32", the syntax of `describe`.
std::vector<std::int64_t> parse_shape(std::string text) {
  std::replace(text.begin(), text.end(), ',', 'x');
  std::vector<std::int64_t> shape;
  if (!std::regex_match(text, std::regex("[1-9][0-9]{0,8}(x[1-9][0-9]{0,8}){0,3}"))) return shape;
  for (const std::string& size : split(text, 'x')) shape.push_back(std::stoll(size));
  return shape;
}

/// Runs the call; adds the message of a UserError to the problems.
template <typename Call>
void collecting(Words& problems, Call call) {
  try {
    call();
  } catch (const UserError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  }
}

/// The shape of samples in a network's description, if it is for one shape only.
std::vector<std::int64_t> sole_input_of(const std::filesystem::path& file) {
  if (is_model_file(file)) return {};
  Problems problems(file.string());
  const NetworkFile network = read_network_file(read_json_file(file), problems);
  problems.throw_if_any();
  return network.variants.size() == 1 ? network.variants.front().input
                                      : std::vector<std::int64_t>{};
}

/// Network and data set, checked against each other. Samples of --input have no data set: a
/// substitute of their shape is made.
Dataset read_network(OptionValues& values,
                     const Catalog& catalog,
                     ImportOptions& options,
                     Words& problems) {
  Dataset dataset;
  std::filesystem::path file;
  if (values.has("network")) {
    collecting(problems, [&] {
      file = catalog.find("models/networks", values.text("network"), "--network");
    });
  }
  if (values.has("input") && values.has("dataset")) {
    values.add("--input: expected either this or --dataset, got both");
  } else if (values.has("input")) {
    dataset = dataset_of_shape(parse_shape(values.text("input")));
    if (dataset.shape.empty())
      values.expected("input", values.text("input"), "a shape such as 3x32x32");
  } else if (values.has("dataset")) {
    collecting(problems, [&] {
      JobConfig config;
      config.dataset = values.text("dataset");
      for (const char* flag : kDatasetFlags) {
        if (values.has(flag))
          all_settings().set(config, flag, values.text(flag), std::string("--") + flag);
      }
      dataset = chosen_dataset(config, catalog);
    });
  } else {
    if (!file.empty())
      collecting(problems, [&] { dataset = dataset_of_shape(sole_input_of(file)); });
    if (dataset.shape.empty())
      values.add("--dataset: missing; expected a data set, or --input with the samples' shape");
  }
  for (const char* flag : kDatasetFlags) {
    if (values.has(flag) && !values.has("dataset"))
      values.add("--" + std::string(flag) + ": is for --dataset; expected that, too");
  }
  if (!values.has("network")) values.missing("network", "the network that was trained");
  if (file.empty() || dataset.shape.empty()) return dataset;
  collecting(problems, [&] { options.network = network_in(file, dataset); });
  options.settings.input = dataset.shape;
  return dataset;
}

/// The options of --forecast, if given; else flags that require it are
/// problems.
void read_forecast(OptionValues& values,
                   const po::variables_map& words,
                   Dataset dataset,
                   ImportOptions& options,
                   Words& problems) {
  if (!values.has("forecast")) {
    const auto refuse = [&](const std::string& flag) {
      if (values.has(flag))
        values.add("--" + flag + ": is for --forecast; expected that, too, as in nodes=2,4,8");
    };
    for (const char* flag : kForecastFlags) refuse(flag);
    refuse("set");
    if (values.text("format") != "table") refuse("format");
    return;
  }
  ForecastRequest& request = options.forecast.emplace();
  request.axes = words["forecast"].as<Words>();
  request.are_nodes_given = values.has("ranks-per-node");
  JobConfig& config = request.config;
  config.network = values.text("network");  // possibly a model file
  config.batch = 0;
  for (const char* flag : kForecastFlags) {
    if (!values.has(flag)) continue;
    collecting(problems, [&] {
      all_settings().set(config, flag, values.text(flag), std::string("--") + flag);
    });
  }
  if (values.has("set")) {
    const auto assignments = words["set"].as<Words>();
    for (const std::string& assignment : assignments) {
      for (const char* flag : kDatasetFlags) {
        if (assignment.starts_with(std::string(flag) + "="))
          values.add("--set " + std::string(flag) + ": is a flag here; expected --" + flag);
      }
    }
    collecting(problems, [&] { apply_assignments(config, Command::simulate, assignments); });
  }
  collecting(problems, [&] { request.format = format_from(words); });
  const std::optional<std::int64_t>& samples = config.learning.train_samples;
  request.are_samples_given = samples || values.has("dataset");
  if (!values.has("dataset")) dataset.train_samples = samples.value_or(kUsualSamples);
  if (samples && *samples > dataset.train_samples)
    values.expected("train-samples",
                    std::to_string(*samples),
                    "at most the " + std::to_string(dataset.train_samples) + " of the data set");
  else if (samples)
    dataset.train_samples = *samples;
  request.dataset = std::move(dataset);
}

void read_files(OptionValues& values, const Words& files, ImportOptions& options, Words& problems) {
  if (files.empty()) values.add("FILE: missing; expected profiles (JSON) or a table (CSV)");
  for (const std::string& file : files) options.settings.files.emplace_back(file);
  options.is_append = values.has("append");
  const bool is_any = values.has("output") || options.is_append;
  if (!is_any && values.has("forecast")) {
    // Nothing is written.
  } else if (values.has("output") == options.is_append) {
    values.add(options.is_append ? "--append: expected either this or --output, got both"
                                 : "--output: missing; expected a cost trace to write");
  } else {
    const std::filesystem::path file =
        values.file_to_write(options.is_append ? "append" : "output");
    collecting(problems, [&] { options.output = OutputFile(file); });
  }
  collecting(problems, [&] {
    options.messages_output = OutputFile(values.text("messages-output"));
    keep_apart({options.output, options.messages_output}, options.settings.files);
  });
}

void read_source(OptionValues& values, ImportOptions& options) {
  const auto required = [&](const char* name, const char* what) {
    if (values.text(name).empty()) values.missing(name, what);
    return values.text(name);
  };
  if (values.has("device") && values.has("device-name"))
    values.add("--device-name: is the same as --device; expected one of them, got both");
  const char* const flag = values.has("device-name") ? "device-name" : "device";
  options.device = required(flag, "the device that computed, as platforms call it");
  if (!options.device.empty() && !is_name(options.device))
    values.expected(flag, options.device, kExpectedName);
  // A trace that is written must name its origin.
  const bool is_kept = values.has("output") || values.has("append") ||
                       values.has("messages-output") || !values.has("forecast");
  options.machine = is_kept ? required("machine", "the machine that the job ran on, in words")
                            : values.text("machine");
  options.title = values.text("title");
  options.date = values.text("date");
  if (values.has("date") && !is_date(options.date))
    values.expected("date", options.date, "a day such as 2026-11-21");
}

}  // namespace

ImportOptions parse_import_options(const Words& arguments, const Catalog& catalog) {
  po::options_description known = described_options();
  known.add(forecast_options()).add_options()("file", po::value<Words>());
  const po::variables_map words = parse_flags("import", arguments, known, "file");
  ImportOptions options;
  Words problems;
  OptionValues values(words, problems);
  read_files(
      values, words.count("file") > 0 ? words["file"].as<Words>() : Words{}, options, problems);
  const Dataset dataset = read_network(values, catalog, options, problems);
  read_forecast(values, words, dataset, options, problems);
  read_source(values, options);
  ImportSettings& settings = options.settings;
  if (values.has("batch")) settings.batch = values.integer("batch", 1, kLargestBatch);
  settings.skip = values.integer("skip", 0, kMostSkipped);
  collecting(problems, [&] { settings.iteration_s = seconds_from(words, "iteration-time"); });
  collecting(problems, [&] {
    JobConfig config;
    all_settings().set(config, "precision", values.text("precision"), "--precision");
    options.precision = config.precision.value_or(Precision::float32);
  });
  settings.ranks_per_node = options.forecast ? 1 : 0;
  if (values.has("ranks-per-node"))
    settings.ranks_per_node = static_cast<int>(values.integer("ranks-per-node", 0, kMostRanks));
  settings.column = {.name = values.text("time-column"), .unit = values.text("time-unit")};
  if (!problems.empty()) throw UserError(problems);
  return options;
}

CommandHelp import_help() {
  return {.usage = "FILE... [OPTIONS]",
          .about =
              "FILE: what torch.profiler wrote (.json or .json.gz), one file per rank; or a CSV "
              "file with a header row and one row per iteration. With --forecast: what the job "
              "would do on more nodes. `import curves --help`: logs of learning, for `choose "
              "--curves`.",
          .groups = {help_group("Options", described_options()),
                     help_group("Forecast what the job would do on other clusters",
                                forecast_options())},
          .most_used = {"network",
                        "dataset",
                        "batch",
                        "device",
                        "device-name",
                        "machine",
                        "output",
                        "messages-output",
                        "forecast"},
          .examples = {"epochcast import rank0.json.gz rank1.json.gz --network resnet50 --dataset "
                       "imagenet --batch 64 --device v100-32gb --machine \"2 V100, NVLink\" "
                       "--output my-v100.json --messages-output my-nccl.json",
                       "epochcast import rank0.json.gz rank1.json.gz --network my-network.json "
                       "--device-name my-gpu --forecast nodes=2,4,8,16"}};
}

}  // namespace epochcast
