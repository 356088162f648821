// SPDX-License-Identifier: Apache-2.0
#include <boost/program_options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/options/validation_options.hpp"
#include "cli/show/table_style.hpp"
#include "lab/ablation/ablation.hpp"
#include "lab/ablation/show_ablation.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/kept_options.hpp"

namespace epochcast {
namespace po = boost::program_options;

CommandHelp ablation_help() {
  return {.usage = kKeptUsage,
          .about =
              "Forecasts are made again of what validations have kept (validate --folder, --save), "
              "without each mechanism of the model (or each of --without), and without all of "
              "these.",
          .groups = {help_group("Mechanisms", without_option()),
                     help_group("The result", format_option().add(wide_option())),
                     help_group("Kept validations", kept_options())},
          .most_used = {},
          .examples = {"epochcast-lab ablation build/validation-7.json --without adding,noise"}};
}

int run_ablation(const std::vector<std::string>& arguments) {
  const po::variables_map values =
      kept_values("ablation", arguments, without_option().add(format_option()).add(wide_option()));
  const auto format = validation_format_from(values);
  std::vector<Mechanism> without = without_from(values);
  if (without.empty()) without = mechanisms();
  const KeptValidation kept = kept_validation("ablation", arguments, values);
  const auto left_out = one_after_the_other(without);
  const Ablation ablation(left_out, forecasts_again(kept, left_out));
  switch (format) {
    case ValidationOutput::Format::table:
      show_ablation(std::cout, ablation, look_from(values));
      break;
    case ValidationOutput::Format::json:
      show_json(std::cout, ablation.json(kept.file.command, kept.file.date));
      break;
    case ValidationOutput::Format::markdown:
      show_ablation_markdown(std::cout, ablation);
      break;
  }
  return 0;
}

}  // namespace epochcast
