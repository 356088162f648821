// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// `train/CLASS/*.jpg` and `val/CLASS/*.jpg` (or `test/` without `val/`), as ImageNet is usually
/// unpacked. Classes are numbered in the order of their names; a class may have folders inside;
/// files that do not end like an image are ignored. Any number of samples is accepted.
///
/// With a variant: random crop (see draw_crop) and flip; without: centre_crop. Normalised by
/// ImageNet's mean and deviation; for one channel by their averages, after averaging the colours.
///
/// Throws a UserError when the number of classes is not that of `dataset`, or when classes differ
/// between the two folders, or have no images.
[[nodiscard]] DataSplit open_image_folder(const Dataset& dataset,
                                          const std::filesystem::path& folder);

}  // namespace epochcast::real
