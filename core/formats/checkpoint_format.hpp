// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/files/sealed_file.hpp"

// The files of a checkpoint, `epochcast.checkpoint/2` (docs/formats.md): sealed, and tied to each
// other.

namespace epochcast {

/// The state of one rank of a job, complete enough to resume.
struct RankState {
  std::vector<std::int64_t> position;                 ///< Progress::position()
  std::map<std::string, std::vector<double>> memory;  ///< Progress::memory
  std::string learner;                                ///< TorchLearner::save()
  std::string compression = {};                       ///< Compression::save(); empty without one
  std::string kept = {};                              ///< the strategy's vectors; empty without any

  bool operator==(const RankState&) const = default;
};

/// The content of checkpoint.json: the job's settings, and the files of the checkpoint.
struct CheckpointManifest {
  std::int64_t serial = 0;                      ///< of the checkpoint: 1, 2, ...
  std::int64_t epoch = 1;                       ///< that rank 0 is in, from 1
  std::map<std::string, std::string> settings;  ///< of the job
  std::vector<std::string> checksums;           ///< of the ranks' files, by rank
  std::vector<int> numbers = {};                ///< of these files, by rank; empty: 0, 1, ...

  bool operator==(const CheckpointManifest&) const = default;
};

/// The beginning of a rank's file; its texts follow, in this order.
[[nodiscard]] Seal seal_rank_state(const std::filesystem::path& file,
                                   std::int64_t serial,
                                   int rank,
                                   const RankState& state);
/// The state in the text of a rank's `file`. Throws a DamagedFile when the file was changed, or has
/// another `checksum`, and a UserError for impossible values.
[[nodiscard]] RankState read_rank_state(const std::filesystem::path& file,
                                        std::string text,
                                        const std::string& checksum);

/// The text of checkpoint.json.
[[nodiscard]] std::string manifest_text(const std::filesystem::path& file,
                                        const CheckpointManifest& manifest);
/// The manifest in the text of `file`. Throws as read_rank_state() does.
[[nodiscard]] CheckpointManifest read_manifest(const std::filesystem::path& file, std::string text);

}  // namespace epochcast
