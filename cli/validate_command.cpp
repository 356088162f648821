// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>

#include "analysis/validate/validation_run.hpp"
#include "base/error.hpp"
#include "base/process/interruption.hpp"
#include "base/process/temp_folder.hpp"
#include "base/text/progress_bar.hpp"
#include "base/text/shell_text.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/validation_options.hpp"
#include "cli/show/show_validation.hpp"
#include "core/job/setting_text.hpp"
#include "core/source.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description run_options() {
  po::options_description options("The runs", 110, 60);
  options.add_options()("folder",
                        po::value<std::string>()->value_name("FOLDER"),
                        "keep measurements and runs here; kept ones are not repeated "
                        "(default: a folder that is removed afterwards)")(
      "repetitions",
      po::value<std::string>()->default_value("3")->value_name("COUNT"),
      "how often each configuration is run for real, in turn with the others")(
      "precision",
      po::value<std::string>()->default_value("2%")->value_name("SHARE"),
      "with two repetitions or more, a configuration is run again, up to four "
      "times as often, until "
      "its error is known this well (half of its 90 % confidence interval)")(
      "explain",
      "let runs time batches and exchanges, and show how much of each error the machine's changed "
      "speed explains; no forecast changes")(
      "save", po::value<std::string>()->value_name("FILE"), "write the result as JSON, too")(
      "help,h", "this text");
  return options;
}

/// --folder, or one that is gone afterwards, unless something fails: messages name logs in it.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& given) : path_(given) {
    if (given.empty()) path_ = temporary_.emplace("epochcast-validate").path();
    check_output_folder(path_);
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw UserError("--folder: " + path_.string() + ": " + error.message());
  }

  [[nodiscard]] fs::path path() const { return fs::absolute(path_); }
  /// Whether anything is there that need not be done again.
  [[nodiscard]] bool has_results() const {
    const fs::directory_iterator entries(path_);
    return std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
      return entry.is_directory() && entry.path().extension() != ".part";
    });
  }
  void keep() {
    if (temporary_) temporary_->keep();
  }

 private:
  fs::path path_;
  std::optional<TempFolder> temporary_;
};

/// Lines about the work, above a bar where there is a terminal.
class WorkLines {
 public:
  void say(const std::string& text) {
    if (bar_) {
      bar_->say(text);
    } else {
      std::cerr << text << '\n';
    }
  }
  void step(const std::string& step, std::size_t done, std::size_t all) {
    if (!bar_) bar_.emplace(std::cerr, is_terminal_, "validating", static_cast<double>(all));
    bar_->set_total(static_cast<double>(all));
    bar_->update(static_cast<double>(done), is_terminal_ && !step.empty() ? step + ", " : "");
  }
  void end() { bar_.reset(); }

 private:
  std::optional<ProgressBar> bar_;
  bool is_terminal_ = isatty(STDERR_FILENO) != 0;
};

/// Writes and shows an interrupted validation; bounds are for complete ones only.
void show_part(ValidationFile part,
               std::size_t cases,
               const OutputFile& save,
               ValidationOutput output) {
  if (part.rows.empty()) return;
  std::size_t runs = 0;
  for (const ValidationRow& row : part.rows) runs = std::max(runs, row.measured.size());
  part.command += "\n(interrupted: " + std::to_string(part.rows.size()) + " of " +
                  std::to_string(cases) + " configurations, at most " + std::to_string(runs) +
                  (runs == 1 ? " run each)" : " runs each)");
  save.write(
      [&](std::ostream& out) { show_validation_json(out, part.rows, part.command, part.date); });
  output.bounds = {};
  static_cast<void>(show(part, output));
}

RepetitionRule repetitions_from(const po::variables_map& values) {
  RepetitionRule rule;
  std::vector<std::string> problems;
  const auto read = [&](const std::string& name, const auto& part) {
    try {
      part(values[name].as<std::string>());
    } catch (const UserError& error) {
      problems.push_back("--" + name + ": " + error.what());
    }
  };
  read("repetitions", [&](const std::string& text) { rule.least = parse_small_count(text, 1); });
  read("precision", [&](const std::string& text) { rule.precision = parse_share(text); });
  if (!problems.empty()) throw UserError(problems);
  return rule;
}

}  // namespace

