// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analysis/throughput/benchmark_output.hpp"
#include "analysis/throughput/job_figures.hpp"
#include "analysis/throughput/row_text.hpp"
#include "analysis/throughput/rows_file.hpp"
#include "base/error.hpp"
#include "base/files/text_file.hpp"
#include "base/text/units.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/table.hpp"
#include "cli/show/table_style.hpp"
#include "core/job/job.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;
using Texts = std::vector<std::string>;

Texts row_texts(const po::variables_map& values, const char* option) {
  return values.count(option) > 0 ? values[option].as<Texts>() : Texts();
}

/// "nodes=4:FILE" or "FILE".
struct BenchmarkFile {
  int nodes = 1;
  std::string file;
};

BenchmarkFile benchmark_from(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (!text.starts_with("nodes=") || colon == std::string::npos) return {.file = text};
  const auto rows = parse_rows_text(text.substr(0, colon), {}, "--osu");
  return {.nodes = rows.front().nodes, .file = text.substr(colon + 1)};
}

/// The job and cluster of --network and --platform.
RowsFile described_by_options(const po::variables_map& values) {
  for (const char* option : {"network", "platform"}) {
    if (values.count(option) == 0)
      throw UserError(std::string("--") + option +
                      ": missing; --row needs --network and --platform, or --rows FILE");
  }
  const Catalog catalog = Catalog::standard();
  const Dataset dataset = load_dataset(
      catalog.find("models/datasets", values["dataset"].as<std::string>(), "--dataset"));
  const Network network = load_network(
      catalog.find("models/networks", values["network"].as<std::string>(), "--network"), dataset);
  const Platform platform = load_platform(
      catalog.find("models/platforms", values["platform"].as<std::string>(), "--platform"));
  RowsFile rows;
  rows.node = node_figures(platform, catalog);
  rows.job = training_job(network);
  rows.job.overlap = overlap_named(values["overlap"].as<std::string>(), "--overlap");
  return rows;
}

/// Throws a UserError if a node of the row has more devices than one of the cluster.
void check_devices(const TrainingRow& row,
                   const NodeFigures& node,
                   const std::string& option,
                   const std::string& text) {
  if (row.devices <= row.nodes * node.devices_per_node) return;
  throw UserError(fmt::format("{}: got \"{}\"; expected at most the {} devices of a node",
                              option,
                              text,
                              node.devices_per_node));
}

/// The rates and rows of the options, added to those of the file.
RowsFile rows_from(const po::variables_map& values) {
  RowsFile rows = values.count("rows") > 0 ? load_rows(values["rows"].as<std::string>())
                                           : described_by_options(values);
  for (const std::string& file : row_texts(values, "nccl-tests"))
    add_nccl_tests(read_text_file(file), file, rows.rates);
  for (const std::string& text : row_texts(values, "osu")) {
    const BenchmarkFile benchmark = benchmark_from(text);
    add_osu(read_text_file(benchmark.file), benchmark.nodes, benchmark.file, rows.rates);
  }
  const TrainingRow usual = {.devices = rows.node.devices_per_node,
                             .batch = static_cast<double>(values["batch"].as<int>())};
  if (!(usual.batch >= 1))
    throw UserError(fmt::format("--batch: got \"{}\"; expected a count of samples", usual.batch));
  for (const std::string& text : row_texts(values, "row")) {
    rows.rows.push_back(parse_measured_row(text, usual, "--row"));
    check_devices(rows.rows.back().row, rows.node, "--row", text);
  }
  for (const std::string& text : row_texts(values, "forecast")) {
    const std::vector<TrainingRow> more = parse_rows_text(text, usual, "--forecast");
    for (const TrainingRow& row : more) check_devices(row, rows.node, "--forecast", text);
    rows.forecast.insert(rows.forecast.end(), more.begin(), more.end());
  }
  return rows;
}

/// Options of `calibrate` that forecasts of throughputs use. Those of the second list describe what
/// a rows file does.
constexpr std::array kUsed = {"row",
                              "rows",
                              "forecast",
                              "nccl-tests",
                              "osu",
                              "platform",
                              "network",
                              "dataset",
                              "batch",
                              "overlap",
                              "format",
                              "wide"};
constexpr std::array kInFile = {"platform", "network", "dataset", "overlap"};

