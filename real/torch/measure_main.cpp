// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <exception>
#include <iostream>

#include "core/cost_trace.hpp"
#include "core/error.hpp"
#include "real/common/json_text.hpp"
#include "real/common/progress_lines.hpp"
#include "real/common/text_file.hpp"
#include "real/torch/measure.hpp"
#include "real/torch/measure_options.hpp"
#include "real/torch/memory.hpp"
#include "real/torch/trace_file.hpp"

namespace epochcast::real {
namespace {

/// The trace to add to, or nothing when there is none yet. Checked before anything is measured.
nlohmann::ordered_json existing_trace(const MeasureOptions& options) {
  if (!options.is_append || !std::filesystem::exists(options.file)) return nullptr;
  const std::string name = options.file.string();
  static_cast<void>(load_trace(options.file));
  auto existing = nlohmann::ordered_json::parse(file_text(options.file));
  static_cast<void>(merged_trace(existing, make_trace(options.header, {}), name));
  return existing;
}

int run(int argc, const char* const* argv) {
  MeasureOptions options = parse_options(argc, argv, EPOCHCAST_SOURCE_DIR);
  if (options.is_help) {
    std::cout << help_text();
    return 0;
  }
  const nlohmann::ordered_json existing = existing_trace(options);

  ProgressLines lines(std::cerr, isatty(STDERR_FILENO) != 0);
  const std::vector<NetworkCosts> costs =
      measure(options.settings, [&](const MeasureProgress& progress) { lines.show(progress); });

  options.header.source.note = sampling_note(options.settings, costs);
  nlohmann::ordered_json trace = make_trace(options.header, costs);
  if (!existing.is_null()) trace = merged_trace(existing, trace, options.file.string());
  write_atomically(options.file, json_text(trace));
  std::cerr << "wrote " << options.file.string() << '\n';
  return 0;
}

}  // namespace
}  // namespace epochcast::real

int main(int argc, char** argv) {
  epochcast::real::keep_freed_memory();  // as in training
  try {
    return epochcast::real::run(argc, argv);
  } catch (const epochcast::UserError& error) {
    for (const std::string& problem : error.problems())
      std::cerr << "epochcast-measure: " << problem << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "epochcast-measure: " << error.what() << '\n';
    return 1;
  }
}
