// SPDX-License-Identifier: Apache-2.0
#include <boost/program_options.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>

#include "base/error.hpp"
#include "base/process/interruption.hpp"
#include "cli/commands.hpp"
#include "cli/launch/study.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/validation_options.hpp"
#include "cli/show/show_validation.hpp"
#include "cli/validation_work.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description place_options() {
  po::options_description options("Where it runs", 110, 60);
  options.add_options()(
      "on",
      po::value<std::string>()
          ->value_name("here|slurm[=NODES]|hosts=HOST|none")
          ->default_value("here"),
      "who measures and runs: this machine, one Slurm job of so many nodes (1), or a host; the "
      "latter need a shared --folder. none: show what is kept there so far");
  return options;
}

ValidationFile kept_in(const fs::path& folder) {
  for (const fs::path& file : {whole_validation(folder), part_of_validation(folder)}) {
    if (!fs::exists(file)) continue;
    ValidationFile kept = read_validation(file);
    if (!kept.rows.empty()) return kept;
  }
  throw UserError("--on none: nothing was run yet in " + folder.string());
}

std::size_t runs_in(const fs::path& part) {
  if (!fs::exists(part)) return 0;
  std::size_t runs = 0;
  for (const ValidationRow& row : read_validation(part).rows) runs += row.measured.size();
  return runs;
}

/// Waits until the helper has finished, with a line for each run.
ValidationFile wait_for(Helpers& helper, const fs::path& folder) {
  constexpr std::chrono::milliseconds kInterval{500};
  const SignalScope signals;
  std::size_t shown = 0;
  while (!fs::exists(whole_validation(folder))) {
    SignalScope::check();
    const std::size_t runs = runs_in(part_of_validation(folder));
    if (runs != shown) std::cerr << "epochcast: " << runs << " real runs are done\n";
    shown = runs;
    static_cast<void>(SignalScope::sleep(kInterval));
    if (!fs::exists(whole_validation(folder))) helper.check();
  }
  return read_validation(whole_validation(folder));
}

/// Elsewhere, or what was done there.
ValidationFile validation_of(const StudyPlace& place,
                             const ValidationWork& work,
                             const std::vector<std::string>& words) {
  if (work.folder.empty())
    throw UserError(
        "--on: expected a --folder, which " +
        std::string(place.kind == StudyPlace::Kind::none ? "has the results" : "all machines see"));
  const fs::path folder = fs::absolute(work.folder);
  if (place.kind == StudyPlace::Kind::none) return kept_in(folder);
  fs::create_directories(folder);
  fs::remove(whole_validation(folder));  // of an earlier command
  fs::remove(part_of_validation(folder));
  const std::unique_ptr<Helpers> helper = start_one_helper(place, words, folder);
  ValidationFile result = wait_for(*helper, folder);
  work.save.write([&](std::ostream& out) {
    show_validation_json(out, result.rows, result.command, result.date);
  });
  return result;
}

}  // namespace

CommandHelp validate_help() {
  return {
      .usage = "EXPERIMENT... [OPTIONS]",
      .about =
          "Forecasts and real runs of experiments with a \"validate\" object "
          "(docs/formats.md).",
      .groups = {help_group("The run", validation_run_options()),
                 help_group("Where it runs", place_options()),
                 help_group("The result", validation_output_options()),
                 help_group("Bounds; exit status 1 when one is exceeded", bound_options())},
      .most_used = {"folder", "repetitions", "on", "html", "save", "format", "max-median-error"},
      .examples = {"epochcast validate tests/validation/quick-here.json --html page.html"}};
}

int run_validate(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(validation_run_options())
      .add(validation_output_options())
      .add(bound_options())
      .add(place_options());
  options.add_options()("file", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_flags("validate", arguments, options, "file");
  const Catalog catalog = Catalog::standard();
  const std::vector<std::filesystem::path> files = files_from(values);
  if (files.empty()) throw UserError("validate: expected one or more experiment files");
  const ValidationWork work =
      validation_work_from(values, {"epochcast", "validate"}, arguments, files);
  const std::vector<ValidationCase> cases = cases_of(files, values, work, catalog);
  const StudyPlace place = parse_study_place(values["on"].as<std::string>());
  if (place.kind != StudyPlace::Kind::here) {
    std::vector<std::string> words = {"epochcast", "validate"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return show(validation_of(place, work, words), work.output);
  }
  WorkFolder folder(work.folder);
  return show(validate(cases, work, folder, catalog), work.output);
}

}  // namespace epochcast