CommandHelp validate_help() {
  return {.usage = "EXPERIMENT... [OPTIONS]",
          .about =
              "Forecasts and real runs of experiments with a \"validate\" object "
              "(docs/formats.md), or with --draw SEED of configurations at random.",
          .groups = {help_group("Configurations at random, instead of experiment files",
                                draw_options()),
                     help_group("The run", run_options()),
                     help_group("The result", validation_output_options()),
                     help_group("Bounds; exit status 1 when one is exceeded", bound_options())},
          .most_used =
              {"folder", "draw", "rows", "explain", "html", "save", "format", "max-median-error"},
          .examples = {"epochcast validate tests/validation/quick-here.json --html page.html"}};
}

int run_validate(const std::vector<std::string>& arguments) {
  po::options_description shown;
  shown.add(draw_options())
      .add(run_options())
      .add(validation_output_options())
      .add(bound_options());
  po::options_description options;
  options.add(shown).add_options()("file", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_flags("validate", arguments, options, "file");
  const Catalog catalog = Catalog::standard();
  std::optional<ValidationDraw> draw = draw_from(values, catalog);
  std::vector<fs::path> files;
  if (values.count("file") > 0) {
    for (const std::string& file : values["file"].as<std::vector<std::string>>())
      files.emplace_back(file);
  }
  if (!draw && files.empty())
    throw UserError("validate: expected one or more experiment files, or --draw");
  const ValidationOutput output = validation_output_from(values);
  const OutputFile save = output_from(values, "save");
  keep_apart({save, output.html}, files);
  const RepetitionRule repetitions = repetitions_from(values);
  std::vector<ValidationCase> cases;
  if (!draw) cases = load_validation_cases(files, catalog);
  for (const ValidationCase& one : cases)
    keep_apart({save, output.html}, inputs_of(values, one.config));
  WorkFolder folder(file_from(values, "folder"));
  if (draw) {
    draw->folder = folder.path();
    cases = draw_validation(*draw, catalog);
  }
  std::vector<std::string> command = {"epochcast", "validate"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ValidationFile result = {.rows = {}, .command = shell_text(command), .date = today_text()};
  WorkLines lines;
  const SignalScope signals;  // when one comes, what there is is shown
  ValidationRun run(cases,
                    {.program = fs::read_symlink("/proc/self/exe"),
                     .folder = folder.path(),
                     .repetitions = repetitions,
                     .times_machine = values.count("explain") > 0,
                     .note = [&](const auto& text) { lines.say("epochcast: note: " + text); },
                     .report = [&](const auto& text) { lines.say(text); }},
                    catalog);
  try {
    run.run(
        [&](const auto& step, std::size_t done, std::size_t all) { lines.step(step, done, all); });
    lines.end();
  } catch (const Interrupted& end) {
    lines.end();
    result.rows = run.tried_rows();
    show_part(result, cases.size(), save, output);
    if (!folder.has_results()) throw;
    folder.keep();
    throw Interrupted(end.signal(),
                      "measurements and runs are kept; to continue, run the same command with "
                      "--folder " +
                          shell_text({folder.path().string()}));
  } catch (const std::exception&) {
    folder.keep();
    throw;
  }
  result.rows = run.rows();
  const bool is_whole = std::all_of(result.rows.begin(),
                                    result.rows.end(),
                                    [](const ValidationRow& row) { return row.problems.empty(); });
  if (!is_whole) {
    folder.keep();
    std::cerr << "epochcast: measurements and logs are in " << folder.path().string() << '\n';
  }
  save.write([&](std::ostream& out) {
    show_validation_json(out, result.rows, result.command, result.date);
  });
  return show(result, output);
}

}  // namespace epochcast
