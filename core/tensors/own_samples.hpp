// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "core/formats/network.hpp"

namespace epochcast {

/// Tokens are stored as floats, which represent integers below this one exactly.
inline constexpr std::int64_t kMostOwnTokens = std::int64_t{1} << 24;

/// Samples in files of the user's own, by index. Calls from several threads are safe.
class OwnSamples {
 public:
  virtual ~OwnSamples() = default;
  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// Writes a sample's numbers, or its tokens as their numbers; row-major.
  virtual void read_inputs(std::int64_t index, std::span<float> inputs) const = 0;
  /// Of targets that are classes; 0 of others.
  [[nodiscard]] virtual std::int64_t label(std::int64_t index) const = 0;
  /// Writes targets that are values or tokens; nothing of classes.
  virtual void read_targets(std::int64_t index, std::span<float> targets) const = 0;
};

/// A data set without a description. Its sizes are those of the files; its name is the folder's.
struct OwnData {
  Dataset dataset;
  std::unique_ptr<OwnSamples> train;
  std::unique_ptr<OwnSamples> test;
};

/// A data set named after the folder, otherwise empty; its title is `kind` "in" the folder.
[[nodiscard]] Dataset dataset_of_folder(const std::filesystem::path& folder,
                                        const std::string& kind);

}  // namespace epochcast
