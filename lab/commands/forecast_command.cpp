// SPDX-License-Identifier: Apache-2.0
#include <boost/program_options.hpp>

#include "base/files/output_file.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/validation_options.hpp"
#include "cli/validation_work.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/kept_options.hpp"

namespace epochcast {
namespace po = boost::program_options;

CommandHelp lab_forecast_help() {
  return {.usage = kKeptUsage,
          .about =
              "Shows validations with forecasts that this program makes of what they have kept "
              "(validate --folder, --save), in the place of their own. Nothing is measured or run.",
          .groups = {help_group("Mechanisms", without_option()),
                     help_group("The result", validation_output_options()),
                     help_group("Kept validations", kept_options()),
                     help_group("Bounds; exit status 1 when one is exceeded", bound_options())},
          .most_used = {},
          .examples = {"epochcast-lab forecast build/validation-7.json --without adding"}};
}

int run_lab_forecast(const std::vector<std::string>& arguments) {
  const po::variables_map values =
      kept_values("forecast",
                  arguments,
                  without_option().add(validation_output_options()).add(bound_options()));
  const ValidationOutput output = validation_output_from(values);
  keep_apart({output.html}, files_from(values));
  std::vector<std::vector<Mechanism>> left_out;
  if (const std::vector<Mechanism> without = without_from(values); !without.empty())
    left_out.push_back(without);
  KeptValidation kept = kept_validation("forecast", arguments, values);
  kept.file.rows = forecasts_again(kept, left_out).back();
  return show(kept.file, output);
}

}  // namespace epochcast
