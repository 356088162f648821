// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/files/file_descriptor.hpp"
#include "base/process/interruption.hpp"

namespace epochcast {

/// The folder for temporary files: $TMPDIR, or /tmp. Throws a UserError when that is no folder.
[[nodiscard]] std::filesystem::path temporary_place();

/// The folder $TMPDIR/NAME-USER (or in /tmp), made if missing, which only this user may read and
/// write; USER is the user's number. It outlives this process. Throws a UserError if it belongs to
/// another user, is a link, or is open to others: anybody may make a folder of that name.
[[nodiscard]] std::filesystem::path private_temporary_folder(const std::string& name);

/// A folder in $TMPDIR (or /tmp) that does not outlive this process and the programs it started.
///
/// The destructor removes it; when this process is killed, a guard process does. If both are
/// killed, the next TempFolder of its kind removes it; a folder in use is locked.
class TempFolder {
 public:
  /// `kind`: the first part of its name, such as "epochcast-validate". Throws a RunError when it
  /// cannot be made, a UserError when $TMPDIR is no folder.
  explicit TempFolder(const std::string& kind);
  /// The same in another folder than $TMPDIR; a signal ends this process as before, and the guard
  /// removes the folder.
  TempFolder(const std::string& kind, const std::filesystem::path& place);
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Keeps the folder, for the user to inspect.
  void keep();
  /// In a program whose $TMPDIR is such a folder, for one that inherits no descriptors: the folder
  /// stays until this process has ended.
  static void use();

 private:
  void make(const std::string& kind, const std::filesystem::path& place);
  void end_guard();

  std::optional<SignalScope> signals_;  ///< signals end this process after the destructor only
  std::filesystem::path path_;
  FileDescriptor lock_;   ///< held by the programs that this process starts, too
  FileDescriptor alive_;  ///< the guard's pipe: closed when this process has ended
  pid_t guard_ = 0;
};

}  // namespace epochcast
