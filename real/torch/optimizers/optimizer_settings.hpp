// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast::real {

/// How parameters follow gradients; see optimizer_names() for `name`.
struct OptimizerSettings {
  std::string name = "sgd";
  double momentum = 0.9;    ///< sgd, rmsprop
  double weight_decay = 0;  ///< L2 term; adamw: decoupled
};

/// "sgd", "rmsprop", "adam", "adamw", "adabelief", "angulargrad".
[[nodiscard]] std::vector<std::string> optimizer_names();

}  // namespace epochcast::real
