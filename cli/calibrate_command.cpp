// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/calibrate/cost_summary.hpp"
#include "analysis/calibrate/roofline_fit.hpp"
#include "analysis/calibrate/warm_up.hpp"
#include "analysis/pages/calibration_html.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/table.hpp"
#include "cli/show/table_style.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/error.hpp"
#include "core/job/job.hpp"
#include "core/job/setting_text.hpp"
#include "core/plain_text.hpp"
#include "core/shell_text.hpp"
#include "core/spread.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description calibrate_options() {
  po::options_description options("Options", 110, 60);
  options.add_options()("messages",
                        po::value<std::vector<std::string>>()->value_name("FILE"),
                        "message trace, from epochcast measure messages (several times: sessions "
                        "of the same ranks)")(
      "platform",
      po::value<std::string>()->value_name("NAME|FILE"),
      "platform whose network and adding are replaced by what was measured (default: one made of "
      "the message trace's nodes and ranks)")(
      "device-name",
      po::value<std::string>()->default_value("cpu")->value_name("MODEL"),
      "without --platform: the device model of every rank, as cost traces call it")(
      "output", po::value<std::string>()->value_name("FILE"), "platform file to write")(
      "batches",
      po::value<std::vector<std::string>>()->value_name("FILE"),
      "cost trace to look through: warm-up, outliers, drift, differences between ranks (several "
      "times)")("batches-output",
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

std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string rate(double bytes_per_s) { return format_bytes(bytes_per_s) + "/s"; }

using enum Table::Align;

void show_points(const std::string& kind,
                 const std::vector<FitPoint>& points,
                 const TableLook& look) {
  Table table;
  table.add_column({.title = kind, .align = right, .importance = Table::kAlways});
  table.add_column({.title = "measured", .align = right, .importance = 20});
  table.add_column({.title = "fitted", .align = right, .importance = 10});
  table.add_column({.title = "error", .align = right, .importance = 30});
  for (const FitPoint& point : points) {
    table.add_row({format_bytes(point.bytes),
                   format_seconds(point.measured_s),
                   format_seconds(point.fitted_s),
                   signed_percent(point.error())});
  }
  table.print_whole(std::cout, look);
  std::cout << '\n';
}

void show_scope(const std::string& title, const ScopeFit& fit, const TableLook& look) {
  std::cout << title << ": " << rate(fit.bytes_per_s) << " each way; a round of a barrier "
            << format_seconds(fit.costs.barrier_round_s) << '\n';
  for (const MessageRegime& regime : fit.costs.regimes) {
    std::cout << "  from " << format_bytes(regime.from_bytes) << ": "
              << format_seconds(regime.latency_s) << " + " << rate(regime.bytes_per_s) << '\n';
  }
  if (std::isfinite(fit.costs.turns_from_bytes)) {
    std::cout << "  from " << format_bytes(fit.costs.turns_from_bytes)
              << ": the library's own collectives (openmpi) exchange one way after the other";
    if (fit.costs.turns_share_of_two < 1)
      std::cout << ", " << format_percent(fit.costs.turns_share_of_two, 0) << " of it between two";
    if (fit.costs.turns_share < 1)
      std::cout << ", " << format_percent(fit.costs.turns_share, 0)
                << " of it among three and more";
    std::cout << '\n';
  }
  if (fit.stalls > 0) {
    std::cout << "  note: " << fit.stalls << " sample"
              << (fit.stalls == 1 ? " is a stall" : "s are stalls")
              << " of the machine, far from all others, and left out\n";
  }
  for (const std::string& note : fit.costs.notes) std::cout << "  note: " << note << '\n';
  if (!fit.costs.one_way.empty()) {
    const OneWayShare& large = fit.costs.one_way.back();
    std::cout << "  where nothing comes the other way, " << format_bytes(large.bytes) << " take "
              << format_percent(large.share, 0) << " of that\n";
  }
  std::cout << '\n';
  if (!fit.ping_pong.empty()) show_points("ping-pong", fit.ping_pong, look);
  if (!fit.ring_step.empty()) show_points("ring step", fit.ring_step, look);
}

/// Each node's link, and the messages of the faster ones.
void show_links(const NetworkFit& fit, const TableLook& look) {
  if (fit.link_bytes_per_s.empty()) return;
  std::cout << "Links of the nodes\n";
  Table table;
  table.add_column({.title = "node", .align = right, .importance = Table::kAlways});
  table.add_column({.title = "each way", .align = right, .importance = Table::kAlways});
  for (std::size_t node = 0; node < fit.link_bytes_per_s.size(); ++node)
    table.add_row({std::to_string(node), rate(fit.link_bytes_per_s[node])});
  table.print_whole(std::cout, look);
  std::cout << '\n';
  for (const FasterNodes& faster : fit.faster)
    show_scope("Between nodes " + nodes_text(faster.nodes), faster.fit, look);
}

void show_checks(const std::vector<AllReduceCheck>& checks, const TableLook& look) {
  if (checks.empty()) return;
  const bool is_any_fitted = std::any_of(
      checks.begin(), checks.end(), [](const AllReduceCheck& check) { return check.is_fitted; });
  std::cout << "All-reduces, not used for the fit"
            << (is_any_fitted ? " (but *: how much exchanges take turns is fitted to them)" : "")
            << "; forecasts of\nthe same algorithms among as many ranks take what was measured\n";
  Table table;
  table.add_column({.title = "among", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "algorithm", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "size", .align = right, .importance = Table::kAlways});
  table.add_column({.title = "measured", .align = right, .importance = 20});
  table.add_column({.title = "forecast", .align = right, .importance = 10});
  table.add_column({.title = "error", .align = right, .importance = 30});
  for (const AllReduceCheck& check : checks) {
    table.add_row({check.all_reduce.scope,
                   check.all_reduce.algorithm + (check.is_fitted ? " *" : ""),
                   format_bytes(check.all_reduce.bytes),
                   format_seconds(check.measured_s),
                   format_seconds(check.forecast_s),
                   signed_percent(check.error())});
  }
  table.print_whole(std::cout, look);
  std::cout << judgement(checks) << '\n';
}

std::string ratio(double value) { return fmt::format("{:.3f}", value); }

void show_batches(const std::vector<CostTrace>& costs, const TableLook& look) {
  Table table;
  table.add_column({.title = "device", .align = left, .importance = 80});
  table.add_column({.title = "network", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "batch", .align = right, .importance = Table::kAlways});
  table.add_column({.title = "samples", .align = right, .importance = 30});
  table.add_column({.title = "warm-up", .align = right, .importance = 40});
  table.add_column({.title = "median", .align = right, .importance = Table::kAlways});
  table.add_column({.title = "5 - 95 %", .align = right, .importance = 90});
  table.add_column({.title = "outliers", .align = right, .importance = 20});
  table.add_column({.title = "longest", .align = right, .importance = 10});
  table.add_column({.title = "drift", .align = right, .importance = 70});
  table.add_column({.title = "sessions", .align = right, .importance = 60});
  table.add_column({.title = "ranks", .align = right, .importance = 50});
  for (const CostTrace& trace : costs) {
    for (const CostRow& row : cost_rows(trace)) {
      table.add_row({row.device,
                     row.network,
                     std::to_string(row.batch),
                     std::to_string(row.samples),
                     std::to_string(row.trimmed),
                     format_seconds(row.median_s),
                     format_seconds(row.p5_s) + " .. " + format_seconds(row.p95_s),
                     std::to_string(row.outliers),
                     format_seconds(row.longest_s),
                     ratio(row.drift),
                     std::to_string(row.sessions) + ": " + ratio(row.session_spread),
                     std::to_string(row.ranks) + ": " + ratio(row.rank_spread)});
    }
  }
  table.print_whole(std::cout, look);
  std::cout << "Drift: median of a series' last third over that of its first; sessions and ranks: "
               "how many,\nand the largest of their medians over the smallest. Outliers are kept: "
               "real runs have them, too.\n\n";
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

/// Where the command writes, tried.
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

/// Shows what --batches name, and writes the only one of them without its warm-up.
void look_through_batches(const std::vector<std::string>& files,
                          const OutputFile& output,
                          const TableLook& look) {
  std::vector<TraceFile> traces;
  std::vector<CostTrace> costs;
  for (const std::string& file : files) {
    traces.push_back(load_trace(file));
    costs.insert(costs.end(), traces.back().costs.begin(), traces.back().costs.end());
  }
  if (!costs.empty()) show_batches(costs, look);
  if (!output.is_wanted()) return;
  output.write(to_json(trimmed(traces.front())).dump(2) + "\n");
  std::cout << "wrote " << output.name().string() << '\n';
}

std::string percent_off(double estimate, double measured) {
  return signed_percent(estimate / measured - 1);
}

void show_roofline_rows(const std::vector<MeasuredBatch>& rows,
                        const Roofline& roofline,
                        const TableLook& look) {
  Table table;
  table.add_column({.title = "device", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "network", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "precision", .align = left, .importance = 50});
  table.add_column({.title = "batch", .align = right, .importance = 60});
  table.add_column({.title = "measured", .align = right, .importance = 30});
  table.add_column({.title = "fitted", .align = right, .importance = Table::kAlways});
  table.add_column({.title = "without the network", .align = right, .importance = 40});
  table.add_column({.title = "without the device", .align = right, .importance = 20});
  for (const MeasuredBatch& row : rows) {
    const double fitted_s = seconds_of(work_of(row.network, row.batch, row.precision),
                                       row.device,
                                       row.precision,
                                       roofline.by_class.at(row.device.device_class));
    table.add_row({row.device.name,
                   row.network.name,
                   show_name(row.precision, kPrecisions),
                   std::to_string(row.batch),
                   format_seconds(row.seconds),
                   percent_off(fitted_s, row.seconds),
                   percent_off(row.without_network_s, row.seconds),
                   percent_off(row.without_device_s, row.seconds)});
  }
  table.print_whole(std::cout, look);
  std::cout
      << "Fitted: estimate / measured - 1; without: of fits that have not seen any row of the "
         "network, or of the device.\n\n";
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
  show_roofline_rows(rows, roofline, look);
  for (const auto& [device_class, efficiency] : roofline.by_class) {
    std::cout << fmt::format(
        "{}: of networks left out, half are off by a factor of {:.2f} at most, nine of ten by "
        "{:.2f}; "
        "scaled by another network on the device, by {:.2f} and {:.2f}\n",
        device_class,
        efficiency.usual_error,
        efficiency.most_error,
        efficiency.usual_scaled_error,
        efficiency.most_scaled_error);
  }
  if (!output.is_wanted()) return;
  output.write(to_json(roofline).dump(2) + "\n");
  std::cout << "wrote " << output.name().string() << '\n';
}

/// Titles of traces mostly begin so by themselves.
std::string calibration_title(const std::string& title) {
  return title.starts_with("Messages") ? title : "Messages: " + title;
}

}  // namespace

CommandHelp calibrate_help() {
  return {.usage = "[OPTIONS]",
          .about = {},
          .groups = {help_group("Options", calibrate_options())},
          .most_used = {},
          .examples = {"epochcast calibrate --messages my-links.json --batches my-cpu.json "
                       "--device-name my-cpu --output my-platform.json --html my-fit.html"}};
}

int run_calibrate(const std::vector<std::string>& arguments) {
  const po::options_description options = calibrate_options();
  const po::variables_map values = parse_flags("calibrate", arguments, options);
  std::vector<fs::path> messages;
  for (const std::string option : {"device-name", "name"}) {
    if (values.count(option) == 0 || is_name(values[option].as<std::string>())) continue;
    throw UserError("--" + option + ": got \"" + values[option].as<std::string>() +
                    "\"; expected " + kExpectedName);
  }
  for (const std::string& file : files_from(values, "messages")) messages.emplace_back(file);
  const Outputs outputs = outputs_from(values);
  const TableLook look = look_from(values);
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
  if (values.count("name") > 0) platform.name = values["name"].as<std::string>();
  check_platform(platform, outputs.platform.name().string());
  if (fit.between) show_scope("Between nodes", *fit.between, look);
  if (fit.backbone)
    std::cout << "All messages between the " << fit.backbone->nodes << " nodes share "
              << rate(fit.backbone->bytes_per_s) << "\n\n";
  show_links(fit, look);
  if (fit.node) show_scope("Inside nodes", *fit.node, look);
  if (fit.reduce_bytes_per_s > 0)
    std::cout << "Adding: " << rate(fit.reduce_bytes_per_s) << " with all ranks at it\n\n";
  show_checks(calibration.checks, look);
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
