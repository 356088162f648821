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
#include "cli/options/job_options.hpp"
#include "cli/show/row_forecasts.hpp"
#include "cli/show/table_style.hpp"
#include "core/job/job.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;
using Texts = std::vector<std::string>;

constexpr int kMostGradientBytes = 8;

Texts row_texts(const po::variables_map& values, const char* option) {
  return values.count(option) > 0 ? values[option].as<Texts>() : Texts();
}

/// "nodes=4:FILE", "ports=8:FILE" or "FILE".
struct BenchmarkFile {
  OsuRun run;
  std::string file;
};

BenchmarkFile benchmark_from(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {.run = {}, .file = text};
  const std::string file = text.substr(colon + 1);
  for (const std::string key : {"nodes=", "ports="}) {
    if (!text.starts_with(key)) continue;
    const auto rows =
        parse_rows_text("nodes=" + text.substr(key.size(), colon - key.size()), {}, "--osu");
    const int count = rows.front().nodes;
    if (key == "nodes=") return {.run = {.nodes = count}, .file = file};
    return {.run = {.ports = count}, .file = file};
  }
  return {.run = {}, .file = text};
}

/// Rows of a file or the options, and what only a platform knows.
struct GivenRows {
  RowsFile file;
  double peak_samples_per_s = 0;  ///< of a device; 0: unknown
};

/// The job and cluster of --network and --platform.
GivenRows described_by_options(const po::variables_map& values) {
  for (const char* option : {"network", "platform"}) {
    if (values.count(option) == 0)
      throw UserError(std::string("--") + option +
                      ": missing; --row needs --network and --platform, or --rows FILE");
  }
  const Catalog catalog = Catalog::standard();
  const Dataset dataset = load_dataset(
      catalog.find("models/datasets", values["dataset"].as<std::string>(), "--dataset"));
  Network network = load_network(
      catalog.find("models/networks", values["network"].as<std::string>(), "--network"), dataset);
  const Platform platform = load_platform(
      catalog.find("models/platforms", values["platform"].as<std::string>(), "--platform"));
  const int gradient_bytes = values["gradient-bytes"].as<int>();
  if (gradient_bytes < 1 || gradient_bytes > kMostGradientBytes)
    throw UserError(
        fmt::format("--gradient-bytes: got \"{}\"; expected 1 to {} bytes of a gradient",
                    gradient_bytes,
                    kMostGradientBytes));
  network.bytes_per_gradient = gradient_bytes;
  GivenRows rows;
  rows.file.node = node_figures(platform, catalog);
  rows.file.job = training_job(network);
  rows.file.job.overlap = overlap_named(values["overlap"].as<std::string>(), "--overlap");
  rows.peak_samples_per_s = peak_samples_per_s(network, platform, catalog);
  if (const std::string note = left_out_note(platform, catalog); !note.empty())
    fmt::print(stderr, "note: {}\n", note);
  return rows;
}

std::string configuration_text(const TrainingRow& row) {
  std::string text = fmt::format(
      "nodes={},devices={},batch={:.4g}", row.nodes, row.devices / row.nodes, row.batch);
  if (row.accumulation > 1) text += fmt::format(",accumulation={}", row.accumulation);
  return text;
}

/// Throws a UserError if the row is faster than its devices can be.
void check_peak(const MeasuredRow& measured, double peak_samples_per_s, const std::string& text) {
  const double most = measured.row.devices * peak_samples_per_s;
  if (most > 0 && samples_of(measured.row) / measured.step_s > most)
    throw UserError(fmt::format(
        "--row: got \"{}\", more than the device's peak allows ({}/s)", text, row_rate_text(most)));
}

