// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>

#include "analysis/validation_run.hpp"
#include "cli/commands.hpp"
#include "cli/job_options.hpp"
#include "cli/progress_bar.hpp"
#include "core/batch_cost.hpp"
#include "core/error.hpp"
#include "core/setting_text.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

po::options_description validate_options() {
  po::options_description options("Options", 110, 60);
  options.add_options()("folder",
                        po::value<std::string>()->value_name("FOLDER"),
                        "keep measurements and runs here; what is there already is not repeated")(
      "repetitions",
      po::value<std::string>()->default_value("3")->value_name("COUNT"),
      "real runs of each configuration, interleaved")("help", "show this text");
  return options;
}

}  // namespace

int run_validate(const std::vector<std::string>& arguments) {
  namespace fs = std::filesystem;
  const po::options_description options = validate_options();
  std::vector<fs::path> files;
  std::vector<std::string> flags;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with("-")) {
      flags.push_back(arguments[i]);
      if (arguments[i].find('=') == std::string::npos && arguments[i] != "--help" &&
          i + 1 < arguments.size())
        flags.push_back(arguments[++i]);
    } else {
      files.emplace_back(arguments[i]);
    }
  }
  const po::variables_map values = parse_flags("validate", flags, options);
  const std::vector<ValidationCase> cases = load_validation_cases(files);
  ValidationOptions how = {.program = fs::read_symlink("/proc/self/exe"),
                           .folder = file_from(values, "folder"),
                           .repetitions =
                               parse_small_count(values["repetitions"].as<std::string>(), 1)};
  fs::create_directories(how.folder);
  const auto rows = run_validation(
      cases, how, Catalog::standard(), [](const std::string& step, std::size_t done, std::size_t all) {
        std::cerr << done << "/" << all << " " << step << "\n";
      });
  for (const ValidationRow& row : rows) {
    std::cout << row.group << " | " << row.point << " | ";
    if (row.forecast) std::cout << format_seconds(row.forecast->epoch_s);
    std::vector<double> all, c, x, b;
    for (const RunResult& run : row.measured) {
      std::cout << " " << format_seconds(run.epoch_s);
      all.push_back(run.epoch_s);
      c.push_back(run.phases.compute_s);
      x.push_back(run.phases.exposed_communication_s);
      b.push_back(run.phases.blocked_s);
    }
    if (row.forecast && !all.empty()) {
      const double m = median_of(all);
      printf(" | err %+.2f %%  compute %+.2f exposed %+.2f blocked %+.2f",
             100 * (row.forecast->epoch_s / m - 1),
             100 * (row.forecast->phases.compute_s - median_of(c)) / m,
             100 * (row.forecast->phases.exposed_communication_s - median_of(x)) / m,
             100 * (row.forecast->phases.blocked_s - median_of(b)) / m);
      fflush(stdout);
    }
    for (const auto& p : row.problems) std::cout << " PROBLEM " << p;
    std::cout << std::endl;
  }
  return 0;
}

}  // namespace epochcast
