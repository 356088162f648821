// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/checkpoint_format.hpp"
#include "core/job/setting.hpp"
#include "real/run/folder_lock.hpp"

namespace epochcast::real {

/// The checkpoints of a job, in a folder that every rank can write (shared, or its machine's own).
///
/// Each rank writes its state to one of two files in turn (write, fsync, rename). After that, the
/// first rank writes checkpoint.json, the manifest, in the same way. The manifest names a complete
/// set at any time. Every file has a checksum, and the manifest has those of the set.
class Checkpoints {
 public:
  /// `settings`: those of the job. `numbers`: of the ranks' files, by rank; empty: 0, 1, ...
  /// `continues`: a checkpoint may be of other ranks. Collective over `job`; so are the other
  /// functions.
  Checkpoints(const std::filesystem::path& folder,
              std::vector<SettingText> settings,
              std::vector<int> numbers,
              bool continues,
              MPI_Comm job);

  /// Creates the folder, locks it, and removes incomplete files of a killed job. Throws a UserError
  /// when another job writes there, or, without `resume`, when it holds a checkpoint.
  void open(bool resume);
  /// Whether the open folder is locked against other jobs; some file systems have no locks.
  [[nodiscard]] bool is_locked() const { return lock_ && lock_->is_locked(); }
  /// This rank's state of the last checkpoint, or another one's if the checkpoint has none of this
  /// rank (has_joined()); none without a checkpoint. Throws a UserError when it is of another job
  /// (ranks or settings other than --epochs differ) or another version, and a RunError when a file
  /// is damaged, missing or not of this set. Either names the file.
  [[nodiscard]] std::optional<RankState> load();
  /// Whether this rank took no part in the checkpoint that was loaded.
  [[nodiscard]] bool has_joined() const { return has_joined_; }
  /// Throws a RunError that names file and cause (a full disk); the last checkpoint stays.
  void save(const RankState& state);

  /// The folder, for messages about --resume.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// This rank's file of the last checkpoint.
  [[nodiscard]] std::filesystem::path state_file() const { return rank_file(serial_); }

 private:
  [[nodiscard]] int number() const { return numbers_[static_cast<std::size_t>(rank_)]; }
  [[nodiscard]] std::filesystem::path file_of(int number, std::int64_t serial) const;
  [[nodiscard]] std::filesystem::path rank_file(std::int64_t serial) const {
    return file_of(number(), serial);
  }
  [[nodiscard]] std::filesystem::path manifest_file() const { return folder_ / "checkpoint.json"; }
  [[nodiscard]] std::optional<CheckpointManifest> load_manifest() const;
  [[nodiscard]] RankState load_state(const CheckpointManifest& manifest);
  [[nodiscard]] std::string text_of_state() const;
  void check(const CheckpointManifest& manifest) const;

  std::filesystem::path folder_;
  std::map<std::string, std::string> settings_;
  MPI_Comm job_;
  std::optional<FolderLock> lock_;
  int rank_ = 0;
  std::vector<int> numbers_;  ///< by rank
  bool continues_ = false;
  bool has_joined_ = false;
  std::int64_t serial_ = 0;  ///< of the last complete checkpoint; 0: none
};

}  // namespace epochcast::real