/// Throws a UserError for two rows of the job that measure one configuration, and differ.
void check_agreement(const std::vector<MeasuredRow>& rows) {
  constexpr double kMost = 0.1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t other = 0; other < i; ++other) {
      const TrainingRow& a = rows[other].row;
      const TrainingRow& b = rows[i].row;
      const bool is_same = a == b && rows[i].overlap == rows[other].overlap;
      if (!is_same || std::abs(std::log(rows[i].step_s / rows[other].step_s)) <= std::log1p(kMost))
        continue;
      throw UserError(
          fmt::format("row {}: {}/s and {}/s, which are more than 10 % apart; expected "
                      "the one to forecast from",
                      configuration_text(b),
                      row_rate_text(samples_of(a) / rows[other].step_s),
                      row_rate_text(samples_of(b) / rows[i].step_s)));
    }
  }
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
  GivenRows given = values.count("rows") > 0
                        ? GivenRows{.file = load_rows(values["rows"].as<std::string>())}
                        : described_by_options(values);
  RowsFile& rows = given.file;
  for (const std::string& file : row_texts(values, "nccl-tests"))
    add_nccl_tests(read_text_file(file), file, rows.rates);
  for (const std::string& text : row_texts(values, "osu")) {
    BenchmarkFile benchmark = benchmark_from(text);
    benchmark.run.known_ports = rows.node.network_ports;
    benchmark.run.node_bytes_per_s = rows.node.network_bytes_per_s;
    add_osu(read_text_file(benchmark.file), benchmark.run, benchmark.file, rows.rates);
  }
  TrainingRow usual = {.devices = rows.node.devices_per_node,
                       .batch = static_cast<double>(values["batch"].as<int>())};
  if (!(usual.batch >= 1))
    throw UserError(fmt::format("--batch: got \"{}\"; expected a count of samples", usual.batch));
  for (const std::string& text : row_texts(values, "row")) {
    rows.rows.push_back(parse_measured_row(text, usual, "--row"));
    check_devices(rows.rows.back().row, rows.node, "--row", text);
    check_peak(rows.rows.back(), given.peak_samples_per_s, text);
  }
  check_agreement(rows.rows);
  if (values["batch"].defaulted() && !rows.rows.empty())
    usual.batch = base_row(rows.rows).row.batch;
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
                              "gradient-bytes",
                              "format",
                              "wide"};
constexpr std::array kInFile = {"platform", "network", "dataset", "overlap", "gradient-bytes"};

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

/// The fit of all rows, for each measured one.
std::vector<StepForecast> fit_of(const RowsFile& rows) {
  std::vector<TrainingRow> asked;
  for (const MeasuredRow& measured : rows.rows) asked.push_back(measured.row);
  return forecast_rows(
      rows.node, rows.job, {.own = rows.rows, .like = rows.like}, rows.rates, asked);
}

/// Tells of measured rows that the fit of all rows does not have, and of those that are faster than
/// as many single devices.
void warn_of_doubtful_rows(const RowsFile& rows, const std::vector<StepForecast>& fitted) {
  constexpr double kMisfit = 0.1;
  constexpr double kFaster = 1.05;
  const MeasuredRow& base = base_row(rows.rows);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const MeasuredRow& measured = rows.rows[i];
    if (measured.overlap) continue;
    const double samples = samples_of(measured.row);
    const std::string row = fmt::format("warning: row nodes={},devices={}: {}/s",
                                        measured.row.nodes,
                                        measured.row.devices / measured.row.nodes,
                                        row_rate_text(samples / measured.step_s));
    if (std::abs(std::log(fitted[i].step_s / measured.step_s)) > std::log1p(kMisfit)) {
      fmt::print(stderr,
                 "{}; the fit of all rows has {}: rows contradict each other, or the cluster is "
                 "another\n",
                 row,
                 row_rate_text(samples / fitted[i].step_s));
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
                po::value<Texts>()->value_name("[nodes=N:|ports=N:]FILE"),
                "output of osu_latency, osu_bw (of one of N ports), or of osu_allreduce among N "
                "nodes (several times)")(
      "network", po::value<std::string>()->value_name("NAME|FILE"), "with --row: the network")(
      "dataset",
      po::value<std::string>()->default_value("imagenet")->value_name("NAME|FILE"),
      "with --row: its data set")("batch",
                                  po::value<int>()->default_value(32)->value_name("N"),
                                  "batch per device of rows that do not state it; --forecast: "
                                  "without it, that of the rows")(
      "overlap",
      po::value<std::string>()->default_value("bucket")->value_name("KIND"),
      "with --row: when gradients are summed: bucket, tensor, priority, none (after backward) or "
      "unknown")("gradient-bytes",
                 po::value<int>()->default_value(4)->value_name("N"),
                 "with --row: bytes of an exchanged gradient, 2 in half precision")(
      "format",
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
  RowForecasts answers;
  if (!rows.forecast.empty()) {
    answers.steps = forecast_rows(
        rows.node, rows.job, {.own = rows.rows, .like = rows.like}, rows.rates, rows.forecast);
    answers.fit = fit_of(rows);
    warn_of_doubtful_rows(rows, answers.fit);
  }
  answers.collectives =
      forecast_collectives(rows.node.network_bytes_per_s, rows.messages, rows.collectives);
  answers.rounds = forecast_rounds(rows.node.network_bytes_per_s, rows.rounds);
  if (answers.steps.empty() && answers.collectives.empty() && answers.rounds.empty())
    throw UserError("--forecast: missing; expected configurations such as \"nodes=2,4,8\"");
  if (format == Format::table) {
    show_row_forecasts(std::cout, rows, answers, look_from(values));
  } else {
    std::cout << row_forecasts_json(rows, answers).dump(2) << '\n';
  }
}

}  // namespace epochcast
