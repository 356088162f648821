// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "core/files/file_draft.hpp"

namespace epochcast {

/// A file that the user wants written, such as that of --output: its place is tried when this is
/// made, before the work whose result goes there.
///
/// A regular file is replaced whole (FileDraft), the target of a link behind the link. A terminal,
/// a pipe, /dev/null or /dev/stdout is written to.
class OutputFile {
 public:
  /// No file is wanted.
  OutputFile() = default;
  /// An empty name: no file is wanted. Throws a UserError `FILE: cannot be written: REASON` for a
  /// folder, a block device, a pipe that nobody reads, or where no file can be made.
  explicit OutputFile(const std::filesystem::path& name);

  [[nodiscard]] bool is_wanted() const { return !name_.empty(); }
  /// As the user gave it.
  [[nodiscard]] const std::filesystem::path& name() const { return name_; }

  /// Writes the content, whole or not at all; nothing where no file is wanted. Throws a RunError,
  /// or what `content` throws; an older file then is still there.
  void write(const Content& content, Safety safety = Safety::disk) const;
  void write(std::string_view text) const;
  /// The file, to be written at its end: for what grows while the work goes on. Throws a RunError.
  [[nodiscard]] FileDescriptor open_at_end() const;

  /// Whether it would replace what `file` names, or, where that is a folder, a file somewhere in
  /// it; by whatever names.
  [[nodiscard]] bool replaces(const std::filesystem::path& file) const;
  /// Whether both would be the same file. Devices and pipes never are.
  [[nodiscard]] bool replaces(const OutputFile& other) const;

 private:
  void try_place();

  std::filesystem::path name_;
  std::filesystem::path target_;                ///< where links lead
  std::shared_ptr<const FileDescriptor> open_;  ///< what is written to, not replaced
};

/// Throws a UserError when two of the outputs are one file, or one would replace an input: a file,
/// or one in a folder.
void keep_apart(const std::vector<OutputFile>& outputs,
                const std::vector<std::filesystem::path>& inputs);

/// Throws a UserError `FOLDER: cannot be written: REASON` where no files can be made in `folder`,
/// or it cannot be made itself, with the folders above it.
void check_output_folder(const std::filesystem::path& folder);

}  // namespace epochcast
