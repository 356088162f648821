// SPDX-License-Identifier: Apache-2.0
#include "real/run/job_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/costs/batch_cost.hpp"
#include "real/mpi/mpi_call.hpp"
#include "strategies/summary.hpp"

namespace epochcast::real {
namespace {

nlohmann::json json_of(const WorkerReport& report) {
  nlohmann::json json = {{"batch", report.batch},
                         {"local_steps", report.local_steps},
                         {"iterations", report.iterations_per_epoch},
                         {"rounds", report.rounds_per_epoch},
                         {"samples", report.samples_per_epoch},
                         {"startup_s", report.startup_s},
                         {"epochs", report.epochs},
                         {"training_s", report.training_s},
                         {"compute_s", report.training.compute_s},
                         {"exposed_s", report.training.exposed_communication_s},
                         {"blocked_s", report.training.blocked_s},
                         {"intra", report.traffic.intra_node_bytes},
                         {"inter", report.traffic.inter_node_bytes}};
  if (report.constant_imbalance) json["constant"] = *report.constant_imbalance;
  if (report.functional_imbalance) json["functional"] = *report.functional_imbalance;
  if (!report.updates_by_staleness.empty()) json["staleness"] = report.updates_by_staleness;
  return json;
}

WorkerReport report_of(const nlohmann::json& json) {
  WorkerReport report;
  report.batch = json.at("batch");
  report.local_steps = json.at("local_steps");
  report.iterations_per_epoch = json.at("iterations");
  report.rounds_per_epoch = json.at("rounds");
  report.samples_per_epoch = json.at("samples");
  report.startup_s = json.at("startup_s");
  report.epochs = json.at("epochs");
  report.training_s = json.at("training_s");
  report.training = {.compute_s = json.at("compute_s"),
                     .exposed_communication_s = json.at("exposed_s"),
                     .blocked_s = json.at("blocked_s")};
  report.traffic = {.intra_node_bytes = json.at("intra"), .inter_node_bytes = json.at("inter")};
  if (json.contains("constant")) report.constant_imbalance = json.at("constant");
  if (json.contains("functional")) report.functional_imbalance = json.at("functional");
  if (json.contains("staleness"))
    report.updates_by_staleness = json.at("staleness").get<std::vector<std::int64_t>>();
  return report;
}

int rank_of(MPI_Comm job) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(job, &rank), "MPI_Comm_rank");
  return rank;
}

}  // namespace

std::optional<RunResult> collect_result(RunResult result,
                                        const std::vector<WorkerInfo>& workers,
                                        const WorkerReport& own,
                                        const std::vector<double>& epochs_s,
                                        MPI_Comm job) {
  const std::vector<std::string> texts = gather_texts(json_of(own).dump(), 0, job);
  if (rank_of(job) != 0) return std::nullopt;
  std::vector<WorkerReport> reports;
  reports.reserve(texts.size());
  for (const std::string& text : texts) reports.push_back(report_of(nlohmann::json::parse(text)));
  std::set<int> nodes;
  for (const WorkerInfo& worker : workers) nodes.insert(worker.node);
  result.nodes = static_cast<int>(nodes.size());
  result.workers = static_cast<int>(workers.size());
  result.epochs = own.epochs;
  result.iterations_per_epoch = own.iterations_per_epoch;
  result.rounds_per_epoch = own.rounds_per_epoch;
  if (own.epochs == 0) {
    result.epochs = 0;
    result.notes.emplace_back("no epoch was run from start to end: there is nothing to time");
    return result;
  }
  add_reports(result, workers, reports, 1);
  // All waiting is exposed in real time.
  if (result.asynchrony) result.asynchrony->server_load.reset();
  add_asynchrony_note(result);
  add_partition_notes(result, workers, reports);
  if (epochs_s.size() > 1) {
    std::vector<double> sorted = epochs_s;
    std::sort(sorted.begin(), sorted.end());
    result.epoch_s_interval =
        Interval{.low_s = quantile_of(sorted, 0.05), .high_s = quantile_of(sorted, 0.95)};
  }
  return result;
}

void collect_timeline(const Timeline& own,
                      const std::vector<WorkerInfo>& workers,
                      const std::string& title,
                      const OutputFile& file,
                      MPI_Comm job) {
  nlohmann::json events = nlohmann::json::array();
  for (const TimelineEvent& event : own.events()) {
    events.push_back(
        {event.worker, event.stream == Stream::compute, event.name, event.start_s, event.end_s});
  }
  const std::vector<std::string> texts = gather_texts(events.dump(), 0, job);
  if (rank_of(job) != 0) return;
  Timeline all;
  for (const std::string& text : texts) {
    for (const auto& event : nlohmann::json::parse(text)) {
      all.add({.worker = event[0],
               .stream = event[1].get<bool>() ? Stream::compute : Stream::communication,
               .name = event[2],
               .start_s = event[3],
               .end_s = event[4]});
    }
  }
  file.write([&](std::ostream& out) { all.write_chrome_trace(out, title, workers); });
}

}  // namespace epochcast::real
