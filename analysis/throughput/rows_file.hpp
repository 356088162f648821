// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/throughput/collective_time.hpp"
#include "analysis/throughput/round_time.hpp"
#include "analysis/throughput/row_forecast.hpp"

namespace epochcast {

/// A measured message between two nodes.
struct MeasuredMessage {
  CollectiveLibrary library = CollectiveLibrary::nccl;
  double bytes = 0;
  double seconds = 0;
  /// Of the shaped link, one way.
  double latency_s = 0;
  double bytes_per_s = 0;
};

/// A collective whose time is asked for, on a link of this latency and rate.
struct AskedCollective {
  CollectiveLibrary library = CollectiveLibrary::nccl;
  CollectiveKind kind = CollectiveKind::all_reduce;
  double bytes = 0;
  int nodes = 2;
  double latency_s = 0;
  double bytes_per_s = 0;
};

/// A cluster and a job as far as known, and the questions (docs/formats.md, epochcast.rows/1).
struct RowsFile {
  NodeFigures node;
  TrainingJob job;
  MeasuredRates rates;
  std::vector<MeasuredRow> rows;
  std::vector<std::vector<MeasuredRow>> like;
  std::vector<TrainingRow> forecast;
  std::vector<MeasuredMessage> messages;
  std::vector<AskedCollective> collectives;
  std::vector<AskedRound> rounds;
};

/// Throws a UserError that lists all problems.
[[nodiscard]] RowsFile parse_rows(const nlohmann::json& document, const std::string& file);
[[nodiscard]] RowsFile load_rows(const std::filesystem::path& file);

/// Forecasts of the asked collectives, seconds. Links are fitted to the measured messages of the
/// same latency and rate, else to the stated rate.
[[nodiscard]] std::vector<StepForecast> forecast_collectives(
    double node_bytes_per_s,
    const std::vector<MeasuredMessage>& messages,
    const std::vector<AskedCollective>& asked);

}  // namespace epochcast
