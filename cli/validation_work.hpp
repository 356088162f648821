// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "analysis/validate/validation_run.hpp"
#include "base/files/output_file.hpp"
#include "base/process/temp_folder.hpp"
#include "cli/options/validation_options.hpp"

// The work of `epochcast validate` on its cases, from any source.

namespace epochcast {

/// --folder, --repetitions, --precision, --save and --help.
[[nodiscard]] boost::program_options::options_description validation_run_options();

/// The flags of a validation.
struct ValidationWork {
  std::string command;  ///< the whole command line
  ValidationOutput output;
  OutputFile save;
  RepetitionRule repetitions;
  std::string folder;  ///< empty: a temporary one
};
/// Their values; `command`: the words before `arguments`. Throws a UserError with every problem,
/// also for an output in the place of one of the experiment `files`.
[[nodiscard]] ValidationWork validation_work_from(
    const boost::program_options::variables_map& values,
    std::vector<std::string> command,
    const std::vector<std::string>& arguments,
    const std::vector<std::filesystem::path>& files);

/// The files of the option "file".
[[nodiscard]] std::vector<std::filesystem::path> files_from(
    const boost::program_options::variables_map& values);
/// The cases of experiment files, whose inputs no output replaces. Throws a UserError that lists
/// the problems of all files.
[[nodiscard]] std::vector<ValidationCase> cases_of(
    const std::vector<std::filesystem::path>& files,
    const boost::program_options::variables_map& values,
    const ValidationWork& work,
    const Catalog& catalog);

/// --folder, or one that is removed afterwards unless something fails: messages name logs in it.
class WorkFolder {
 public:
  /// Throws a UserError if it cannot be made.
  explicit WorkFolder(const std::string& given);

  [[nodiscard]] std::filesystem::path path() const { return std::filesystem::absolute(path_); }
  /// Whether it has results that need not be made again.
  [[nodiscard]] bool has_results() const;
  /// Not to be removed.
  void keep();

 private:
  std::filesystem::path path_;
  std::optional<TempFolder> temporary_;
};

/// The result of a validation in a folder, or of its runs so far.
[[nodiscard]] std::filesystem::path whole_validation(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path part_of_validation(const std::filesystem::path& folder);

/// Measures, forecasts and runs the cases, with a line on stderr for each step, and writes --save.
/// After each run, the folder has what there is. Ended by a signal it shows and writes what there
/// is, and throws Interrupted. Throws a UserError or a RunError as ValidationRun does.
[[nodiscard]] ValidationFile validate(const std::vector<ValidationCase>& cases,
                                      const ValidationWork& work,
                                      WorkFolder& folder,
                                      const Catalog& catalog,
                                      const MoreRunWords& more_words = {});

}  // namespace epochcast
