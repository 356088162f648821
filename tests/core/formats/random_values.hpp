// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/formats/cost_trace.hpp"
#include "core/formats/curve_point.hpp"
#include "core/formats/message_trace.hpp"
#include "core/formats/network_file.hpp"
#include "core/formats/platform.hpp"
#include "results/result.hpp"
#include "tests/robustness/dice.hpp"

namespace epochcast::tests {

// Random values that are valid in files, in any combination; figures have all their digits.

[[nodiscard]] std::string random_text(Dice& dice);
[[nodiscard]] std::vector<double> random_samples(Dice& dice, int count);
[[nodiscard]] TraceFile random_trace(Dice& dice, const std::string& file);
[[nodiscard]] MessageTrace random_message_trace(Dice& dice, const std::string& file);
/// random_platform() with the additional contents of a file.
[[nodiscard]] Platform random_platform_of_file(Dice& dice, const std::string& file);
[[nodiscard]] NetworkFile random_network(Dice& dice);
[[nodiscard]] RunResult random_run(Dice& dice);
[[nodiscard]] Curve random_curve(Dice& dice);

}  // namespace epochcast::tests
