// SPDX-License-Identifier: Apache-2.0
#include "core/job/experiment.hpp"
#include "core/job/job_config.hpp"
#include "strategies/settings.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](const nlohmann::json& document) {
    JobConfig config;
    apply_experiment(config, all_settings(), document, "input");

    // An accepted experiment is valid when written again.
    nlohmann::json again = {{"schema", "epochcast.experiment/1"}};
    for (const auto& [name, value] : all_settings().texts(config)) again[name] = value;
    JobConfig same;
    try {
      apply_experiment(same, all_settings(), again, "again");
    } catch (const UserError&) {
      fuzz::require(false);
    }
    for (const Setting& setting : all_settings().rows()) {
      fuzz::require(setting.show(same) == setting.show(config));
    }
  });
}
