// SPDX-License-Identifier: Apache-2.0
#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/calibrate/calibration.hpp"
#include "analysis/calibrate/roofline_fit.hpp"
#include "analysis/calibrate/warm_up.hpp"
#include "analysis/pages/calibration_html.hpp"
#include "base/error.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/plain_text.hpp"
#include "base/text/shell_text.hpp"
#include "base/text/units.hpp"
#include "cli/calibrate_rows.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/show_calibration.hpp"
#include "cli/show/table_style.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/job/job.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description calibrate_options() {
  po::options_description options("Options", 110, 60);
  options.add_options()("messages",
                        po::value<std::vector<std::string>>()->value_name("FILE"),
                        "message trace, from epochcast measure messages (several times: sessions "
                        "of the same ranks)")("platform",
                                              po::value<std::string>()->value_name("NAME|FILE"),
                                              "platform whose network and reduction are replaced "
                                              "by the measured ones (default: one made of "
                                              "the message trace's nodes and ranks)")(
      "device-name",
      po::value<std::string>()->default_value("cpu")->value_name("MODEL"),
      "without --platform: the device model of every rank, as cost traces call it")(
      "output", po::value<std::string>()->value_name("FILE"), "platform file to write")(
      "batches",
      po::value<std::vector<std::string>>()->value_name("FILE"),
      "cost trace to look through: warm-up, outliers, drift, differences between ranks; its "
      "measured overlap goes into the platform (several times)")(
      "batches-output",
      po::value<std::string>()->value_name("FILE"),
      "write the only --batches trace again, without its warm-up")(
      "roofline",
      po::value<std::vector<std::string>>()->value_name("FILE"),
      "tables of throughput and cost traces: fit what share of their devices' peak rates networks "
      "reach, for estimates (several times)")("roofline-output",
                                              po::value<std::string>()->value_name("FILE"),
                                              "write what --roofline fits: models/roofline.json")(
      "html", po::value<std::string>()->value_name("FILE"), "write a page with plots of the fit")(
      "name", po::value<std::string>()->value_name("NAME"), "the platform's name")(
      "help", "show this text");
  options.add(wide_option());
  return options;
}

po::options_description all_calibrate_options() {
  po::options_description options = calibrate_options();
  options.add(row_options());
  return options;
}

/// The trace without the samples of its warm-up.
TraceFile trimmed(TraceFile trace) {
  for (CostTrace& cost : trace.costs) {
    for (BatchSamples& batch : cost.batches) {
      const auto warm_up = static_cast<std::ptrdiff_t>(warm_up_of(batch.total_s).samples);
      for (auto part : {&BatchSamples::total_s,
                        &BatchSamples::load_s,
                        &BatchSamples::forward_s,
                        &BatchSamples::backward_s,
                        &BatchSamples::step_s}) {
        std::vector<double>& samples_s = batch.*part;
        if (!samples_s.empty()) samples_s.erase(samples_s.begin(), samples_s.begin() + warm_up);
      }
    }
  }
  return trace;
}

/// The files of an option that may be given several times.
std::vector<std::string> files_from(const po::variables_map& values, const std::string& option) {
  return values.count(option) > 0 ? values[option].as<std::vector<std::string>>()
                                  : std::vector<std::string>();
}

/// The output files of the command, checked.
struct Outputs {
  OutputFile platform;
  OutputFile batches;
  OutputFile roofline;
  OutputFile page;
};

Outputs outputs_from(const po::variables_map& values) {
  Outputs outputs = {.platform = output_from(values, "output"),
                     .batches = output_from(values, "batches-output"),
                     .roofline = output_from(values, "roofline-output"),
                     .page = output_from(values, "html")};
  const std::size_t traces = files_from(values, "batches").size();
  if (outputs.batches.is_wanted() && traces != 1)
    throw UserError("--batches-output: expected one --batches, got " + std::to_string(traces));
  std::vector<fs::path> inputs;
  if (outputs.roofline.is_wanted() && values.count("roofline") == 0)
    throw UserError("--roofline-output: expected --roofline FILE to fit");
  for (const std::string option : {"messages", "batches", "roofline"}) {
    for (const std::string& file : files_from(values, option)) inputs.emplace_back(file);
  }
  if (values.count("platform") > 0) {
    inputs.push_back(Catalog::standard().find(
        "models/platforms", values["platform"].as<std::string>(), "--platform"));
  }
  keep_apart({outputs.platform, outputs.batches, outputs.roofline, outputs.page}, inputs);
  return outputs;
}

