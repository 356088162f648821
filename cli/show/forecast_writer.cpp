// SPDX-License-Identifier: Apache-2.0
#include "cli/show/forecast_writer.hpp"

#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>
#include <vector>

#include "cli/show/cost_front.hpp"
#include "cli/show/csv_row.hpp"
#include "cli/show/forecast_table.hpp"
#include "cli/show/remarks.hpp"
#include "core/job/setting_text.hpp"
#include "results/result_file.hpp"
#include "strategies/learning.hpp"
#include "strategies/run_name.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

class TableWriter : public ForecastWriter {
 public:
  TableWriter(std::ostream& out, const std::vector<ForecastTask>& tasks, TableStyle style)
      : out_(out), table_(tasks, std::move(style)) {}

  void add(const ForecastOutcome& outcome) override {
    const bool is_next =
        !point_.empty() && table_.place_of(point_.front().task) != table_.place_of(outcome.task);
    if (is_next) show();
    point_.push_back(outcome);
  }

  void finish() override {
    show();
    if (!has_run_) return;
    table_.finish(out_);
    show_knees();
    if (!notes_.empty() || !problems_.empty()) out_ << '\n';
    notes_.print(out_);
    problems_.with_one_for_each_flag().print(out_, "not forecast: ");
    front_.print(out_);
    show_legend(out_, has_target_);
  }

 private:
  /// The name of a knee's series, without the period, which may depend on the number of workers.
  static std::string series_name(const RunResult& run) {
    return run.strategy + (setting_of(run, "overlap") == "bucket" ? ", overlap" : "");
  }

  /// Shows the knee of each series: beyond it, more workers are inefficient.
  void show_knees() const {
    if (!has_scaling_) return;
    out_ << "\nThe knee, beyond which a worker more adds less than half of what each has added so "
            "far:\n"
         << (knees_.empty() ? "  not within this sweep\n" : knees_);
  }

  /// Shows the complete point.
  void show() {
    const std::vector<ForecastOutcome> point = std::exchange(point_, {});
    for (const RunResult* run : ranked(point)) {
      has_run_ = true;
      has_target_ = has_target_ || !setting_of(*run, "target").empty();
      const std::string place = table_.place_of(point.front().task);
      notes_.expect(run->strategy, place);
      front_.add(*run, run_name(*run) + (place.empty() ? "" : ", " + place));
      for (const std::string& note : run->notes) notes_.add(note, run->strategy, place);
      if (!is_ranked(*run)) notes_.add(why_not_ranked(*run), run->strategy, place);
      if (!run->scaling) continue;
      has_scaling_ = true;
      if (run->scaling->is_knee) knees_ += "  " + series_name(*run) + ": " + place + "\n";
    }
    for (const ForecastOutcome& outcome : point) {
      const std::string& strategy = outcome.task.strategy;
      const std::string place = table_.place_of(outcome.task);
      problems_.expect(strategy, place);
      for (const std::string& problem : outcome.problems) problems_.add(problem, strategy, place);
    }
    table_.show(out_, point);
    out_.flush();
  }

  std::ostream& out_;
  ForecastTable table_;
  Remarks notes_;
  Remarks problems_;
  CostFront front_;
  std::vector<ForecastOutcome> point_;
  std::string knees_;
  bool has_scaling_ = false;
  bool has_run_ = false;
  bool has_target_ = false;
};

/// The command line may be invalid UTF-8.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// Writes the same document as to_json(runs, command), without keeping the runs.
class JsonWriter : public ForecastWriter {
 public:
  JsonWriter(std::ostream& out, const std::string& command, Command world)
      : out_(out), frame_(to_json(std::vector<RunResult>(), command, world)) {}

  void add(const ForecastOutcome& outcome) override {
    if (!outcome.run) {
      frame_["not_forecast"].push_back(to_json(not_forecast(outcome)));
      return;
    }
    front_.add(*outcome.run, {});
    if (!has_run_) out_ << "{\n  \"schema\": " << text_of(frame_["schema"]) << ",\n  \"runs\": [";
    out_ << (has_run_ ? ",\n" : "\n");
    has_run_ = true;
    for (const char c : "    " + text_of(to_json(*outcome.run))) {
      out_ << c;
      if (c == '\n') out_ << "    ";
    }
    out_.flush();
  }

  void finish() override {
    if (!has_run_) return;
    frame_.erase("schema");
    frame_.erase("runs");
    if (const auto front = front_.places(); !front.empty()) frame_["pareto_front"] = front;
    out_ << "\n  ],\n" << text_of(frame_).substr(2) << '\n';
  }

