// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// The files of MNIST and its relatives: `train-images-idx3-ubyte`, `train-labels-idx1-ubyte`, and
/// `t10k-...` for the test set. Images {1, rows, columns}, no augmentation.
///
/// Throws a UserError when a file is not of the size, shape or number of samples of `dataset`.
[[nodiscard]] DataSplit open_idx(const Dataset& dataset, const std::filesystem::path& folder);

}  // namespace epochcast::real
