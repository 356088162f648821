// SPDX-License-Identifier: Apache-2.0
// In a build without SimGrid: real runs on a cluster need none.
#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/import_forecast.hpp"

namespace epochcast {
namespace {

CommandHelp without_simulator() {
  return {.usage = {},
          .about = "Not in this build; build with -DEPOCHCAST_SIM=ON.",
          .groups = {},
          .most_used = {},
          .examples = {}};
}

}  // namespace

int run_simulate(const std::vector<std::string>&) {
  throw UserError("this build has no simulator; build with -DEPOCHCAST_SIM=ON");
}

int run_find(const std::vector<std::string>&) {
  throw UserError("this build has no simulator; build with -DEPOCHCAST_SIM=ON");
}

void check_forecast(const ImportOptions&) {
  throw UserError("--forecast: this build has no simulator; build with -DEPOCHCAST_SIM=ON");
}

void check_records(const ImportOptions&, const ImportedJob&) {}

void forecast_imported(const ImportOptions&,
                       const ImportedJob&,
                       const CostTrace&,
                       const std::string&) {}

int run_compare(const std::vector<std::string>&) {
  throw UserError("this build does not compare; build with -DEPOCHCAST_SIM=ON");
}

int run_rehearse(const std::vector<std::string>&) {
  throw UserError("this build has no simulator; build with -DEPOCHCAST_SIM=ON");
}

int run_choose(const std::vector<std::string>&) {
  throw UserError("this build has no simulator; build with -DEPOCHCAST_SIM=ON");
}

int run_tune(const std::vector<std::string>&) {
  throw UserError("this build has no simulator; build with -DEPOCHCAST_SIM=ON");
}

int run_serve(const std::vector<std::string>&) {
  throw UserError("this build has no simulator; build with -DEPOCHCAST_SIM=ON");
}

int run_calibrate(const std::vector<std::string>&) {
  throw UserError("this build does not calibrate; build with -DEPOCHCAST_SIM=ON");
}

int run_validate(const std::vector<std::string>&) {
  throw UserError("this build does not validate; build with -DEPOCHCAST_SIM=ON");
}

int run_report(const std::vector<std::string>&) {
  throw UserError("this build shows no reports; build with -DEPOCHCAST_SIM=ON");
}

CommandHelp simulate_help() { return without_simulator(); }
CommandHelp find_help() { return without_simulator(); }
CommandHelp serve_help() { return without_simulator(); }
CommandHelp compare_help() { return without_simulator(); }
CommandHelp rehearse_help() { return without_simulator(); }
CommandHelp choose_help() { return without_simulator(); }
CommandHelp tune_help() { return without_simulator(); }
CommandHelp calibrate_help() { return without_simulator(); }
CommandHelp validate_help() { return without_simulator(); }
CommandHelp report_help() { return without_simulator(); }

}  // namespace epochcast
