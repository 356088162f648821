// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/cluster_calibration.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/calibrate/calibration.hpp"
#include "analysis/forecast/job_inputs.hpp"
#include "analysis/forecast/this_machine.hpp"
#include "analysis/validate/cluster_commands.hpp"
#include "analysis/validate/run_speed.hpp"
#include "core/error.hpp"
#include "core/files/checksum.hpp"
#include "core/files/file_draft.hpp"
#include "core/files/text_file.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/described_model.hpp"
#include "core/job/setting_text.hpp"
#include "core/process/child.hpp"
#include "core/process/interruption.hpp"
#include "core/process/pipe.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kTrainedInARow = 3;

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

// In the folders of results. Runs are counted from 1: "batches-2.json" comes before the second.
std::string batches_file(int run) { return fmt::format("batches-{}.json", run); }
std::string around_file(int run) { return fmt::format("around-{}.json", run); }
std::string run_file(int run) { return fmt::format("run-{}.json", run); }

/// The words before every command.
std::vector<std::string> launch_words(const ValidationCluster& cluster) {
  std::istringstream text(cluster.launch);
  return {std::istream_iterator<std::string>(text), {}};
}

std::vector<std::string> with(std::vector<std::string> words,
                              const std::string& option,
                              const fs::path& file) {
  words.insert(words.end(), {option, file.string()});
  return words;
}

/// The run that a program's output tells of. Throws a RunError when it is none of the case.
RunResult told_run(const std::string& text, const ValidationCase& one, const fs::path& log) {
  const auto document = Json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("runs") || !document["runs"].is_array() ||
      document["runs"].size() != 1)
    throw RunError(log.string() + ": the run has told no result");
  Problems problems(log.string());
  RunResult run = read_run(document["runs"].front(), "/runs/0", problems);
  if (!problems.empty()) throw RunError(log.string() + ": the run has told nonsense");
  if (run.strategy != one.config.strategy)
    throw RunError(log.string() + ": the run was one of " + run.strategy + ", not of " +
                   one.config.strategy);
  return run;
}

/// The traces that `measure batches` writes: their files, told to write to `file`, and which ranks
/// each is of, in their order there.
std::map<fs::path, std::vector<int>> traces_of_ranks(const fs::path& file,
                                                     const JobConfig& config,
                                                     int ranks) {
  std::map<fs::path, std::vector<int>> traces;
  for (int rank = 0; rank < ranks; ++rank)
    traces[trace_of_rank(file, config, static_cast<std::size_t>(rank))].push_back(rank);
  return traces;
}

/// What was timed of batches that are passed through the network in so many parts, of one part.
TimedRank of_parts(TimedRank timed, std::int64_t parts) {
  for (double* seconds : {&timed.before_s, &timed.after_s}) *seconds /= static_cast<double>(parts);
  return timed;
}

/// What was measured before and after a run, as two sessions of one trace for each kind of rank, at
/// the speeds that ranks had right before and after they trained.
void write_around(
    const fs::path& folder, int run, const JobConfig& config, int ranks, const RunResult& result) {
  std::map<int, TimedRank> timed_of;
  for (const TimedRank& timed : result.timed_batches)
    timed_of[timed.rank] = of_parts(timed, config.accumulate);
  const auto measured = [&](int session, double TimedRank::*moment) {
    std::vector<TraceFile> traces;
    for (const auto& [file, own] : traces_of_ranks(folder / batches_file(session), config, ranks)) {
      std::vector<TimedRank> timed;
      for (const int rank : own) timed.push_back(timed_of[rank]);
      traces.push_back(at_speeds(load_trace(file), config.batch, timed, moment));
    }
    return traces;
  };
  const std::vector<TraceFile> before = measured(run, &TimedRank::before_s);
  const std::vector<TraceFile> after = measured(run + 1, &TimedRank::after_s);
  std::size_t kind = 0;
  for (const auto& [file, own] : traces_of_ranks(folder / around_file(run), config, ranks)) {
    replace_file(file, to_json(merged(before[kind], after[kind], file.string())).dump() + "\n");
    ++kind;
  }
}

}  // namespace

int runs_in_a_row(Command command) { return command == Command::train ? kTrainedInARow : 1; }

ClusterCalibration::ClusterCalibration(ValidationCluster cluster,
                                       fs::path program,
                                       const Catalog& catalog,
                                       const KeptResults& kept)
    : cluster_(std::move(cluster)), program_(std::move(program)), catalog_(catalog), kept_(kept) {}

void ClusterCalibration::expect(const ValidationCase& one) {
  all_reduces_.insert(one.config.all_reduce);
  most_bytes_ = std::max(most_bytes_, gradient_bytes(one));
}

double ClusterCalibration::gradient_bytes(const ValidationCase& one) const {
  return network_in(catalog_.find("models/networks", one.config.network, "--network"),
                    chosen_dataset(one.config, catalog_))
      .gradient_bytes();
}

std::string ClusterCalibration::output_of(const std::vector<std::string>& words,
                                          const fs::path& log) const {
  std::vector<std::string> command = {"env"};
  for (const std::string& word : launch_words(cluster_)) command.push_back(word);
  command.push_back(program_.string());
  command.insert(command.end(), words.begin(), words.end());
  const FileDescriptor log_file(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!log_file.is_open())
    throw RunError(log.string() + ": cannot be written: " + std::strerror(errno));
  const SignalScope signals;
  Pipe pipe;
  Child child = Child::start(command, {.out = pipe.writing.number(), .err = log_file.number()});
  pipe.writing.reset();
  std::string output;
  read_until_end(pipe.reading, [&](const std::string& piece) { output += piece; });
  if (child.wait().ending() == Ending::done) return output;
  std::string said = read_text_file(log, kSamplesFile);
  constexpr std::size_t kMost = 400;
  if (said.size() > kMost) said = "..." + said.substr(said.size() - kMost);
  throw RunError("epochcast " + words.front() + " failed on " + cluster_.name + " (" +
                 log.string() + "): " + said);
}

