// SPDX-License-Identifier: Apache-2.0
#include <boost/program_options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/options/validation_options.hpp"
#include "cli/show/table_style.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/kept_options.hpp"
#include "lab/explain/explanation.hpp"
#include "lab/explain/show_explanation.hpp"

namespace epochcast {
namespace po = boost::program_options;

CommandHelp explain_help() {
  return {.usage = kKeptUsage,
          .about =
              "Divides the errors of validations whose runs timed their machine (validate "
              "--explain) into drift of the machine and error of the model.",
          .groups = {help_group("The result", format_option().add(wide_option())),
                     help_group("Kept validations", kept_options())},
          .most_used = {},
          .examples = {"epochcast-lab explain build/validation-7.json"}};
}

int run_explain(const std::vector<std::string>& arguments) {
  const po::variables_map values =
      kept_values("explain", arguments, format_option().add(wide_option()));
  const auto format = validation_format_from(values);
  const KeptValidation kept = kept_validation("explain", arguments, values);
  const std::vector<Explanation> explanations =
      explain(kept.file.rows, kept.folder, Catalog::standard());
  switch (format) {
    case ValidationOutput::Format::table:
      show_explanation(std::cout, explanations, look_from(values));
      break;
    case ValidationOutput::Format::json:
      show_json(std::cout, to_json(explanations, kept.file.command, kept.file.date));
      break;
    case ValidationOutput::Format::markdown:
      show_explanation_markdown(std::cout, explanations);
      break;
  }
  return 0;
}

}  // namespace epochcast
