// SPDX-License-Identifier: Apache-2.0
#include "cli/options/measure_options.hpp"

#include <algorithm>
#include <boost/program_options/options_description.hpp>
#include <cstdlib>
#include <map>
#include <regex>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/text/plain_text.hpp"
#include "base/text/suggest.hpp"
#include "cli/options/command_line.hpp"
#include "cli/options/measure_flags.hpp"
#include "cli/options/option_values.hpp"
#include "cli/options/sampling_options.hpp"
#include "collectives/registry.hpp"
#include "compression/compression.hpp"
#include "core/formats/network.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/device_precision.hpp"
#include "core/job/job_config.hpp"
#include "core/job/setting_text.hpp"
#include "core/source.hpp"
#include "real/torch/networks/network_names.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

using Words = std::vector<std::string>;

constexpr std::int64_t kLargestBatch = 1 << 20;
constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostRanks = 1 << 20;
constexpr const char* kProcedural = "procedural";
constexpr const char* kExpected = "--network, --batch, --output";

std::string device_class(const MeasureOptions& options) {
  return options.settings.device == "cpu" ? "cpu" : "gpu";
}

void read_networks(OptionValues& values, real::MeasureSettings& settings) {
  const Words known = real::network_names();
  settings.networks = values.list("network");
  if (settings.networks.empty()) values.missing("network", "a name such as " + known.front());
  for (const std::string& name : settings.networks) {
    if (is_model_file(name) || name.ends_with(".json")) continue;  // checked when it is loaded
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      values.add("--network: " + unknown_network(name, known));
    }
  }
}

void check_known_optimizer(const std::string& name) {
  const Words known = optimizer_names();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UserError("--optimizer: " + unknown_name("optimizer", name, known));
}

/// The settings of data and of learning.
JobConfig data_config(OptionValues& values) {
  JobConfig config;
  config.dataset = values.text("dataset");
  config.learning.data = values.text("data");
  for (const std::string name : {"sequence", "image-size", "loss", "optimizer", "clip-norm"}) {
    if (values.has(name)) all_settings().set(config, name, values.text(name), "--" + name);
  }
  check_known_optimizer(config.learning.optimizer.name);
  if (config.dataset.empty() && !describes_itself(config.learning.data)) config.dataset = "cifar10";
  config.learning.data = chosen_data(config);
  if (config.learning.data.empty()) config.learning.data = kProcedural;
  return config;
}

/// Returns the data set's name.
std::string read_dataset(OptionValues& values, const Catalog& catalog, MeasureOptions& options) {
  real::MeasureSettings& settings = options.settings;
  Dataset dataset;
  JobConfig config;
  try {
    config = data_config(values);
    options.inputs.push_back(dataset_place(config, catalog));
    dataset = chosen_dataset(config, catalog);
  } catch (const UserError& error) {
    for (const std::string& problem : error.problems()) values.add(problem);
    return {};
  }
  settings.input = dataset.shape;
  settings.classes = dataset.classes;
  settings.loss = config.learning.loss;
  settings.optimizer = config.learning.optimizer;
  settings.clip_norm = config.learning.clip_norm;
  const std::string& data = config.learning.data;
  if (data != kProcedural) options.inputs.emplace_back(data);
  settings.data_title =
      data == kProcedural ? "procedural samples" : "samples of " + dataset.name + " from files";
  try {
    settings.data = data == kProcedural ? real::procedural_data(dataset, settings.seed).train
                                        : real::open_data(dataset, data).train;
  } catch (const UserError& error) {
    values.add(std::string("--data: ") + error.what());
  }
  const std::string augment = values.text("augment");
  settings.augment = augment == "on";
  if (augment != "on" && augment != "off") values.expected("augment", augment, "on or off");
  return dataset.name;
}

