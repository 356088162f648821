// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "base/files/file_draft.hpp"

namespace epochcast {

/// A file that the user wants written, such as that of --output: the constructor checks that it can
/// be written, before the work whose result goes there.
///
/// A regular file is replaced whole (FileDraft), the target of a link behind the link. A terminal,
/// a pipe, /dev/null or /dev/stdout is written to.
class OutputFile {
 public:
  /// No file is wanted.
  OutputFile() = default;
  /// An empty name: no file is wanted. Throws a UserError `FILE: cannot be written: REASON` for a
  /// folder, a block device, a pipe that nobody reads, or if no file can be created there.
  explicit OutputFile(const std::filesystem::path& name);

  [[nodiscard]] bool is_wanted() const { return !name_.empty(); }
  /// As the user gave it.
  [[nodiscard]] const std::filesystem::path& name() const { return name_; }

  /// Writes the content, as a whole or not at all; does nothing if no file is wanted. Throws a
  /// RunError, or the exception of `content`, and then keeps an older file.
  void write(const Content& content, Safety safety = Safety::disk) const;
  void write(std::string_view text) const;
  /// The file, opened for appending. Throws a RunError.
  [[nodiscard]] FileDescriptor open_at_end() const;

  /// Whether it would replace `file`, or, if that is a folder, a file in it, even by another name
  /// (a link).
  [[nodiscard]] bool replaces(const std::filesystem::path& file) const;
  /// Whether both would be the same file. Devices and pipes never are.
  [[nodiscard]] bool replaces(const OutputFile& other) const;

 private:
  void try_place();

  std::filesystem::path name_;
  std::filesystem::path target_;                ///< the target of links
  std::shared_ptr<const FileDescriptor> open_;  ///< a file that is written to, not replaced
};

/// Throws a UserError when two of the outputs are one file, or one would replace an input: a file,
/// or one in a folder.
void keep_apart(const std::vector<OutputFile>& outputs,
                const std::vector<std::filesystem::path>& inputs);

/// Throws a UserError `FOLDER: cannot be written: REASON` if no files can be created in `folder`,
/// or if it cannot be created itself.
void check_output_folder(const std::filesystem::path& folder);

}  // namespace epochcast