/// Throws a UserError for options without effect.
void check_used(const po::variables_map& values) {
  const auto is_in = [](const auto& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& [name, value] : values) {
    if (value.defaulted()) continue;
    if (!is_in(kUsed, name)) throw UserError("--" + name + ": does not go with --row or --rows");
    if (values.count("rows") > 0 && is_in(kInFile, name))
      throw UserError("--" + name + ": is stated by the file of --rows");
  }
}

/// Samples per second: integers from 100 on, else three digits.
std::string rate_text(double samples_per_s) {
  return samples_per_s >= 100 ? fmt::format("{:.0f}", samples_per_s)
                              : fmt::format("{:.3g}", samples_per_s);
}

double samples_of(const TrainingRow& row) { return row.batch * row.accumulation * row.devices; }

void show_table(const RowsFile& rows,
                const std::vector<StepForecast>& forecasts,
                const std::vector<StepForecast>& collectives,
                const std::vector<StepForecast>& rounds,
                const TableLook& look) {
  using enum Table::Align;
  Table table;
  for (const char* title :
       {"nodes", "devices", "batch", "step", "samples/s", "90 % between", "and"})
    table.add_column(title, right);
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    const TrainingRow& row = rows.forecast[i];
    const double samples = samples_of(row);
    table.add_row({fmt::format("{}", row.nodes),
                   fmt::format("{}", row.devices),
                   fmt::format("{:.4g}", row.batch),
                   format_seconds(forecasts[i].step_s),
                   rate_text(samples / forecasts[i].step_s),
                   rate_text(samples / forecasts[i].high_s),
                   rate_text(samples / forecasts[i].low_s)});
  }
  if (!forecasts.empty()) table.print_whole(std::cout, look);
  Table others;
  for (const char* title : {"nodes", "size", "collective", "90 % between", "and"})
    others.add_column(title, right);
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    others.add_row({fmt::format("{}", rows.collectives[i].nodes),
                    format_bytes(rows.collectives[i].bytes),
                    format_seconds(collectives[i].step_s),
                    format_seconds(collectives[i].low_s),
                    format_seconds(collectives[i].high_s)});
  }
  if (!collectives.empty()) others.print_whole(std::cout, look);
  Table of_rounds;
  for (const char* title : {"target batch", "round", "samples/s", "90 % between", "and"})
    of_rounds.add_column(title, right);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const double samples = rows.rounds[i].target;
    of_rounds.add_row({fmt::format("{:.0f}", samples),
                       format_seconds(rounds[i].step_s),
                       rate_text(samples / rounds[i].step_s),
                       rate_text(samples / rounds[i].high_s),
                       rate_text(samples / rounds[i].low_s)});
  }
  if (!rounds.empty()) of_rounds.print_whole(std::cout, look);
}

/// Tells of measured rows that the fit of all rows does not have, and of those that are faster than
/// as many single devices.
void warn_of_doubtful_rows(const RowsFile& rows) {
  constexpr double kMisfit = 0.1;
  constexpr double kFaster = 1.05;
  std::vector<TrainingRow> asked;
  for (const MeasuredRow& measured : rows.rows) asked.push_back(measured.row);
  const std::vector<StepForecast> fitted =
      forecast_rows(rows.node, rows.job, {.own = rows.rows, .like = rows.like}, rows.rates, asked);
  const MeasuredRow& base = base_row(rows.rows);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const MeasuredRow& measured = rows.rows[i];
    if (measured.overlap) continue;
    const double samples = samples_of(measured.row);
    const std::string row = fmt::format("warning: row nodes={},devices={}: {}/s",
                                        measured.row.nodes,
                                        measured.row.devices / measured.row.nodes,
                                        rate_text(samples / measured.step_s));
    if (std::abs(std::log(fitted[i].step_s / measured.step_s)) > std::log1p(kMisfit)) {
      fmt::print(stderr,
                 "{}; the fit of all rows has {}: rows contradict each other, or the cluster is "
                 "another\n",
                 row,
                 rate_text(samples / fitted[i].step_s));
    }
    const bool is_same_batch =
        measured.row.batch == base.row.batch && measured.row.accumulation == base.row.accumulation;
    if (is_same_batch && measured.step_s * kFaster < base.step_s)
      fmt::print(stderr,
                 "{}, more than {} devices make at the rate of the row with {} in all\n",
                 row,
                 measured.row.devices,
                 base.row.devices);
  }
}

