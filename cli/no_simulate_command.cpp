// SPDX-License-Identifier: Apache-2.0
// In a build without SimGrid: real runs on a cluster need none.
#include "cli/commands.hpp"
#include "cli/import_forecast.hpp"
#include "core/error.hpp"

namespace epochcast {

int run_simulate(const std::vector<std::string>&) {
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

int run_rehearse(const std::vector<std::string>&) {
  throw UserError("this build has no simulator; build with -DEPOCHCAST_SIM=ON");
}

int run_tune(const std::vector<std::string>&) {
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

}  // namespace epochcast