void read_batches(OptionValues& values, real::MeasureSettings& settings) {
  settings.batches = values.integers("batch", 1, kLargestBatch);
  if (settings.batches.empty()) {
    values.missing("batch", "batch sizes such as 1,2,4");
    return;
  }
  std::sort(settings.batches.begin(), settings.batches.end());
  const auto last = std::unique(settings.batches.begin(), settings.batches.end());
  settings.batches.erase(last, settings.batches.end());
  settings.layers_batch = values.has("layers-batch")
                              ? values.integer("layers-batch", 0, kLargestBatch)
                              : settings.batches[settings.batches.size() / 2];
}

/// Called after the device is known.
void read_own_precision(OptionValues& values, real::MeasureSettings& settings) {
  try {
    JobConfig config;
    all_settings().set(config, "precision", values.text("precision"), "--precision");
    const Precision wanted = config.precision.value_or(Precision::float32);
    const DevicePrecision own = device_precision(wanted, settings.device);
    settings.precision = own.precision;
    settings.precision_note = own.note;
  } catch (const UserError& error) {
    values.add(error.what());
  }
}

void read_device(OptionValues& values, MeasureOptions& options) {
  real::MeasureSettings& settings = options.settings;
  settings.threads = static_cast<int>(values.integer("threads", 1, kMostThreads));
  settings.device = values.text("device");
  const bool is_cpu = settings.device == "cpu";
  if (!is_cpu && !std::regex_match(settings.device, std::regex("cuda:[0-9]{1,2}"))) {
    values.expected("device", settings.device, "cpu or cuda:N");
  }
  read_own_precision(values, settings);
  settings.rule.detects_preemption = is_cpu;
  if (!is_cpu && settings.rule.drop_preempted) {
    values.add("--drop-preempted: got --device " + settings.device +
               "; expected cpu (a thread that waits for a GPU counts as preempted)");
  }
  options.header.device = values.text("device-name");
  if (options.header.device.empty() && is_cpu) {
    options.header.device = device_name(processor_name(cpuinfo_text()), settings.threads);
  } else if (options.header.device.empty()) {
    values.missing("device-name", "the GPU's name, as platforms call it");
  }
  if (!options.header.device.empty() && !is_name(options.header.device))
    values.expected("device-name", options.header.device, kExpectedName);
}

/// Called after the ranks are known.
void read_overlap(OptionValues& values, MeasureOptions& options) {
  Words known = {"none"};
  for (const AllReduceName& each : all_reduce_names()) known.emplace_back(each.name);
  const std::string name = values.has("overlap") ? values.text("overlap")
                           : options.ranks > 1   ? "ring"
                                                 : "none";
  if (name != "none" && options.ranks < 2)
    values.add("--overlap: exchanges need several ranks; add --ranks 2, or more");
  if (std::find(known.begin(), known.end(), name) == known.end())
    values.add("--overlap: " + unknown_name("all-reduce algorithm", name, known));
  try {
    JobConfig config;
    all_settings().set(config, "bucket", values.text("bucket"), "--bucket");
    options.settings.overlap_bytes = config.bucket_bytes;
  } catch (const UserError& error) {
    values.add(error.what());
  }
  if (name != "none") options.settings.overlap = name;
}

void read_compressions(OptionValues& values, real::MeasureSettings& settings) {
  Words known = {"all"};
  for (const CompressionMethod& method : compressions()) known.emplace_back(method.name);
  for (const std::string& name : values.list("compression")) {
    if (name == "all") {
      settings.compressions.assign(known.begin() + 1, known.end());
      break;
    }
    if (std::find(known.begin(), known.end(), name) == known.end())
      values.add("--compression: " + unknown_name("compression", name, known));
    settings.compressions.push_back(name);
  }
}

void read_compression_settings(OptionValues& values, real::MeasureSettings& settings) {
  for (const StrategySetting* setting : kernel_settings()) {
    const std::string name(setting->name);
    try {
      settings.compression_settings[name] = setting->checked(values.text(name));
    } catch (const UserError& error) {
      values.add("--" + name + ": " + error.what());
    }
  }
}