nlohmann::ordered_json json_of(const StepForecast& forecast) {
  return {{"seconds", forecast.step_s}, {"low", forecast.low_s}, {"high", forecast.high_s}};
}

}  // namespace

po::options_description row_options() {
  po::options_description options("Throughputs", 110, 60);
  options.add_options()(
      "row",
      po::value<Texts>()->value_name("TEXT"),
      "a measured configuration, \"nodes=1,devices=4: 926/s\" (samples of all devices) or \"...: "
      "276ms\" (a step); devices are those of a node (several times)")(
      "forecast",
      po::value<Texts>()->value_name("TEXT"),
      "configurations to forecast from --row or --rows: \"nodes=2,4,8\", \"nodes=4,batch=32,64\"")(
      "rows",
      po::value<std::string>()->value_name("FILE"),
      "the same in a file, with the job and the cluster")(
      "nccl-tests",
      po::value<Texts>()->value_name("FILE"),
      "output of nccl-tests' all_reduce_perf: the rate inside a node, or of the network (several "
      "times)")("osu",
                po::value<Texts>()->value_name("[nodes=N:]FILE"),
                "output of osu_latency, osu_bw, or of osu_allreduce among N nodes (several times)")(
      "network", po::value<std::string>()->value_name("NAME|FILE"), "with --row: the network")(
      "dataset",
      po::value<std::string>()->default_value("imagenet")->value_name("NAME|FILE"),
      "with --row: its data set")("batch",
                                  po::value<int>()->default_value(32)->value_name("N"),
                                  "batch per device of rows that do not state it")(
      "overlap",
      po::value<std::string>()->default_value("bucket")->value_name("KIND"),
      "with --row: when gradients are summed: bucket, tensor, priority, none (after backward) or "
      "unknown")("format",
                 po::value<std::string>()->default_value("table")->value_name("table|json"),
                 "how to print forecasts");
  return options;
}

bool has_rows(const po::variables_map& values) {
  return values.count("rows") > 0 || values.count("row") > 0;
}

void check_no_rows(const po::variables_map& values) {
  const po::options_description options = row_options();
  for (const auto& option : options.options()) {
    const std::string& name = option->long_name();
    if (values.count(name) > 0 && !values[name].defaulted())
      throw UserError("--" + name + ": goes with --row or --rows");
  }
}

void forecast_rows_of(const po::variables_map& values) {
  check_used(values);
  const Format format = format_from(values);
  if (format == Format::csv) throw UserError("--format: got \"csv\"; expected table or json");
  const RowsFile rows = rows_from(values);
  std::vector<StepForecast> forecasts;
  if (!rows.forecast.empty()) {
    forecasts = forecast_rows(
        rows.node, rows.job, {.own = rows.rows, .like = rows.like}, rows.rates, rows.forecast);
    warn_of_doubtful_rows(rows);
  }
  const std::vector<StepForecast> collectives =
      forecast_collectives(rows.node.network_bytes_per_s, rows.messages, rows.collectives);
  const std::vector<StepForecast> rounds =
      forecast_rounds(rows.node.network_bytes_per_s, rows.rounds);
  if (forecasts.empty() && collectives.empty() && rounds.empty())
    throw UserError("--forecast: missing; expected configurations such as \"nodes=2,4,8\"");
  if (format == Format::table) {
    show_table(rows, forecasts, collectives, rounds, look_from(values));
    return;
  }
  nlohmann::ordered_json document = {{"schema", "epochcast.row-forecasts/1"}};
  document["forecast"] = nlohmann::ordered_json::array();
  document["collectives"] = nlohmann::ordered_json::array();
  document["rounds"] = nlohmann::ordered_json::array();
  for (const StepForecast& forecast : forecasts) document["forecast"].push_back(json_of(forecast));
  for (const StepForecast& forecast : collectives)
    document["collectives"].push_back(json_of(forecast));
  for (const StepForecast& forecast : rounds) document["rounds"].push_back(json_of(forecast));
  std::cout << document.dump(2) << '\n';
}

}  // namespace epochcast
