// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// Texts of a language that `language` seeds: dataset.classes different tokens, sequences of
/// dataset.shape[0] of them, whose targets are the tokens one further on. `samples` seeds which
/// texts these are.
///
/// Six of eight tokens follow from the two before them: of four successors that the last token and
/// the parity of the one before it have, the first in half of the cases, the second in a quarter,
/// the others in an eighth each. One of eight repeats the token kEcho places before; one is drawn
/// by frequency (about 1 / rank, Zipf), as the first ones of a text are. So unigram frequencies
/// predict little, bigrams more, and attention to several earlier tokens the most.
[[nodiscard]] std::unique_ptr<DataSource> procedural_tokens(const Dataset& dataset,
                                                            std::int64_t size,
                                                            std::uint64_t language,
                                                            std::uint64_t samples);
inline constexpr std::int64_t kEcho = 8;

}  // namespace epochcast::real
