// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_calibration.hpp"

#include <fmt/core.h>

#include <iostream>
#include <string>

#include "analysis/calibrate/cost_summary.hpp"
#include "analysis/pages/calibration_html.hpp"
#include "base/text/units.hpp"
#include "cli/show/table.hpp"
#include "core/costs/roofline.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

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
  std::cout << title << ": " << rate(fit.bytes_per_s) << " each way\n";
  const MessageRegime& line = fit.costs.regimes.front();
  std::cout << "  a message: " << format_seconds(line.latency_s) << " + bytes / "
            << rate(line.bytes_per_s) << '\n';
  if (fit.stalls > 0) {
    std::cout << "  note: " << fit.stalls << " sample"
              << (fit.stalls == 1 ? " is a stall" : "s are stalls")
              << " of the machine, far from all others, and left out\n";
  }
  for (const std::string& note : fit.costs.notes) std::cout << "  note: " << note << '\n';
  std::cout << '\n';
  if (!fit.ping_pong.empty()) show_points("ping-pong", fit.ping_pong, look);
  if (!fit.ring_step.empty()) show_points("ring step", fit.ring_step, look);
}

/// The link of each node.
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
}

void show_checks(const std::vector<AllReduceCheck>& checks, const TableLook& look) {
  if (checks.empty()) return;
  std::cout << "All-reduces, not used for the fit; forecasts of\n"
               "the same algorithms among as many ranks take what was measured\n";
  Table table;
  table.add_column({.title = "among", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "algorithm", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "size", .align = right, .importance = Table::kAlways});
  table.add_column({.title = "measured", .align = right, .importance = 20});
  table.add_column({.title = "forecast", .align = right, .importance = 10});
  table.add_column({.title = "error", .align = right, .importance = 30});
  for (const AllReduceCheck& check : checks) {
    table.add_row({check.all_reduce.scope,
                   check.all_reduce.algorithm,
                   format_bytes(check.all_reduce.bytes),
                   format_seconds(check.measured_s),
                   format_seconds(check.forecast_s),
                   signed_percent(check.error())});
  }
  table.print_whole(std::cout, look);
  std::cout << judgement(checks) << '\n';
}

std::string ratio(double value) { return fmt::format("{:.3f}", value); }

std::string percent_off(double estimate, double measured) {
  return signed_percent(estimate / measured - 1);
}

}  // namespace

void show_calibration(const Calibration& calibration, const TableLook& look) {
  const NetworkFit& fit = calibration.fit;
  if (fit.between) show_scope("Between nodes", *fit.between, look);
  show_links(fit, look);
  if (fit.node) show_scope("Inside nodes", *fit.node, look);
  if (fit.reduce_bytes_per_s > 0)
    std::cout << "Adding: " << rate(fit.reduce_bytes_per_s) << " with all ranks at it\n\n";
  show_checks(calibration.checks, look);
}

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

void show_roofline(const std::vector<MeasuredBatch>& rows,
                   const Roofline& roofline,
                   const TableLook& look) {
  Table table;
  table.add_column({.title = "device", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "network", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "precision", .align = left, .importance = 50});
  table.add_column({.title = "kernels", .align = left, .importance = 45});
  table.add_column({.title = "batch", .align = right, .importance = 60});
  table.add_column({.title = "measured", .align = right, .importance = 30});
  table.add_column({.title = "fitted", .align = right, .importance = Table::kAlways});
  table.add_column({.title = "without the network", .align = right, .importance = 40});
  table.add_column({.title = "without the device", .align = right, .importance = 20});
  for (const MeasuredBatch& row : rows) {
    const double fitted_s =
        seconds_of(work_of(row.network, row.batch, row.precision),
                   row.device,
                   row.precision,
                   roofline.by_class.at({row.device.device_class, row.kernels}));
    table.add_row({row.device.name,
                   row.network.name,
                   show_name(row.precision, kPrecisions),
                   show_name(row.kernels, kKernels),
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
  for (const auto& [key, efficiency] : roofline.by_class) {
    std::cout << fmt::format(
        "{}, {} kernels: of networks or devices left out, half are off by a factor of {:.2f} at "
        "most, nine of ten by {:.2f}; "
        "scaled by another network on the device, by {:.2f} and {:.2f}\n",
        key.first,
        show_name(key.second, kKernels),
        efficiency.usual_error,
        efficiency.most_error,
        efficiency.usual_scaled_error,
        efficiency.most_scaled_error);
  }
}

}  // namespace epochcast
