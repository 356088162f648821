// SPDX-License-Identifier: Apache-2.0
#include "cli/validation_work.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <exception>
#include <iostream>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/files/file_draft.hpp"
#include "base/process/interruption.hpp"
#include "base/text/progress_bar.hpp"
#include "base/text/shell_text.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/show_validation.hpp"
#include "core/job/setting_text.hpp"
#include "core/source.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

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

/// Replaces the file that another process may read at any time.
void keep(const fs::path& file, const ValidationFile& result) {
  std::ostringstream text;
  show_validation_json(text, result.rows, result.command, result.date);
  replace_file(file, text.str());
}

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

po::options_description validation_run_options() {
  po::options_description options("The runs", 110, 60);
  options.add_options()("folder",
                        po::value<std::string>()->value_name("FOLDER"),
                        "keep measurements and runs here; what is there already is not repeated "
                        "(default: a folder that is removed afterwards)")(
      "repetitions",
      po::value<std::string>()->default_value("3")->value_name("COUNT"),
      "how often each configuration is run for real, in turn with the others")(
      "precision",
      po::value<std::string>()->default_value("2%")->value_name("SHARE"),
      "with two repetitions or more, a configuration is run again, up to four times as often, "
      "until "
      "its error is known this well (half of its 90 % confidence interval)")(
      "save", po::value<std::string>()->value_name("FILE"), "write the result as JSON, too")(
      "help,h", "this text");
  return options;
}

ValidationWork validation_work_from(const po::variables_map& values,
                                    std::vector<std::string> command,
                                    const std::vector<std::string>& arguments,
                                    const std::vector<fs::path>& files) {
  command.insert(command.end(), arguments.begin(), arguments.end());
  ValidationWork work;
  work.command = shell_text(command);
  work.output = validation_output_from(values);
  work.save = output_from(values, "save");
  keep_apart({work.save, work.output.html}, files);
  work.repetitions = repetitions_from(values);
  work.folder = file_from(values, "folder");
  return work;
}

std::vector<fs::path> files_from(const po::variables_map& values) {
  if (values.count("file") == 0) return {};
  const auto& files = values["file"].as<std::vector<std::string>>();
  return {files.begin(), files.end()};
}

std::vector<ValidationCase> cases_of(const std::vector<fs::path>& files,
                                     const po::variables_map& values,
                                     const ValidationWork& work,
                                     const Catalog& catalog) {
  std::vector<ValidationCase> cases = load_validation_cases(files, catalog);
  for (const ValidationCase& one : cases)
    keep_apart({work.save, work.output.html}, inputs_of(values, one.config));
  return cases;
}

WorkFolder::WorkFolder(const std::string& given) : path_(given) {
  if (given.empty()) path_ = temporary_.emplace("epochcast-validate").path();
  check_output_folder(path_);
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw UserError("--folder: " + path_.string() + ": " + error.message());
}

bool WorkFolder::has_results() const {
  const fs::directory_iterator entries(path_);
  return std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    return entry.is_directory() && entry.path().extension() != ".part";
  });
}

void WorkFolder::keep() {
  if (temporary_) temporary_->keep();
}

fs::path whole_validation(const fs::path& folder) { return folder / "validation.whole"; }
fs::path part_of_validation(const fs::path& folder) { return folder / "validation.part"; }

ValidationFile validate(const std::vector<ValidationCase>& cases,
                        const ValidationWork& work,
                        WorkFolder& folder,
                        const Catalog& catalog,
                        const MoreRunWords& more_words) {
  ValidationFile result = {.rows = {}, .command = work.command, .date = today_text()};
  WorkLines lines;
  fs::remove(whole_validation(folder.path()));  // of an earlier command
  const SignalScope signals;                    // an interrupted validation is shown
  ValidationRun run(cases,
                    {.program = fs::read_symlink("/proc/self/exe").replace_filename("epochcast"),
                     .folder = folder.path(),
                     .repetitions = work.repetitions,
                     .more_words = more_words,
                     .note = [&](const auto& text) { lines.say("epochcast: note: " + text); },
                     .report = [&](const auto& text) { lines.say(text); }},
                    catalog);
  try {
    run.run([&](const auto& step, std::size_t done, std::size_t all) {
      lines.step(step, done, all);
      keep(part_of_validation(folder.path()),
           {.rows = run.tried_rows(), .command = result.command, .date = result.date});
    });
    lines.end();
  } catch (const Interrupted& end) {
    lines.end();
    result.rows = run.tried_rows();
    show_part(result, cases.size(), work.save, work.output);
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
  keep(whole_validation(folder.path()), result);
  const bool is_whole = std::all_of(result.rows.begin(),
                                    result.rows.end(),
                                    [](const ValidationRow& row) { return row.problems.empty(); });
  if (!is_whole) {
    folder.keep();
    std::cerr << "epochcast: measurements and logs are in " << folder.path().string() << '\n';
  }
  work.save.write([&](std::ostream& out) {
    show_validation_json(out, result.rows, result.command, result.date);
  });
  return result;
}

}  // namespace epochcast
