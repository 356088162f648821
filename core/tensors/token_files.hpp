// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/tensors/own_samples.hpp"

namespace epochcast {

/// Whether the folder holds rows of tokens, as nanoGPT and others write them: `train.bin` and
/// `val.bin`, or both with `.uint16` or `.uint32` before the ending. (`train.bin` beside
/// `test.bin` is CIFAR-100.)
[[nodiscard]] bool has_token_files(const std::filesystem::path& folder);

/// Texts cut out of such rows, `sequence` tokens each, that do not overlap; targets are the tokens
/// one further. The size of the vocabulary is the largest token of both files plus one.
///
/// Tokens are little-endian, of two bytes, or of four, by their names or their content: if read by
/// twos, every second number is below 16 (all 0 if the others are), and the others are not.
///
/// Throws a UserError that names the file: no whole tokens, less than one sample, tokens from 2^24
/// on; or --sequence, where it is missing.
[[nodiscard]] OwnData open_token_files(const std::filesystem::path& folder,
                                       std::optional<std::int64_t> sequence);

}  // namespace epochcast
