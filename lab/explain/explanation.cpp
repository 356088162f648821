// SPDX-License-Identifier: Apache-2.0
#include "lab/explain/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/validate/cluster_commands.hpp"
#include "base/json/or_null.hpp"
#include "lab/kept/kept_inputs.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

/// The one that is nearest to `bytes`, by their ratio.
std::int64_t nearest_size(const std::vector<std::int64_t>& sizes, double bytes) {
  const auto distance = [bytes](std::int64_t size) {
    return std::abs(std::log(static_cast<double>(size) / bytes));
  };
  return *std::ranges::min_element(sizes, {}, distance);
}

std::optional<MachineDrift> drift_of(const ValidationRow& row,
                                     const Job& job,
                                     const MessageTrace& messages) {
  // Ranks and links of another cluster are not those that were measured.
  if (row.calibrated != row.cluster) return std::nullopt;
  std::vector<double> calibrated_s;
  if (row.command == "train")
    calibrated_s = calibrated_batches_s(
        job.traces, models_of_ranks(job.platform, messages.node_of_rank), job.config.batch);
  std::vector<MachineDrift> of_runs;
  for (const RunResult& run : row.measured)
    of_runs.push_back({.batches = batch_drift(run, calibrated_s, job.config.accumulate),
                       .exchanges = exchange_drift(run, messages)});
  return median_drift(of_runs);
}

}  // namespace

std::vector<std::string> timer_words(const ValidationCase& one,
                                     const std::vector<std::int64_t>& sizes,
                                     const Catalog& catalog) {
  const JobConfig& config = one.config;
  std::vector<std::string> words;
  if (one.command == Command::train) words.emplace_back("--time-batches=on");
  double bytes = gradient_bytes(config, catalog);
  if (config.overlap != Overlap::none) bytes = std::min(bytes, config.bucket_bytes);
  bytes *= config.gradient_bytes / sizeof(float);
  words.push_back("--time-exchanges=" + std::to_string(nearest_size(sizes, bytes)) + "B");
  return words;
}

std::optional<double> Explanation::model_error() const {
  if (!drift_error) return std::nullopt;
  return error - *drift_error;
}

double drift_error_of(const MachineDrift& drift, const PhaseTimes& forecast, double measured_s) {
  return -(drift.batches.value_or(0) * forecast.compute_s +
           drift.exchanges.value_or(0) * forecast.exposed_communication_s) /
         measured_s;
}

std::vector<Explanation> explain(const std::vector<ValidationRow>& rows,
                                 const std::filesystem::path& folder,
                                 const Catalog& catalog) {
  const KeptInputs kept = kept_inputs(rows, folder, catalog);
  std::vector<Explanation> explanations;
  for (std::size_t i = 0; i < kept.jobs.size(); ++i) {
    const ValidationRow& row = rows[kept.row_of_job[i]];
    const auto findings = findings_of(row);
    if (!findings) continue;
    const Job& job = kept.jobs[i];
    Explanation each = {.group = row.group, .point = row.point, .error = findings->error};
    each.drift = drift_of(row, job, kept.messages.at(job.config.platform));
    if (each.drift)
      each.drift_error = drift_error_of(*each.drift, row.forecast->phases, findings->measured_s);
    explanations.push_back(std::move(each));
  }
  return explanations;
}

Json to_json(const std::vector<Explanation>& explanations,
             const std::string& command,
             const std::string& date) {
  Json rows = Json::array();
  for (const Explanation& each : explanations) {
    const MachineDrift drift = each.drift.value_or(MachineDrift());
    rows.push_back({{"group", each.group},
                    {"point", each.point},
                    {"error", each.error},
                    {"batches", or_null(drift.batches)},
                    {"exchanges", or_null(drift.exchanges)},
                    {"drift_error", or_null(each.drift_error)},
                    {"model_error", or_null(each.model_error())}});
  }
  return result_document(
      "epochcast.explanation/1", {{"rows", std::move(rows)}}, {.command = command, .date = date});
}

}  // namespace epochcast
