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

po::options_description format_option() {
  po::options_description options("The result", 110, 60);
  options.add_options()(
      "format",
      po::value<std::string>()->default_value("table")->value_name("table|json|markdown"),
      "of the result on stdout");
  return options;
}

po::options_description validation_output_options() {
  po::options_description options = format_option();
  options.add_options()("html",
                        po::value<std::string>()->value_name("FILE"),
                        "write a page with plots, which needs no other files");
  options.add(wide_option());
  return options;
}

ValidationOutput::Format validation_format_from(const po::variables_map& values) {
  return parse_format(values["format"].as<std::string>());
}

ValidationOutput validation_output_from(const po::variables_map& values) {
  ValidationOutput output;
  output.format = validation_format_from(values);
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
