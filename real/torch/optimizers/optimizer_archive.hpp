// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>

namespace epochcast::real {

/// The optimizer of an archived state.
struct OptimizerOrigin {
  std::string name;
  std::int64_t parameters = 0;  ///< numbers in the flat tensor
};

void write_origin(const OptimizerOrigin& origin, torch::serialize::OutputArchive& archive);

/// Throws a UserError unless the archive holds the state of `expected`.
void check_origin(const OptimizerOrigin& expected, torch::serialize::InputArchive& archive);

}  // namespace epochcast::real