/// Shows the traces of --batches, and writes a single one without its warm-up. Returns their costs.
std::vector<CostTrace> look_through_batches(const std::vector<std::string>& files,
                                            const OutputFile& output,
                                            const TableLook& look) {
  std::vector<TraceFile> traces;
  std::vector<CostTrace> costs;
  for (const std::string& file : files) {
    traces.push_back(load_trace(file));
    costs.insert(costs.end(), traces.back().costs.begin(), traces.back().costs.end());
  }
  if (!costs.empty()) show_batches(costs, look);
  if (output.is_wanted()) {
    output.write(to_json(trimmed(traces.front())).dump(2) + "\n");
    std::cout << "wrote " << output.name().string() << '\n';
  }
  return costs;
}

void fit_roofline_of(const std::vector<std::string>& files,
                     const OutputFile& output,
                     const TableLook& look) {
  const Catalog catalog = Catalog::standard();
  std::vector<MeasuredBatch> rows;
  std::string method;
  for (const std::string& file : files) {
    const std::vector<MeasuredBatch> more = load_measured_batches(file, catalog);
    rows.insert(rows.end(), more.begin(), more.end());
    method += (method.empty() ? "" : ", ") + fs::path(file).filename().string();
  }
  Roofline roofline = fit_roofline(rows);
  roofline.source = {.grade = Grade::estimated,
                     .method = "epochcast calibrate --roofline: fitted to " + method};
  show_roofline(rows, roofline, look);
  if (!output.is_wanted()) return;
  output.write(to_json(roofline).dump(2) + "\n");
  std::cout << "wrote " << output.name().string() << '\n';
}

/// The titles of many traces already have this prefix.
std::string calibration_title(const std::string& title) {
  return title.starts_with("Messages") ? title : "Messages: " + title;
}

}  // namespace

CommandHelp calibrate_help() {
  return {.usage = "[OPTIONS]",
          .about = {},
          .groups = {help_group("Options", calibrate_options()),
                     help_group("Throughputs", row_options())},
          .most_used = {},
          .examples = {"epochcast calibrate --messages my-links.json --batches my-cpu.json "
                       "--device-name my-cpu --output my-platform.json --html my-fit.html",
                       "epochcast calibrate --platform dgx-a100 --network resnet50 --batch 64 "
                       "--row \"nodes=1,devices=1: 780/s\" --row \"nodes=1,devices=8: 5900/s\" "
                       "--forecast nodes=2,4,8"}};
}

int run_calibrate(const std::vector<std::string>& arguments) {
  const po::options_description options = all_calibrate_options();
  const po::variables_map values = parse_flags("calibrate", arguments, options);
  if (has_rows(values)) {
    forecast_rows_of(values);
    return 0;
  }
  check_no_rows(values);
  std::vector<fs::path> messages;
  for (const std::string option : {"device-name", "name"}) {
    if (values.count(option) == 0 || is_name(values[option].as<std::string>())) continue;
    throw UserError("--" + option + ": got \"" + values[option].as<std::string>() +
                    "\"; expected " + kExpectedName);
  }
  for (const std::string& file : files_from(values, "messages")) messages.emplace_back(file);
  const Outputs outputs = outputs_from(values);
  const TableLook look = look_from(values);
  const std::vector<CostTrace> costs =
      look_through_batches(files_from(values, "batches"), outputs.batches, look);
  const std::vector<std::string> roofline = files_from(values, "roofline");
  if (!roofline.empty()) fit_roofline_of(roofline, outputs.roofline, look);
  if (messages.empty() && (values.count("batches") > 0 || !roofline.empty())) return 0;
  if (messages.empty())
    throw UserError("--messages: missing; `epochcast measure messages` writes such a trace");
  if (!outputs.platform.is_wanted())
    throw UserError("--output: missing; expected the platform file to write");
  const MessageTrace trace = load_message_sessions(messages);
  const std::vector<std::string> models(trace.node_of_rank.size(),
                                        values["device-name"].as<std::string>());
  const Calibration calibration = calibrate(trace);
  const NetworkFit& fit = calibration.fit;
  Platform platform =
      values.count("platform") == 0
          ? platform_of_trace(trace, models)
          : load_platform(Catalog::standard().find(
                "models/platforms", values["platform"].as<std::string>(), "--platform"));
  platform = calibrated_platform(std::move(platform), fit, trace.source);
  platform = with_overlap(std::move(platform), costs);
  if (values.count("name") > 0) platform.name = values["name"].as<std::string>();
  check_platform(platform, outputs.platform.name().string());
  show_calibration(calibration, look);
  outputs.platform.write(to_json(platform).dump(2) + "\n");
  if (outputs.page.is_wanted()) {
    std::vector<std::string> command = {"epochcast", "calibrate"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    outputs.page.write(calibration_html(
        fit, calibration.checks, calibration_title(trace.title), shell_text(command)));
  }
  std::cout << "wrote " << outputs.platform.name().string() << '\n';
  return 0;
}

}  // namespace epochcast
