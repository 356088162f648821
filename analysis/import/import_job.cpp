// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/import_job.hpp"

#include <algorithm>
#include <istream>
#include <map>
#include <set>

#include "analysis/import/packed_text.hpp"
#include "base/error.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/units.hpp"
#include "core/costs/batch_cost.hpp"

namespace epochcast {
namespace {

std::string counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

template <typename Iteration>
void skip_first(std::vector<Iteration>& iterations,
                const ImportSettings& settings,
                const std::string& what) {
  const auto count = static_cast<std::int64_t>(iterations.size());
  if (count <= settings.skip) {
    throw UserError(what + ": got " + counted(count, "iteration") + "; expected more than the " +
                    std::to_string(settings.skip) + " that --skip leaves out");
  }
  iterations.erase(iterations.begin(), iterations.begin() + settings.skip);
}

/// "median 20.3 ms (5-95 %: 19.6 ms to 23.0 ms)".
std::string spread_text(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return "median " + format_seconds(median_of(seconds)) +
         " (5-95 %: " + format_seconds(quantile_of(seconds, 0.05)) + " to " +
         format_seconds(quantile_of(seconds, 0.95)) + ")";
}

/// "4 iterations after 1 of warm-up"
std::string taken_text(std::size_t count, const ImportSettings& settings) {
  const std::string taken = counted(static_cast<std::int64_t>(count), "iteration");
  return settings.skip == 0 ? taken
                            : taken + " after " + std::to_string(settings.skip) + " of warm-up";
}

constexpr double kMostBatch_s = 86400;  // longer iterations are corrupt times

void check_rank(const Profile& profile) {
  if (!profile.rank || profile.world_size == 0 || *profile.rank < profile.world_size) return;
  throw UserError(profile.file + ": /distributedInfo/rank: got " + std::to_string(*profile.rank) +
                  "; expected less than /distributedInfo/world_size, " +
                  std::to_string(profile.world_size));
}

RankProfile read_profile(const ImportSettings& settings,
                         const std::filesystem::path& file,
                         PackedText& packed) {
  std::istream text(&packed);
  RankProfile rank;
  rank.profile = parse_profile(text, file.string());
  check_rank(rank.profile);
  rank.times = iteration_times(rank.profile);
  rank.profile.events = {};  // the largest part of the file, no longer needed
  skip_first(rank.times.iterations, settings, file.string());
  for (const IterationTimes& iteration : rank.times.iterations) {
    if (iteration.compute_s > kMostBatch_s) {
      throw UserError(file.string() + ": ProfilerStep#" + std::to_string(iteration.number) +
                      ": got " + format_seconds(iteration.compute_s) +
                      " of computing; expected at most " + format_seconds(kMostBatch_s));
    }
    if (iteration.compute_s > 0) continue;
    throw UserError(file.string() + ": ProfilerStep#" + std::to_string(iteration.number) +
                    ": got no time in which anything but communication runs; expected some");
  }
  return rank;
}

std::string finding(const RankProfile& rank, const ImportSettings& settings) {
  std::vector<double> compute_s;
  std::vector<double> exposed_s;
  for (const IterationTimes& iteration : rank.times.iterations) {
    compute_s.push_back(iteration.compute_s);
    exposed_s.push_back(iteration.exposed_s);
  }
  std::string text = rank.profile.file + ": ";
  if (rank.profile.rank) text += "rank " + std::to_string(*rank.profile.rank) + ", ";
  text += taken_text(compute_s.size(), settings) + ", computing " + spread_text(compute_s) +
          ", exposed communication median " + format_seconds(median_of(exposed_s));
  if (rank.times.is_run_ahead) text += "; the CPU ran ahead, so these are periods of the GPU";
  return text;
}

void check_files(const std::vector<std::filesystem::path>& files) {
  std::set<std::filesystem::path> seen;
  for (const std::filesystem::path& file : files) {
    std::error_code unknown;
    if (!seen.insert(std::filesystem::weakly_canonical(file, unknown)).second)
      throw UserError(file.string() + ": given more than once");
  }
}

void check_ranks(const std::vector<RankProfile>& ranks) {
  std::map<int, std::string> file_of;
  for (const RankProfile& rank : ranks) {
    if (!rank.profile.rank) continue;
    const auto [at, is_new] = file_of.try_emplace(*rank.profile.rank, rank.profile.file);
    if (!is_new) {
      throw UserError(rank.profile.file + ": /distributedInfo/rank: got " +
                      std::to_string(at->first) + ", as " + at->second +
                      " has; expected one file per rank");
    }
  }
}

void add_batches(ImportedJob& job, const std::vector<RankProfile>& ranks, std::int64_t batch) {
  const bool has_parts =
      std::ranges::all_of(ranks, [](const RankProfile& rank) { return rank.times.has_parts(); });
  for (const RankProfile& rank : ranks) {
    BatchSamples samples;
    samples.batch = batch;
    samples.rank = static_cast<std::int64_t>(job.batches.size());
    for (const IterationTimes& iteration : rank.times.iterations) {
      samples.total_s.push_back(iteration.compute_s);
      if (!has_parts) continue;
      samples.load_s.push_back(iteration.parts.load_s);
      samples.forward_s.push_back(iteration.parts.forward_s);
      samples.backward_s.push_back(iteration.parts.backward_s);
      samples.step_s.push_back(iteration.parts.step_s);
    }
    job.batches.push_back(std::move(samples));
  }
}

/// The slowdown of computation by the profiler, from the means of all iterations.
double profiler_slowdown(const std::vector<RankProfile>& ranks, double iteration_s) {
  constexpr double kLeast = 0.9;  // noise
  constexpr double kMost = 10;
  double compute_s = 0;
  double exposed_s = 0;
  double count = 0;
  for (const RankProfile& rank : ranks) {
    for (const IterationTimes& iteration : rank.times.iterations) {
      compute_s += iteration.compute_s;
      exposed_s += iteration.exposed_s;
      ++count;
    }
  }
  const double left_s = count * iteration_s - exposed_s;
  if (left_s > 0 && compute_s / left_s >= kLeast && compute_s / left_s <= kMost)
    return compute_s / left_s;
  throw UserError("--iteration-time: got " + format_seconds(iteration_s) +
                  "; iterations take a mean of " + format_seconds((compute_s + exposed_s) / count) +
                  " with the profiler, of which " + format_seconds(exposed_s / count) +
                  " are exposed communication: expected a little less");
}

/// Removes the profiler's overhead from the batches.
void speed_up(std::vector<BatchSamples>& batches, double slowdown) {
  for (BatchSamples& batch : batches) {
    for (auto part : {&BatchSamples::total_s,
                      &BatchSamples::load_s,
                      &BatchSamples::forward_s,
                      &BatchSamples::backward_s,
                      &BatchSamples::step_s}) {
      for (double& seconds : batch.*part) seconds /= slowdown;
    }
  }
}

/// The method of reading profiles, for the trace's note.
std::string profile_note(const ImportSettings& settings,
                         const std::vector<RankProfile>& ranks,
                         const ImportedJob& job) {
  std::string note =
      "imported from the profiles of " + counted(static_cast<std::int64_t>(ranks.size()), "rank") +
      ", after " + counted(settings.skip, "iteration") +
      " of warm-up each; exposed communication is not counted; the profiler's own "
      "overhead is" +
      (settings.iteration_s ? " taken out, as iterations take " +
                                  format_seconds(*settings.iteration_s) + " without it"
                            : "");
  if (job.batches[0].load_s.empty()) {
    note +=
        "; phases are not distinguished: the profiles lack backward, Optimizer.step or the "
        "launches of kernels";
  }
  if (job.all_reduces.counted > 0) {
    note += job.all_reduces.includes_waiting
                ? "; all-reduces include waiting for ranks without a profile"
                : "; of an all-reduce the shortest of its ranks' times is taken";
  }
  return note;
}

/// Samples per iteration: the most frequent batch size of the operators' inputs.
std::int64_t batch_in(const std::vector<RankProfile>& ranks, const ImportSettings& settings) {
  if (settings.batch) return *settings.batch;
  std::map<std::int64_t, std::int64_t> operators;  // by the size of their batch
  for (const RankProfile& rank : ranks) {
    for (const auto& [shape, count] : rank.profile.input_shapes) {
      const bool is_batch =
          !settings.input.empty() && shape.front() > 0 &&
          std::equal(shape.begin() + 1, shape.end(), settings.input.begin(), settings.input.end());
      if (is_batch) operators[shape.front()] += count;
    }
  }
  if (operators.size() == 1) return operators.begin()->first;
  std::string found;
  for (const auto& [batch, count] : operators)
    found += (found.empty() ? "" : ", ") + std::to_string(batch);
  throw UserError(
      "--batch: missing; expected the samples per rank and iteration, which the "
      "profiles " +
      (found.empty() ? "do not contain (without record_shapes=True)" : "give as " + found));
}

ImportedJob import_profiles(const ImportSettings& settings, std::vector<RankProfile> ranks) {
  const std::int64_t batch = batch_in(ranks, settings);
  if (!settings.column.name.empty() || !settings.column.unit.empty())
    throw UserError("--time-column and --time-unit belong to CSV files; got profiles");
  ImportedJob job;
  job.has_profiles = true;
  std::set<std::string> nccl_versions;
  for (const RankProfile& rank : ranks) {
    const Profile& profile = rank.profile;
    job.findings.push_back(finding(rank, settings));
    if (!profile.nccl_version.empty()) nccl_versions.insert(profile.nccl_version);
    if (profile.began_s && job.began_s.value_or(*profile.began_s) >= *profile.began_s)
      job.began_s = profile.began_s;
  }
  check_ranks(ranks);
  std::ranges::stable_sort(
      ranks, {}, [](const RankProfile& rank) { return rank.profile.rank.value_or(0); });
  for (const std::string& version : nccl_versions) job.versions["nccl"] = version;
  add_batches(job, ranks, batch);
  job.all_reduces = all_reduce_costs(ranks, settings.ranks_per_node);
  job.note = profile_note(settings, ranks, job);
  if (settings.iteration_s) {
    const double slowdown = profiler_slowdown(ranks, *settings.iteration_s);
    speed_up(job.batches, slowdown);
    job.findings.push_back("without the profiler, computing takes " +
                           format_percent(1 / slowdown, 1) + " of that");
  }
  return job;
}

ImportedJob import_tables(const ImportSettings& settings,
                          const std::vector<IterationTable>& tables) {
  if (settings.iteration_s)
    throw UserError("--iteration-time: is for profiles; a table has its iterations' own times");
  ImportedJob job;
  std::map<std::pair<std::int64_t, std::int64_t>, BatchSamples> batches;  // by size and rank
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string file = settings.files[i].string();
    const IterationTable& table = tables[i];
    if (table.has_batch == settings.batch.has_value()) {
      throw UserError(table.has_batch
                          ? "--batch: given, but " + file + " has a column of batch sizes"
                          : "--batch: missing; " + file + " has no column \"batch\"");
    }
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> series;
    for (const IterationRow& row : table.rows)
      series[{table.has_batch ? row.batch : *settings.batch, row.rank}].push_back(row.seconds);
    for (auto& [key, seconds] : series) {
      const auto [batch, rank] = key;
      const std::string what = "rank " + std::to_string(rank) + ", batch " + std::to_string(batch);
      skip_first(seconds, settings, file + ": " + what);
      job.findings.push_back(file + ": " + what + ", " + taken_text(seconds.size(), settings) +
                             ", " + spread_text(seconds));
      BatchSamples& samples = batches[key];
      samples.batch = batch;
      samples.rank = rank;
      samples.total_s.insert(samples.total_s.end(), seconds.begin(), seconds.end());
    }
  }
  for (auto& [key, samples] : batches) job.batches.push_back(std::move(samples));
  job.note = "imported from a table of iteration times, after " +
             counted(settings.skip, "iteration") +
             " of warm-up per rank and batch size; whatever an iteration does is counted, "
             "communication included";
  return job;
}

}  // namespace

ImportedJob import_job(const ImportSettings& settings) {
  check_files(settings.files);
  std::vector<RankProfile> ranks;
  std::vector<IterationTable> tables;
  for (const std::filesystem::path& file : settings.files) {
    PackedText text(file);
    const char first = text.first_character();
    if (first == '{' || first == '[')  // JSON, which tables are not
      ranks.push_back(read_profile(settings, file, text));
    else
      tables.push_back(parse_iteration_table(
          text.rest(kSamplesFile.most_bytes), file.string(), settings.column));
    if (!ranks.empty() && !tables.empty()) {
      throw UserError(file.string() +
                      ": got a file of another kind than the first; expected profiles (JSON) or "
                      "tables (CSV) only");
    }
  }
  return tables.empty() ? import_profiles(settings, std::move(ranks))
                        : import_tables(settings, tables);
}

}  // namespace epochcast
