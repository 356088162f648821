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
/// Each rank writes its state to one of two files in turn (write, fsync, rename); when all have,
/// the first rank lets checkpoint.json point to them, in the same way. Whenever a process dies, the
/// manifest names a complete set. Every file has a checksum, and the manifest has those of the set.
class Checkpoints {
 public:
  /// `settings`: those of the job. Collective over `job`; so are the other members.
  Checkpoints(const std::filesystem::path& folder, std::vector<SettingText> settings, MPI_Comm job);

  /// Creates the folder, locks it, and removes what a killed job has left half written. Throws a
  /// UserError when another job writes there, or when it holds a checkpoint already, which `resume`
  /// allows.
  void open(bool resume);
  /// Whether other jobs are kept out, as far as the folder's file system can; once it is open.
  [[nodiscard]] bool is_locked() const { return lock_ && lock_->is_locked(); }
  /// This rank's state of the last checkpoint, nothing when there is none yet. Throws a UserError
  /// when it is of another job (ranks or settings other than --epochs differ) or another version,
  /// and a RunError when a file is damaged, missing or not of this set. Either names the file.
  [[nodiscard]] std::optional<RankState> load();
  /// Throws a RunError that names file and cause (a full disk); the last checkpoint stays.
  void save(const RankState& state);

  /// For messages: what a user types to go on.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// This rank's file of the last checkpoint.
  [[nodiscard]] std::filesystem::path state_file() const { return rank_file(serial_); }

 private:
  [[nodiscard]] std::filesystem::path rank_file(std::int64_t serial) const;
  [[nodiscard]] std::filesystem::path manifest_file() const { return folder_ / "checkpoint.json"; }
  [[nodiscard]] std::optional<CheckpointManifest> load_manifest() const;
  [[nodiscard]] RankState load_state(const std::string& checksum) const;
  void check(const CheckpointManifest& manifest) const;

  std::filesystem::path folder_;
  std::map<std::string, std::string> settings_;
  MPI_Comm job_;
  std::optional<FolderLock> lock_;
  int rank_ = 0;
  int ranks_ = 1;
  std::int64_t serial_ = 0;  ///< of the last complete checkpoint; 0: none
};

}  // namespace epochcast::real