 private:
  std::ostream& out_;
  Json frame_;  ///< the document without its runs
  CostFront front_;
  bool has_run_ = false;
};

class CsvWriter : public ForecastWriter {
 public:
  explicit CsvWriter(std::ostream& out) : out_(out) {}

  void add(const ForecastOutcome& outcome) override {
    std::string reasons;
    for (const std::string& problem : outcome.problems)
      reasons += (reasons.empty() ? "" : "; ") + problem;
    std::vector<std::string> cells = {point_text(outcome.task.point), outcome.task.strategy};
    const std::vector<std::string> figures =
        outcome.run ? figures_of(*outcome.run) : std::vector<std::string>(kFigures);
    cells.insert(cells.end(), figures.begin(), figures.end());
    cells.push_back(reasons);
    waiting_ += csv_row(cells);
    if (!outcome.run && !has_heading_) return;  // there may be no run at all
    if (!has_heading_) out_ << kHeading;
    has_heading_ = true;
    out_ << std::exchange(waiting_, {}) << std::flush;
  }

  void finish() override {}

 private:
  static constexpr const char* kHeading =
      "point,strategy,platform,network,dataset,nodes,workers,batch,epochs,"
      "iterations_per_epoch,rounds_per_epoch,samples_per_epoch,train_samples,"
      "epoch_s,epoch_s_low,epoch_s_high,startup_s,"
      "compute_s,exposed_communication_s,blocked_s,intra_node_bytes,inter_node_bytes,"
      "precision,samples_per_s,device_samples_per_s,input_grade,currency,epoch_cost,job_cost,epoch_"
      "energy_j,job_energy_j,speed_up,efficiency,"
      "knee,is_ranked,not_forecast\n";
  static constexpr std::size_t kFigures = 33;  // of the columns between strategy and not_forecast

  static std::vector<std::string> figures_of(const RunResult& run) {
    const auto bound = [&](double Interval::*member) {
      return run.epoch_s_interval ? shortest((*run.epoch_s_interval).*member) : std::string();
    };
    return {run.platform,
            run.network,
            run.dataset,
            std::to_string(run.nodes),
            std::to_string(run.workers),
            std::to_string(run.batch),
            std::to_string(run.epochs),
            std::to_string(run.iterations_per_epoch),
            std::to_string(run.rounds_per_epoch),
            std::to_string(run.samples_per_epoch),
            std::to_string(run.train_samples),
            shortest(run.epoch_s),
            bound(&Interval::low_s),
            bound(&Interval::high_s),
            shortest(run.startup_s),
            shortest(run.phases.compute_s),
            shortest(run.phases.exposed_communication_s),
            shortest(run.phases.blocked_s),
            shortest(run.intra_node_bytes),
            shortest(run.inter_node_bytes),
            setting_of(run, "precision"),
            shortest(run.samples_per_s()),
            shortest(run.device_samples_per_s()),
            std::string(to_string(run.input_grade)),
            run.cost ? run.cost->rate.currency : "",
            run.cost ? shortest(run.cost->rate.of(run.epoch_s)) : "",
            run.cost ? shortest(run.cost->rate.of(run.job_s())) : "",
            run.energy ? shortest(run.energy->epoch_j) : "",
            run.energy ? shortest(run.job_j()) : "",
            run.scaling ? shortest(run.scaling->speed_up) : std::string(),
            run.scaling ? shortest(run.scaling->efficiency) : std::string(),
            run.scaling ? (run.scaling->is_knee ? "yes" : "no") : std::string(),
            is_ranked(run) ? "yes" : "no"};
  }

  std::ostream& out_;
  std::string waiting_;  ///< rows of failed forecasts before the first success
  bool has_heading_ = false;
};

}  // namespace

std::unique_ptr<ForecastWriter> make_forecast_writer(std::ostream& out,
                                                     Format format,
                                                     const std::string& command,
                                                     Command world,
                                                     const std::vector<ForecastTask>& tasks,
                                                     TableStyle style) {
  switch (format) {
    case Format::table:
      return std::make_unique<TableWriter>(out, tasks, std::move(style));
    case Format::json:
      return std::make_unique<JsonWriter>(out, command, world);
    case Format::csv:
      return std::make_unique<CsvWriter>(out);
  }
  return nullptr;
}

}  // namespace epochcast
