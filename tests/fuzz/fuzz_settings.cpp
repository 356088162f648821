// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/job/job_config.hpp"
#include "strategies/settings.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

namespace {

void check_quantity(const std::string& text) {
  for (const Dimension dimension : {Dimension::seconds,
                                    Dimension::bytes,
                                    Dimension::bytes_per_s,
                                    Dimension::flops,
                                    Dimension::flops_per_s}) {
    const auto value = parse_quantity(text, dimension);
    if (!value) continue;
    fuzz::require(std::isfinite(*value) && (*value == 0 || std::isfinite(1 / *value)));
    fuzz::require(!format_seconds(*value).empty() && !format_bytes(*value).empty());
  }
}

}  // namespace

/// The first line is a setting's name, the rest its value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const std::string name = text.substr(0, line_end);
  const std::string value = text.substr(std::min(line_end + 1, text.size()));
  check_quantity(value);
  JobConfig config;
  try {
    all_settings().set(config, name, value, "--" + name);
  } catch (const UserError& error) {
    fuzz::require(!error.problems().empty());
    return 0;
  }
  for (const Setting& setting : all_settings().rows()) {
    if (setting.name != name) continue;
    const std::string shown = setting.show(config);
    if (shown.empty()) continue;
    JobConfig again;
    try {
      all_settings().set(again, name, shown, "again");
    } catch (const UserError&) {
      fuzz::require(false);
    }
    fuzz::require(setting.show(again) == shown);
  }
  return 0;
}
