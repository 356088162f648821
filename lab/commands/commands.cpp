// SPDX-License-Identifier: Apache-2.0
#include "lab/commands/commands.hpp"

#include <array>

namespace epochcast {

std::span<const CommandInfo> lab_commands() {
  static constexpr std::string_view kProgram = "epochcast-lab";
  static constexpr std::array kCommands = {
      CommandInfo{.name = "validate",
                  .summary = "forecasts against real runs, of configurations drawn at random",
                  .run = run_lab_validate,
                  .help = lab_validate_help,
                  .program = kProgram},
      CommandInfo{.name = "ablation",
                  .summary = "errors of kept validations without each mechanism of the model",
                  .run = run_ablation,
                  .help = ablation_help,
                  .program = kProgram},
      CommandInfo{.name = "forecast",
                  .summary = "forecasts of kept validations, made again by this program",
                  .run = run_lab_forecast,
                  .help = lab_forecast_help,
                  .program = kProgram},
      CommandInfo{.name = "explain",
                  .summary = "errors of kept validations: drift of the machine, and the model's",
                  .run = run_explain,
                  .help = explain_help,
                  .program = kProgram},
  };
  return kCommands;
}

}  // namespace epochcast
