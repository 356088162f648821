// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// The binary version of CIFAR-10: `data_batch_1.bin` to `data_batch_5.bin`, `test_batch.bin`; a
/// sample is a label byte and 3x32x32 bytes.
///
/// Throws a UserError when a file is not of the size or number of samples of `dataset`.
[[nodiscard]] DataSplit open_cifar10(const Dataset& dataset, const std::filesystem::path& folder);

/// The binary version of CIFAR-100: `train.bin`, `test.bin`; a sample is a byte with its coarse
/// label, which is skipped, one with its fine label, and 3x32x32 bytes.
[[nodiscard]] DataSplit open_cifar100(const Dataset& dataset, const std::filesystem::path& folder);

}  // namespace epochcast::real
