// SPDX-License-Identifier: Apache-2.0
#include "cli/show/forecast_writer.hpp"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "cli/show/show_forecasts.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

class TableWriter : public ForecastWriter {
 public:
  explicit TableWriter(std::ostream& out) : out_(out) {}

  void add(const ForecastOutcome& outcome) override {
    if (!point_.empty() && point_.front().task.point != outcome.task.point) show();
    point_.push_back(outcome);
    has_run_ = has_run_ || outcome.run.has_value();
  }

  void finish() override {
    show();
    if (has_run_) show_legend(out_);
  }

 private:
  /// The points so far, once there is a run among them.
  void show() {
    waiting_.push_back(std::move(point_));
    point_.clear();
    if (!has_run_) return;
    for (const std::vector<ForecastOutcome>& point : waiting_) {
      if (has_shown_) out_ << '\n';
      show_point(out_, point);
      has_shown_ = true;
    }
    waiting_.clear();
    out_.flush();
  }

  std::ostream& out_;
  std::vector<ForecastOutcome> point_;
  std::vector<std::vector<ForecastOutcome>> waiting_;
  bool has_run_ = false;
  bool has_shown_ = false;
};

/// What was typed may be no UTF-8.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// The same document as to_json(runs, command), whose runs are not kept.
class JsonWriter : public ForecastWriter {
 public:
  JsonWriter(std::ostream& out, const std::string& command, Command world)
      : out_(out), frame_(to_json(std::vector<RunResult>(), command, world)) {}

  void add(const ForecastOutcome& outcome) override {
    if (!outcome.run) {
      frame_["not_forecast"].push_back({{"strategy", outcome.task.strategy},
                                        {"point", outcome.task.point},
                                        {"problems", outcome.problems}});
      return;
    }
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
    out_ << "\n  ],\n" << text_of(frame_).substr(2) << '\n';
  }

 private:
  std::ostream& out_;
  Json frame_;  ///< the document without its runs
  bool has_run_ = false;
};

class CsvWriter : public ForecastWriter {
 public:
  explicit CsvWriter(std::ostream& out) : out_(out) {}

  void add(const ForecastOutcome& outcome) override {
    if (!outcome.run) return;
    if (!has_heading_) {
      out_ << "point,strategy,platform,network,dataset,nodes,workers,batch,epochs,"
              "iterations_per_epoch,rounds_per_epoch,samples_per_epoch,train_samples,"
              "epoch_s,epoch_s_low,epoch_s_high,startup_s,"
              "compute_s,exposed_communication_s,blocked_s,intra_node_bytes,inter_node_bytes,"
              "input_grade\n";
      has_heading_ = true;
    }
    const RunResult& run = *outcome.run;
    const auto bound = [&](double Interval::*member) {
      return run.epoch_s_interval ? number((*run.epoch_s_interval).*member) : std::string();
    };
    out_ << quoted(outcome.task.point) << ',' << run.strategy << ',' << quoted(run.platform) << ','
         << quoted(run.network) << ',' << quoted(run.dataset) << ',' << run.nodes << ','
         << run.workers << ',' << run.batch << ',' << run.epochs << ',' << run.iterations_per_epoch
         << ',' << run.rounds_per_epoch << ',' << run.samples_per_epoch << ',' << run.train_samples
         << ',' << number(run.epoch_s) << ',' << bound(&Interval::low_s) << ','
         << bound(&Interval::high_s) << ',' << number(run.startup_s) << ','
         << number(run.phases.compute_s) << ',' << number(run.phases.exposed_communication_s) << ','
         << number(run.phases.blocked_s) << ',' << number(run.intra_node_bytes) << ','
         << number(run.inter_node_bytes) << ',' << to_string(run.input_grade) << std::endl;
  }

  void finish() override {}

 private:
  static std::string number(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
  }

  static std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
    return result + "\"";
  }

  std::ostream& out_;
  bool has_heading_ = false;
};

}  // namespace

std::unique_ptr<ForecastWriter> make_forecast_writer(std::ostream& out,
                                                     Format format,
                                                     const std::string& command,
                                                     Command world) {
  switch (format) {
    case Format::table:
      return std::make_unique<TableWriter>(out);
    case Format::json:
      return std::make_unique<JsonWriter>(out, command, world);
    case Format::csv:
      return std::make_unique<CsvWriter>(out);
  }
  return nullptr;
}

}  // namespace epochcast
