// SPDX-License-Identifier: Apache-2.0
#include "analysis/validation_run.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/calibrated_platform.hpp"
#include "analysis/network_fit.hpp"
#include "analysis/sweep.hpp"
#include "core/error.hpp"
#include "core/setting_text.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kDevice = "this-cpu";
constexpr const char* kMessageBytes =
    "4,256,4096,16384,65536,131072,262144,524288,1048576,2097152,4194304";

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Runs a command of epochcast on the cluster; what it writes to stdout. Its stderr goes to `log`.
/// Throws a RunError with the last of it when it fails.
std::string output_of(const ValidationOptions& options,
                      const ValidationCluster& cluster,
                      const std::vector<std::string>& words,
                      const fs::path& log) {
  // The launch words are the user's own, as on a command line.
  std::string command = cluster.launch + " " + quoted(options.program.string());
  for (const std::string& word : words) command += " " + quoted(word);
  command += " 2>" + quoted(log.string());
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw RunError("no process can be started");
  std::string output;
  std::array<char, 4096> piece{};
  for (std::size_t size = 0; (size = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    output.append(piece.data(), size);
  if (pclose(pipe) == 0) return output;
  std::string said = read_text_file(log);
  constexpr std::size_t kMost = 400;
  if (said.size() > kMost) said = "..." + said.substr(said.size() - kMost);
  throw RunError("epochcast " + words.front() + " failed on " + cluster.name + " (" + log.string() +
                 "): " + said);
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw RunError(file.string() + ": cannot be written");
}

/// How many times as long batches take on a rank, by --slow-down.
double slow_down_of(const JobConfig& config, std::size_t rank) {
  for (const std::string& name : {std::string("cpu"), std::to_string(rank)}) {
    const auto found = config.machine.slow_down.find(name);
    if (found != config.machine.slow_down.end()) return found->second;
  }
  return 1;
}

/// What training calls a slowed device.
std::string model_of(double slow_down) {
  if (slow_down <= 1) return kDevice;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), slow_down).ptr;
  return std::string(kDevice) + "-slowed-" + std::string(text.data(), end) + "x";
}

/// One cluster's measurements and the files made from them.
class ClusterCalibration {
 public:
  ClusterCalibration(ValidationCluster cluster,
                     const ValidationOptions& options,
                     const Catalog& catalog,
                     std::size_t number)
      : cluster_(std::move(cluster)),
        options_(options),
        catalog_(catalog),
        folder_(options.folder / ("cluster-" + std::to_string(number))) {
    fs::create_directories(folder_);
  }

  [[nodiscard]] const ValidationCluster& cluster() const { return cluster_; }
  [[nodiscard]] const fs::path& folder() const { return folder_; }

  /// Once per session: the machine is not the same at all times.
  void measure_messages(int session) {
    const fs::path measured = folder_ / ("messages-" + std::to_string(session + 1) + ".json");
    messages_.push_back(measured);
    if (fs::exists(measured)) return;
    const fs::path file = folder_ / "measuring.json";
    static_cast<void>(output_of(options_,
                                cluster_,
                                {"measure",
                                 "messages",
                                 "--ranks",
                                 std::to_string(cluster_.ranks),
                                 "--max-seconds",
                                 "1",
                                 "--bytes",
                                 kMessageBytes,
                                 "--all-reduce",
                                 "ring",
                                 "--title",
                                 cluster_.name,
                                 "--output",
                                 file.string()},
                                folder_ / "messages.log"));
    fs::rename(file, measured);
  }

  /// Batches of a case that trains, with all ranks at it, as in training: a session before every
  /// run, as what a machine gives drifts from minute to minute. Those that divide work by speed
  /// take batches of other sizes: smaller and larger ones are measured, too.
  void measure_batches(const ValidationCase& one, std::size_t session) {
    const std::int64_t batch = one.config.batch;
    const std::string name = one.config.network + "-" + std::to_string(batch);
    const fs::path done = folder_ / (name + "-" + std::to_string(session) + ".done");
    if (fs::exists(done)) return;
    static_cast<void>(output_of(options_,
                                cluster_,
                                {"measure",       "batches",
                                 "--ranks",       std::to_string(cluster_.ranks),
                                 "--network",     one.config.network,
                                 "--dataset",     one.config.dataset,
                                 "--data",        one.config.learning.data,
                                 "--augment",     one.config.learning.augment ? "on" : "off",
                                 "--batch",       std::to_string(one.config.batch),
                                 "--device-name", kDevice,
                                 "--max-seconds", "3",
                                 "--append",      batches().string()},
                                folder_ / (name + ".log")));
    write(done, "");
  }

  /// The configuration with the calibrated platform in the place of the case's own, and with
  /// measured costs where it trains.
  [[nodiscard]] JobConfig forecast_config(const ValidationCase& one) {
    const MessageTrace trace = load_message_sessions(messages_);
    const Json trace_document = Json::parse(read_text_file(messages_.front()));
    JobConfig config = one.config;
    Json document;
    std::string name = one.config.platform;
    if (one.command == Command::train) {
      std::vector<std::string> models;
      std::set<double> factors;
      for (std::size_t rank = 0; rank < trace.node_of_rank.size(); ++rank) {
        factors.insert(slow_down_of(config, rank));
        models.push_back(model_of(slow_down_of(config, rank)));
      }
      document = platform_of_trace(trace, models);
      name = "measured";
      for (const auto& [rank, factor] : config.machine.slow_down)
        name += "-" + rank + "x" + model_of(factor).substr(std::string(kDevice).size());
      config.traces.clear();
      for (const double factor : factors) config.traces.push_back(slowed_batches(factor).string());
      config.nodes.reset();
    } else {
      const fs::path file = catalog_.find("models/platforms", one.config.platform, "/platform");
      static_cast<void>(load_platform(file));
      document = Json::parse(read_text_file(file));
      name = document["name"];
    }
    document = calibrated_platform(std::move(document), fit(trace, trace_document), trace_document);
    const fs::path file = folder_ / (name + ".platform.json");
    write(file, document.dump(2) + "\n");
    config.platform = file.string();
    return config;
  }

