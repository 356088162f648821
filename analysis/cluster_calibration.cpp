// SPDX-License-Identifier: Apache-2.0
#include "analysis/cluster_calibration.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/calibrated_platform.hpp"
#include "core/error.hpp"
#include "core/process/child.hpp"
#include "core/setting_text.hpp"
#include "core/text_file.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kDevice = "this-cpu";
constexpr const char* kBatchSeconds = "5";  // of each batch size, before and after each run
constexpr const char* kMessageBytes =
    "4,256,4096,16384,65536,131072,262144,524288,1048576,2097152,4194304";

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// How many times as long batches take on a rank, by --slow-down.
double slow_down_of_rank(const JobConfig& config, std::size_t rank) {
  return slow_down_of(config.machine.slow_down, {"cpu", std::to_string(rank)});
}

/// Where `measure batches` writes what a rank takes, told to write to `file`.
fs::path trace_of_rank(fs::path file, const JobConfig& config, std::size_t rank) {
  const std::string name =
      slowed_name(file.stem().string(), slow_down_of_rank(config, rank)) + ".json";
  return file.replace_filename(name);
}

/// The sizes whose costs a case needs: those that divide work by speed take other batches than the
/// one asked for, and what those cost is not in proportion.
std::string batch_sizes(const JobConfig& config) {
  const std::int64_t batch = config.batch;
  std::string sizes = std::to_string(batch);
  if (find_strategy(config.strategy).divides_by_speed)
    sizes = std::to_string((batch + 1) / 2) + "," + sizes + "," + std::to_string(2 * batch);
  return sizes;
}

/// How many sessions a trace has.
std::int64_t sessions_in(const fs::path& trace) {
  std::int64_t count = 0;
  if (!fs::exists(trace)) return count;
  for (const CostTrace& cost : load_trace(trace).costs) {
    for (const BatchSamples& samples : cost.batches) count = std::max(count, samples.session + 1);
  }
  return count;
}

}  // namespace

ClusterCalibration::ClusterCalibration(ValidationCluster cluster,
                                       fs::path program,
                                       const Catalog& catalog,
                                       fs::path folder)
    : cluster_(std::move(cluster)),
      program_(std::move(program)),
      catalog_(catalog),
      folder_(std::move(folder)) {
  fs::create_directories(folder_);
}

std::string ClusterCalibration::output_of(const std::vector<std::string>& words,
                                          const fs::path& log) const {
  // The launch words are the user's own, as on a command line: variables first, or not. The shell
  // becomes what they start, so that what the kernel sends when we die reaches that.
  std::string command = "exec env " + cluster_.launch + " " + quoted(program_.string());
  for (const std::string& word : words) command += " " + quoted(word);
  const Descriptor log_file(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!log_file.is_open())
    throw RunError(log.string() + ": cannot be written: " + std::strerror(errno));
  const SignalScope signals;
  Pipe pipe;
  Child child = Child::start({"/bin/sh", "-c", command},
                             {.out = pipe.writing.number(), .err = log_file.number()});
  pipe.writing.reset();
  std::string output;
  read_until_end(pipe.reading, [&](const std::string& piece) { output += piece; });
  if (child.wait() == 0) return output;
  std::string said = read_text_file(log);
  constexpr std::size_t kMost = 400;
  if (said.size() > kMost) said = "..." + said.substr(said.size() - kMost);
  throw RunError("epochcast " + words.front() + " failed on " + cluster_.name + " (" +
                 log.string() + "): " + said);
}

void ClusterCalibration::measure_messages(std::size_t session) {
  const fs::path measured = folder_ / ("messages-" + std::to_string(session + 1) + ".json");
  messages_.push_back(measured);
  if (fs::exists(measured)) return;
  const fs::path file = folder_ / "measuring.json";
  static_cast<void>(output_of({"measure",
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

void ClusterCalibration::measure_batches(const ValidationCase& one,
                                         std::size_t number,
                                         std::size_t repetition,
                                         std::int64_t session) const {
  const fs::path file = batches(number, repetition);
  if (sessions_in(trace_of_rank(file, one.config, 0)) > session) return;
  fs::path log = file;
  const JobConfig& config = one.config;
  std::vector<std::string> words = {"measure",
                                    "batches",
                                    "--ranks",
                                    std::to_string(cluster_.ranks),
                                    "--network",
                                    config.network,
                                    "--dataset",
                                    config.dataset,
                                    "--data",
                                    config.learning.data,
                                    "--augment",
                                    config.learning.augment ? "on" : "off",
                                    "--threads",
                                    std::to_string(config.machine.threads),
                                    "--batch",
                                    batch_sizes(config),
                                    "--device-name",
                                    kDevice,
                                    "--max-seconds",
                                    kBatchSeconds,
                                    // Machines change their speed by the second: a point takes
                                    // all of its time, however much alike the first batches are.
                                    "--confidence-width",
                                    "0.000001",
                                    "--max-samples",
                                    "1000000",
                                    "--append",
                                    file.string()};
  if (config.overlap == Overlap::none) words.insert(words.end(), {"--layers-batch", "0"});
  for (const SettingText& setting : setting_texts(config, kTrain)) {
    if (setting.name == "slow-down") words.push_back("--slow-down=" + setting.value);
  }
  static_cast<void>(output_of(words, log.replace_extension(".log")));
}

JobConfig ClusterCalibration::forecast_config(const ValidationCase& one,
                                              std::size_t number,
                                              std::size_t repetition) {
  if (!network_) {
    const MessageTrace trace = load_message_sessions(messages_);
    Json document = Json::parse(read_text_file(messages_.front()));
    NetworkFit fit = calibrate(trace, document).fit;
    network_ = {.trace = trace, .document = std::move(document), .fit = std::move(fit)};
  }
  JobConfig config = one.config;
  Json document;
  if (one.command == Command::train) {
    std::vector<std::string> models;
    config.traces.clear();
    for (std::size_t rank = 0; rank < network_->trace.node_of_rank.size(); ++rank) {
      models.push_back(slowed_name(kDevice, slow_down_of_rank(config, rank)));
      const std::string file = trace_of_rank(batches(number, repetition), config, rank).string();
      if (std::find(config.traces.begin(), config.traces.end(), file) == config.traces.end())
        config.traces.push_back(file);
    }
    document = platform_of_trace(network_->trace, models);
    config.nodes.reset();
  } else {
    const fs::path file = catalog_.find("models/platforms", one.config.platform, "/platform");
    static_cast<void>(load_platform(file));
    document = Json::parse(read_text_file(file));
  }
  document = calibrated_platform(std::move(document), network_->fit, network_->document);
  const fs::path file = folder_ / ("case-" + std::to_string(number + 1) + ".platform.json");
  write_text_file(file, document.dump(2) + "\n");
  config.platform = file.string();
  return config;
}

fs::path ClusterCalibration::batches(std::size_t number, std::size_t repetition) const {
  return folder_ / ("case-" + std::to_string(number + 1) + "-batches-" +
                    std::to_string(repetition + 1) + ".json");
}

}  // namespace epochcast
