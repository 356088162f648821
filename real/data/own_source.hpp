// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// Tensors or rows of tokens of the user's own (core/tensors/own_data.hpp), mapped; rows of tokens
/// are cut into samples of the data set's shape. Any number of samples is accepted.
///
/// Throws a UserError when samples or targets are not like those of `dataset`, or of more classes.
[[nodiscard]] DataSplit open_own_source(const Dataset& dataset,
                                        const std::filesystem::path& folder);

}  // namespace epochcast::real
