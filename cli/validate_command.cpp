// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>

#include "analysis/validate/validation_run.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/validation_options.hpp"
#include "cli/show/show_validation.hpp"
#include "core/error.hpp"
#include "core/job/setting_text.hpp"
#include "core/process/temp_folder.hpp"
#include "core/progress_bar.hpp"
#include "core/shell_text.hpp"
#include "core/source.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description run_options() {
  po::options_description options("The runs", 110, 60);
  options.add_options()("folder",
                        po::value<std::string>()->value_name("FOLDER"),
                        "keep measurements and runs here; what is there already is not repeated "
                        "(default: a folder that is removed afterwards)")(
      "repetitions",
      po::value<std::string>()->default_value("3")->value_name("COUNT"),
      "real runs of each configuration, interleaved")(
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
  void keep() {
    if (temporary_) temporary_->keep();
  }

 private:
  fs::path path_;
  std::optional<TempFolder> temporary_;
};

int parse_repetitions(const std::string& text) {
  try {
    return parse_small_count(text, 1);
  } catch (const UserError& error) {
    throw UserError(std::string("--repetitions: ") + error.what());
  }
}

}  // namespace

int run_validate(const std::vector<std::string>& arguments) {
  po::options_description shown;
  shown.add(run_options()).add(validation_output_options()).add(bound_options());
  po::options_description options;
  options.add(shown).add_options()("file", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_flags("validate", arguments, options, "file");
  if (values.count("help") > 0) {
    std::cout << "epochcast validate EXPERIMENT...: forecasts and real runs of experiments with a "
                 "\"validate\" object (docs/formats.md)\n\n"
              << shown
              << "\nExample: epochcast validate tests/validation/quick.json --html page.html\n";
    return 0;
  }
  if (values.count("file") == 0) throw UserError("validate: expected one or more experiment files");
  std::vector<fs::path> files;
  for (const std::string& file : values["file"].as<std::vector<std::string>>())
    files.emplace_back(file);
  const ValidationOutput output = validation_output_from(values);
  const OutputFile save = output_from(values, "save");
  keep_apart({save, output.html}, files);
  const int repetitions = parse_repetitions(values["repetitions"].as<std::string>());
  const Catalog catalog = Catalog::standard();
  const std::vector<ValidationCase> cases = load_validation_cases(files, catalog);
  for (const ValidationCase& one : cases)
    keep_apart({save, output.html}, inputs_of(values, one.config));
  WorkFolder folder(file_from(values, "folder"));
  std::vector<std::string> command = {"epochcast", "validate"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ValidationFile result = {.rows = {}, .command = shell_text(command), .date = today_text()};
  try {
    std::optional<ProgressBar> progress;
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    const auto note = [&](const std::string& text) {
      if (progress) progress->say("epochcast: note: " + text);
    };
    result.rows = run_validation(
        cases,
        {.program = fs::read_symlink("/proc/self/exe"),
         .folder = folder.path(),
         .repetitions = repetitions,
         .note = note},
        catalog,
        [&](const std::string& step, std::size_t done, std::size_t all) {
          if (!progress)
            progress.emplace(std::cerr, is_terminal, "validating", static_cast<double>(all));
          if (!step.empty() && !is_terminal) progress->say(step);
          progress->update(static_cast<double>(done), is_terminal ? ", " + step : "");
        });
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    folder.keep();
    throw;
  }
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
