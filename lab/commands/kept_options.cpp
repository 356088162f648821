// SPDX-License-Identifier: Apache-2.0
#include "lab/commands/kept_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/files/text_file.hpp"
#include "base/text/progress_bar.hpp"
#include "base/text/shell_text.hpp"
#include "cli/options/job_options.hpp"
#include "cli/validation_work.hpp"
#include "core/job/setting_text.hpp"
#include "lab/ablation/forecast_again.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

bool is_validation(const fs::path& file) {
  const auto json = nlohmann::json::parse(read_text_file(file, kSamplesFile), nullptr, false);
  return json.is_object() && json.value("schema", nlohmann::json()) == kValidationSchema;
}

std::vector<fs::path> results_in(const fs::path& folder) {
  std::vector<fs::path> results;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json" && is_validation(entry.path()))
      results.push_back(entry.path());
  }
  if (results.empty())
    throw UserError(folder.string() +
                    ": has no result of validate; expected a file that --save has written");
  std::sort(results.begin(), results.end());
  return results;
}

}  // namespace

po::options_description kept_options() {
  po::options_description options("Kept validations", 110, 60);
  options.add_options()("folder",
                        po::value<std::string>()->value_name("FOLDER"),
                        "where the validation's --folder lies now (default: where it was)")(
      "help,h", "this text");
  return options;
}

po::variables_map kept_values(const std::string& command,
                              const std::vector<std::string>& arguments,
                              po::options_description options) {
  options.add(kept_options());
  options.add_options()("file", po::value<std::vector<std::string>>());
  return parse_flags(command, arguments, options, "file");
}

KeptValidation kept_validation(const std::string& command,
                               const std::vector<std::string>& arguments,
                               const po::variables_map& values) {
  std::vector<fs::path> files = files_from(values);
  if (files.empty())
    throw UserError(command + ": expected results of validate, or a folder with them");
  KeptValidation kept = {.file = {}, .folder = file_from(values, "folder")};
  if (files.size() == 1 && fs::is_directory(files.front())) {
    if (kept.folder.empty()) kept.folder = files.front().string();
    files = results_in(files.front());
  }
  kept.file = read_validations(files);
  std::vector<std::string> words = {"epochcast-lab", command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  kept.file.command += "\n" + shell_text(words);
  return kept;
}

po::options_description without_option() {
  std::string names;
  for (const Mechanism& mechanism : mechanisms())
    names += (names.empty() ? "" : ", ") + std::string(mechanism.name);
  po::options_description options("Mechanisms", 110, 60);
  options.add_options()("without",
                        po::value<std::string>()->value_name("MECHANISM,..."),
                        ("forecasts made again without these: " + names).c_str());
  return options;
}

std::vector<Mechanism> without_from(const po::variables_map& values) {
  if (values.count("without") == 0) return {};
  try {
    return find_mechanisms(
        parse_list(values["without"].as<std::string>(), "mechanisms separated by commas"));
  } catch (const UserError& error) {
    std::vector<std::string> problems = error.problems();
    for (std::string& problem : problems) problem.insert(0, "--without: ");
    throw UserError(problems);
  }
}

void show_json(std::ostream& out, const nlohmann::ordered_json& json) {
  out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

std::vector<std::vector<ValidationRow>> forecasts_again(
    const KeptValidation& kept, const std::vector<std::vector<Mechanism>>& left_out) {
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  std::optional<ProgressBar> bar;
  return forecast_again(
      kept.file.rows,
      left_out,
      kept.folder,
      Catalog::standard(),
      [&](const std::string& step, std::size_t done, std::size_t all) {
        if (!bar)
          bar.emplace(std::cerr, is_terminal, "forecasting again", static_cast<double>(all));
        bar->update(static_cast<double>(done), is_terminal ? step + ", " : "");
      });
}

}  // namespace epochcast