/// Called after the device and the ranks are known.
void read_slow_down(OptionValues& values, MeasureOptions& options) {
  if (!values.has("slow-down")) return;
  try {
    JobConfig config;
    all_settings().set(config, "slow-down", values.text("slow-down"), "--slow-down");
    options.slow_down = config.machine.slow_down;
  } catch (const UserError& error) {
    values.add(error.what());
  }
  Words known = {device_class(options), options.header.device};
  for (int rank = 0; rank < options.ranks; ++rank) known.push_back(std::to_string(rank));
  for (const auto& [name, factor] : options.slow_down) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      values.add("--slow-down: " + unknown_name("device class, model or rank", name, known));
  }
}

void read_file(OptionValues& values, MeasureOptions& options) {
  options.is_append = values.has("append");
  if (values.has("output") == options.is_append) {
    values.add(options.is_append ? "--append: expected either this or --output, got both"
                                 : "--output: missing; expected a trace file to write");
    return;
  }
  options.file = values.file_to_write(options.is_append ? "append" : "output");
}

}  // namespace

MeasureOptions parse_options(int argc, const char* const* argv, const Catalog& catalog) {
  MeasureOptions options;
  const po::variables_map words = parse_words(batch_flags(), argc, argv, kExpected);
  Words problems;
  OptionValues values(words, problems);
  read_networks(values, options.settings);
  options.settings.seed =
      static_cast<std::uint64_t>(values.integer("seed", 0, std::int64_t{1} << 53));
  options.inputs = {catalog.root() / "models"};
  for (const std::string& network : options.settings.networks) {
    if (is_model_file(network)) options.inputs.emplace_back(network);
  }
  const std::string dataset = read_dataset(values, catalog, options);
  read_batches(values, options.settings);
  options.settings.rule = read_sampling_rule(values);
  options.settings.rule.drop_preempted = values.has("drop-preempted");
  read_device(values, options);
  options.ranks = static_cast<int>(values.integer("ranks", 1, kMostRanks));
  read_overlap(values, options);
  read_compressions(values, options.settings);
  read_compression_settings(values, options.settings);
  read_slow_down(values, options);
  read_file(values, options);
  if (!problems.empty()) throw UserError(problems);

  TraceFile& header = options.header;
  header.name = as_name(options.file.stem().string());
  header.title = values.has("title") ? values.text("title")
                                     : "Training batches on " + dataset + ", " + header.device;
  if (!values.has("title") && options.settings.precision != Precision::float32)
    header.title += ", " + show_name(options.settings.precision, kPrecisions);
  header.source.grade = Grade::measured;
  header.source.machine = values.has("machine") ? values.text("machine") : machine_text();
  header.source.date = today_text();
  header.source.command = command_text(argc, argv);
  header.source.versions = real::library_versions();
  options.settings.ranks = options.ranks;
  return options;
}

double slow_down_of(const MeasureOptions& options, int rank) {
  return slow_down_of(options.slow_down,
                      {device_class(options), options.header.device, std::to_string(rank)});
}

std::vector<DeviceTrace> device_traces(const MeasureOptions& options) {
  std::map<double, std::vector<std::size_t>> ranks_by_factor;
  for (int rank = 0; rank < options.ranks; ++rank)
    ranks_by_factor[slow_down_of(options, rank)].push_back(static_cast<std::size_t>(rank));
  std::vector<DeviceTrace> traces;
  for (const auto& [factor, ranks] : ranks_by_factor) {
    DeviceTrace& trace = traces.emplace_back(DeviceTrace{options.header, options.file, ranks});
    trace.header.device = slowed_name(options.header.device, factor);
    trace.header.name = slowed_name(options.header.name, factor);
    trace.file.replace_filename(slowed_name(options.file.stem().string(), factor) +
                                options.file.extension().string());
  }
  return traces;
}

int ranks_wanted(int argc, const char* const* argv) {
  const std::string name = "--ranks";
  int ranks = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with(name + "=")) ranks = std::atoi(word.c_str() + name.size() + 1);
    if (word == name && i + 1 < argc) ranks = std::atoi(argv[i + 1]);
  }
  return ranks;
}

}  // namespace epochcast
