// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// AG's News: `train.csv` and `test.csv`, rows "class","title","description" with classes from 1;
/// a first row "Class Index",... is skipped. Title and description become tokens, see tokens.hpp.
///
/// Throws a UserError that names the file and row that is wrong, or the class that has no row.
[[nodiscard]] DataSplit open_ag_news(const Dataset& dataset, const std::filesystem::path& folder);

}  // namespace epochcast::real