  /// The same for all cases of the cluster.
  const NetworkFit& fit(const MessageTrace& trace, const Json& trace_document) {
    if (!fit_) fit_ = calibrate(trace, trace_document).fit;
    return *fit_;
  }

 private:
  [[nodiscard]] fs::path batches() const { return folder_ / "batches.json"; }

  /// The measured trace for a device that sleeps until `factor` times the time has passed.
  [[nodiscard]] fs::path slowed_batches(double factor) const {
    if (factor <= 1) return batches();
    Json trace = Json::parse(read_text_file(batches()));
    trace["device"] = model_of(factor);
    for (Json& cost : trace["costs"]) {
      for (Json& batch : cost["batches"]) {
        for (auto& [key, samples] : batch.items()) {
          if (!samples.is_array()) continue;
          for (Json& sample : samples) sample = factor * sample.get<double>();
        }
      }
    }
    fs::path file = folder_ / (model_of(factor) + ".json");
    write(file, trace.dump(2) + "\n");
    return file;
  }

  ValidationCluster cluster_;
  const ValidationOptions& options_;
  const Catalog& catalog_;
  fs::path folder_;
  std::vector<fs::path> messages_;
  std::optional<NetworkFit> fit_;
};

/// The command that runs a case for real.
std::vector<std::string> run_words(const ValidationCase& one, std::uint64_t seed) {
  JobConfig config = one.config;
  config.seed = seed;
  if (one.command == Command::train) config.machine.ranks = one.cluster.ranks;
  std::vector<std::string> words = {one.command == Command::train ? "train" : "emulate"};
  for (const SettingText& setting : setting_texts(config, in(one.command))) {
    words.push_back("--" + setting.name + "=" + setting.value);
  }
  words.insert(words.end(), {"--format", "json", "--bar=off"});
  return words;
}

/// A run's result; from its file when it has been run before.
RunResult run_of(const ValidationCase& one,
                 const ValidationOptions& options,
                 const fs::path& file,
                 std::uint64_t seed) {
  if (!fs::exists(file)) {
    fs::path log = file;
    log.replace_extension(".log");
    write(file.string() + ".part", output_of(options, one.cluster, run_words(one, seed), log));
    fs::rename(file.string() + ".part", file);
  }
  const auto document = Json::parse(read_text_file(file), nullptr, false);
  if (!document.is_object() || !document.contains("runs") || document["runs"].empty())
    throw RunError(file.string() + ": holds no result; remove it to run this again");
  return run_from_json(document["runs"].front());
}

}  // namespace

std::vector<ValidationRow> run_validation(const std::vector<ValidationCase>& cases,
                                          const ValidationOptions& options,
                                          const Catalog& catalog,
                                          const ValidationProgress& progress) {
  std::vector<ClusterCalibration> calibrations;
  std::vector<std::size_t> calibration_of;
  for (const ValidationCase& one : cases) {
    const auto known =
        std::find_if(calibrations.begin(), calibrations.end(), [&](const auto& each) {
          return each.cluster() == one.cluster;
        });
    calibration_of.push_back(static_cast<std::size_t>(known - calibrations.begin()));
    if (known == calibrations.end())
      calibrations.emplace_back(one.cluster, options, catalog, calibrations.size() + 1);
  }
  const auto repetitions = static_cast<std::size_t>(options.repetitions);
  const std::size_t steps = repetitions * (calibrations.size() + cases.size()) + 1;
  std::size_t done = 0;
  std::vector<ValidationRow> rows;
  rows.reserve(cases.size());
  for (const ValidationCase& one : cases) {
    rows.push_back({.cluster = one.cluster.name,
                    .command = one.command == Command::train ? "train" : "emulate",
                    .group = one.group,
                    .point = one.point,
                    .forecast = {},
                    .measured = {},
                    .problems = {}});
  }
  for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
    for (ClusterCalibration& calibration : calibrations) {
      progress("measuring messages, " + calibration.cluster().name, done++, steps);
      calibration.measure_messages(static_cast<int>(repetition));
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ClusterCalibration& calibration = calibrations[calibration_of[i]];
      progress(cases[i].group + ": " + cases[i].point, done++, steps);
      if (cases[i].command == Command::train)
        calibration.measure_batches(cases[i], repetition * cases.size() + i);
      try {
        const fs::path file = calibration.folder() / ("case-" + std::to_string(i + 1) + "-run-" +
                                                      std::to_string(repetition + 1) + ".json");
        rows[i].measured.push_back(run_of(cases[i], options, file, repetition + 1));
      } catch (const RunError& error) {
        rows[i].problems.emplace_back(error.what());
      }
    }
  }
  progress("forecasting", done, steps);
  std::vector<ForecastTask> tasks;
  tasks.reserve(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    tasks.push_back({.config = calibrations[calibration_of[i]].forecast_config(cases[i]),
                     .strategy = cases[i].config.strategy,
                     .point = cases[i].point});
  }
  const std::vector<ForecastOutcome> outcomes =
      forecast_all(tasks, catalog, {}, [](std::size_t) {});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    rows[i].forecast = outcomes[i].run;
    rows[i].problems.insert(
        rows[i].problems.end(), outcomes[i].problems.begin(), outcomes[i].problems.end());
  }
  progress("", steps, steps);
  return rows;
}

}  // namespace epochcast
