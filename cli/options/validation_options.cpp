// SPDX-License-Identifier: Apache-2.0
#include "cli/options/validation_options.hpp"

#include <array>
#include <boost/program_options.hpp>
#include <iostream>

#include "base/error.hpp"
#include "base/process/ending.hpp"
#include "base/text/suggest.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/show_validation.hpp"
#include "cli/show/table_style.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace po = boost::program_options;
namespace {

constexpr int kRows = 30;
constexpr int kMostRows = 10'000;
constexpr std::int64_t kLargestSeed = std::int64_t{1} << 53;

double parse_tau(const std::string& text) {
  return parse_number(text, -1, 1, "a number from -1 to 1");
}

ValidationOutput::Format parse_format(const std::string& text) {
  using Format = ValidationOutput::Format;
  static constexpr Names<Format, 3> kFormats = {
      {{"table", Format::table}, {"json", Format::json}, {"markdown", Format::markdown}}};
  for (const auto& [name, format] : kFormats) {
    if (text == name) return format;
  }
  throw UserError("--format: " + unknown_name("format", text, {"table", "json", "markdown"}));
}

}  // namespace

po::options_description bound_options() {
  po::options_description options("Bounds; exit status 1 when one is exceeded", 110, 60);
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("max-median-error", value("SHARE"), "of the absolute errors, such as 3%")(
      "max-p95-error", value("SHARE"), "the absolute error that 95 % of the rows keep")(
      "max-worst-error", value("SHARE"), "the largest absolute error, such as 8%")(
      "max-p90-phase-error",
      value("SHARE"),
      "bound that no phase of 90 % of the rows exceeds, as a share of the epoch")(
      "min-tau", value("TAU"), "Kendall's tau-b of every group with a distinguishable pair")(
      "max-wrong-pairs",
      value("SHARE"),
      "share of distinguishable pairs that are forecast in the wrong order")(
      "min-coverage", value("SHARE"), "measured medians inside their interval, such as 90%")(
      "min-run-coverage", value("SHARE"), "single runs inside their forecast's interval")(
      "max-ks",
      value("DISTANCE"),
      "Kolmogorov-Smirnov distance of single runs from their forecasts, such as 0.2");
  return options;
}

ValidationBounds bounds_from(const po::variables_map& values) {
  std::vector<std::string> problems;
  const auto bound = [&](const char* name, const auto& parse) -> std::optional<double> {
    if (values.count(name) == 0) return std::nullopt;
    try {
      return parse(values[name].as<std::string>());
    } catch (const UserError& error) {
      problems.push_back("--" + std::string(name) + ": " + error.what());
      return std::nullopt;
    }
  };
  const auto error_share = [](const std::string& text) { return parse_share(text); };
  const auto share = [](const std::string& text) { return parse_share(text, 1); };
  ValidationBounds bounds;
  bounds.median_error = bound("max-median-error", error_share);
  bounds.p95_error = bound("max-p95-error", error_share);
  bounds.worst_error = bound("max-worst-error", error_share);
  bounds.p90_phase_error = bound("max-p90-phase-error", error_share);
  bounds.tau = bound("min-tau", parse_tau);
  bounds.wrong_pairs = bound("max-wrong-pairs", share);
  bounds.coverage = bound("min-coverage", share);
  bounds.run_coverage = bound("min-run-coverage", share);
  bounds.ks = bound("max-ks", [](const std::string& text) {
    return parse_number(text, 0, 1, "a distance from 0 to 1");
  });
  if (!problems.empty()) throw UserError(problems);
  return bounds;
}

po::options_description draw_options() {
  po::options_description options("Configurations at random, instead of experiment files", 110, 60);
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("draw",
                        value("SEED"),
                        "draw clusters, networks, speeds, strategies and their settings "
                        "(lab/README.md); the same seed draws the same")(
      "rows",
      value("COUNT"),
      ("how many to draw (default: " + std::to_string(kRows) + ")").c_str())(
      "box",
      value("FILE"),
      "the program that makes the clusters (default: tests/box/box of the source tree)");
  return options;
}

std::optional<ValidationDraw> draw_from(const po::variables_map& values, const Catalog& catalog) {
  std::vector<std::string> problems;
  const auto read = [&](const std::string& name, const auto& part) {
    if (values.count(name) == 0) return;
    const auto& text = values[name].as<std::string>();
    if (values.count("draw") == 0) {
      problems.push_back("--" + name + ": counts with --draw only");
      return;
    }
    try {
      part(text);
    } catch (const UserError& error) {
      problems.push_back("--" + name + ": " + error.what());
    }
  };
  ValidationDraw draw;
  draw.rows = kRows;
  read("draw", [&](const std::string& text) {
    draw.seed = static_cast<std::uint64_t>(parse_count(text, 0, kLargestSeed));
  });
  read("rows", [&](const std::string& text) {
    draw.rows = static_cast<std::size_t>(parse_small_count(text, 1, kMostRows));
  });
  read("box", [&](const std::string& text) {
    draw.box = std::filesystem::absolute(text);
    if (!std::filesystem::is_regular_file(draw.box)) throw UserError(text + ": no such file");
  });
  if (values.count("draw") > 0 && values.count("file") > 0)
    problems.emplace_back("--draw: experiment files are given, too; expected one or the other");
  if (!problems.empty()) throw UserError(problems);
  if (values.count("draw") == 0) return std::nullopt;
  if (draw.box.empty()) draw.box = box_of(catalog);
  return draw;
}

po::options_description validation_output_options() {
  po::options_description options("The result", 110, 60);
  options.add_options()(
      "format",
      po::value<std::string>()->default_value("table")->value_name("table|json|markdown"),
      "of the result on stdout")("html",
                                 po::value<std::string>()->value_name("FILE"),
                                 "write a page with plots, which needs no other files");
  options.add(wide_option());
  return options;
}

ValidationOutput validation_output_from(const po::variables_map& values) {
  ValidationOutput output;
  output.format = parse_format(values["format"].as<std::string>());
  output.look = look_from(values);
  output.html = output_from(values, "html");
  output.bounds = bounds_from(values);
  return output;
}

int show(const ValidationFile& validation, const ValidationOutput& output) {
  if (output.html.is_wanted()) {
    output.html.write(
        to_html(validation.rows, "Forecasts and real runs", validation.command, validation.date));
  }
  switch (output.format) {
    case ValidationOutput::Format::table:
      show_validation(std::cout, validation.rows, output.look);
      break;
    case ValidationOutput::Format::markdown:
      show_validation_markdown(std::cout, validation.rows);
      break;
    case ValidationOutput::Format::json:
      show_validation_json(std::cout, validation.rows, validation.command, validation.date);
      break;
  }
  std::cout.flush();
  const std::vector<std::string> problems = exceeded(summarize(validation.rows), output.bounds);
  for (const std::string& problem : problems) std::cerr << "epochcast: " << problem << '\n';
  return status_of(problems.empty() ? Ending::done : Ending::failed);
}

}  // namespace epochcast