nlohmann::json ClusterCalibration::place(const std::vector<std::string>& programs) const {
  nlohmann::json place = {{"launch", cluster_.launch},
                          {"ranks", cluster_.ranks},
                          {"surroundings", surroundings(launch_words(cluster_))},
                          {"version", "epochcast " EPOCHCAST_VERSION},
                          {"programs", nlohmann::json::object()}};
  for (const std::string& name : programs) {
    const fs::path file = program_.parent_path() / name;
    place["programs"][name] = fs::exists(file) ? checksum(read_text_file(file, kDataFile)) : "";
  }
  return place;
}

void ClusterCalibration::measure_messages(std::size_t session) {
  const std::vector<std::string> words =
      message_words(cluster_, all_reduces_, message_sizes(most_bytes_));
  const nlohmann::json subject = {
      {"place", place({"epochcast-measure-messages"})}, {"command", words}, {"session", session}};
  const fs::path folder =
      kept_.get(kMessagesPrefix + std::to_string(session + 1), subject, [&](const fs::path& draft) {
        const fs::path file = draft / kMessagesFile;
        static_cast<void>(output_of(with(words, "--output", file), draft / "messages.log"));
        static_cast<void>(fit_network(load_message_trace(file)));
      });
  messages_.push_back(folder / kMessagesFile);
  network_.reset();
}

std::vector<RealRun> ClusterCalibration::run(const ValidationCase& one,
                                             std::size_t repetition) const {
  const bool trains = one.command == Command::train;
  const int count = runs_in_a_row(one.command);
  JobConfig config = one.config;
  config.seed = repetition + 1;
  std::vector<CostTrace> traces;
  if (trains) {
    config.machine.ranks = cluster_.ranks;
  } else {
    traces = load_job(config, catalog_).traces;
  }
  const std::vector<std::string> words =
      run_words(one, config, gradient_bytes(one), message_sizes(most_bytes_));
  nlohmann::json subject = {{"place", place({"epochcast-run", "epochcast-measure"})},
                            {"command", words},
                            {"inputs", job_inputs(config, one.command, traces, catalog_)},
                            {"repetition", repetition}};
  if (trains) subject["batches"] = batch_words(one);
  if (trains) subject["in a row"] = count;
  const fs::path folder = kept_.get(
      words.front() + "-" + config.strategy + "-" + std::to_string(repetition + 1),
      subject,
      [&](const fs::path& draft) {
        const auto measure_batches = [&](int run) {
          if (!trains) return;
          static_cast<void>(output_of(with(batch_words(one), "--output", draft / batches_file(run)),
                                      draft / "batches.log"));
        };
        measure_batches(1);
        for (int run = 1; run <= count; ++run) {
          const fs::path log = draft / "run.log";
          const std::string output = output_of(words, log);
          const RunResult result = told_run(output, one, log);
          replace_file(draft / run_file(run), output);
          measure_batches(run + 1);
          if (trains) write_around(draft, run, config, cluster_.ranks, result);
        }
      });
  std::vector<RealRun> runs;
  for (int run = 1; run <= count; ++run) {
    const fs::path file = folder / run_file(run);
    runs.push_back({.result = told_run(read_text_file(file, kSamplesFile), one, file),
                    .batches = folder / around_file(run)});
  }
  return runs;
}

JobConfig ClusterCalibration::forecast_config(const ValidationCase& one, const RealRun& run) {
  if (!network_) {
    MessageTrace trace = load_message_sessions(messages_);
    try {
      NetworkFit fit = calibrate(trace).fit;
      network_ = {.trace = std::move(trace), .fit = std::move(fit)};
    } catch (const UserError& error) {
      std::vector<std::string> problems = error.problems();
      problems.push_back("to measure messages again, remove " +
                         (kept_.folder() / kMessagesPrefix).string() + "*");
      throw UserError(problems);
    }
  }
  JobConfig config = one.config;
  Platform platform;
  if (one.command == Command::train) {
    std::vector<std::string> models;
    config.traces.clear();
    for (std::size_t rank = 0; rank < network_->trace.node_of_rank.size(); ++rank) {
      models.push_back(slowed_name(kMeasuredDevice, slow_down_of_rank(config, rank)));
      const std::string file = trace_of_rank(run.batches, config, rank).string();
      if (std::find(config.traces.begin(), config.traces.end(), file) == config.traces.end())
        config.traces.push_back(file);
    }
    platform = platform_of_trace(network_->trace, models);
    config.nodes.reset();
  } else {
    platform = load_platform(catalog_.find("models/platforms", one.config.platform, "/platform"));
  }
  platform = calibrated_platform(std::move(platform), network_->fit, network_->trace.source);
  platform = at_exchange_speed(std::move(platform), run.result);
  const std::string text = to_json(platform).dump(2) + "\n";
  const fs::path file = kept_.folder() / ("platform-" + checksum(text) + ".json");
  replace_file(file, text);
  config.platform = file.string();
  return config;
}

}  // namespace epochcast
