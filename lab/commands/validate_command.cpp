// SPDX-License-Identifier: Apache-2.0
#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/validation_options.hpp"
#include "cli/validation_work.hpp"
#include "core/job/setting_text.hpp"
#include "lab/commands/commands.hpp"
#include "lab/draw/validation_draw.hpp"
#include "lab/explain/explanation.hpp"
#include "lab/explain/show_explanation.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

constexpr int kRows = 30;
constexpr int kMostRows = 10'000;
constexpr std::int64_t kLargestSeed = std::int64_t{1} << 53;

po::options_description draw_options() {
  po::options_description options("Configurations at random", 110, 60);
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
      "the program that makes the clusters (default: lab/box/box of the source tree)");
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

po::options_description explain_option() {
  po::options_description options("The machine", 110, 60);
  options.add_options()(
      "explain",
      "let runs time batches and exchanges, and show below the result how much of "
      "each error is drift of the machine; no forecast changes");
  return options;
}

void show_drift(const ValidationFile& result,
                const WorkFolder& folder,
                const Catalog& catalog,
                const ValidationOutput& output) {
  if (output.format == ValidationOutput::Format::json) return;  // `explain` has it of the file
  const std::vector<Explanation> explanations = explain(result.rows, folder.path(), catalog);
  std::cout << '\n';
  if (output.format == ValidationOutput::Format::markdown) {
    show_explanation_markdown(std::cout, explanations);
  } else {
    show_explanation(std::cout, explanations, output.look);
  }
}

}  // namespace

CommandHelp lab_validate_help() {
  return {.usage = "--draw SEED|EXPERIMENT... [OPTIONS]",
          .about =
              "The work of `epochcast validate` with configurations drawn at random, or with runs "
              "that time their machine.",
          .groups = {help_group("Configurations at random, instead of experiment files",
                                draw_options()),
                     help_group("The machine", explain_option()),
                     help_group("The run", validation_run_options()),
                     help_group("The result", validation_output_options()),
                     help_group("Bounds; exit status 1 when one is exceeded", bound_options())},
          .most_used = {"draw", "rows", "explain", "folder", "save", "html", "format"},
          .examples = {"epochcast-lab validate --draw 7 --rows 30 --folder build/validation"}};
}

int run_lab_validate(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(draw_options())
      .add(explain_option())
      .add(validation_run_options())
      .add(validation_output_options())
      .add(bound_options());
  options.add_options()("file", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_flags("validate", arguments, options, "file");
  const Catalog catalog = Catalog::standard();
  std::optional<ValidationDraw> draw = draw_from(values, catalog);
  const std::vector<std::filesystem::path> files = files_from(values);
  if (!draw && files.empty())
    throw UserError("validate: expected --draw, or one or more experiment files");
  const ValidationWork work =
      validation_work_from(values, {"epochcast-lab", "validate"}, arguments, files);
  std::vector<ValidationCase> cases;
  if (!draw) cases = cases_of(files, values, work, catalog);
  WorkFolder folder(work.folder);
  if (draw) {
    draw->folder = folder.path();
    cases = draw_validation(*draw, catalog);
  }
  const bool is_explained = values.count("explain") > 0;
  MoreRunWords more_words;
  if (is_explained) {
    more_words = [&](const ValidationCase& one, const std::vector<std::int64_t>& sizes) {
      return timer_words(one, sizes, catalog);
    };
  }
  const ValidationFile result = validate(cases, work, folder, catalog, more_words);
  const int status = show(result, work.output);
  if (is_explained) show_drift(result, folder, catalog, work.output);
  return status;
}

}  // namespace epochcast
