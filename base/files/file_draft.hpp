// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>

#include "base/files/file_descriptor.hpp"

namespace epochcast {

/// Writes a file's content into a stream. Exceptions are passed on.
using Content = std::function<void(std::ostream&)>;

/// Whether content has to be on the disk, not only in the system's cache, before its file is
/// replaced. `cache` is for content that is quickly made again.
enum class Safety { disk, cache };

/// The next content of a file, in the file's folder.
///
/// It has no name before publish() if the file system supports that; it then vanishes when the
/// process is killed. Permissions and owner are those of the file that it replaces, as far as the
/// user may set them.
class FileDraft {
 public:
  /// `file`: the file to replace or create; links are not followed. `name`: its name in messages.
  /// Throws a RunError `NAME: cannot be written: REASON`.
  FileDraft(std::filesystem::path file, std::filesystem::path name);
  ~FileDraft();
  FileDraft(const FileDraft&) = delete;
  FileDraft& operator=(const FileDraft&) = delete;

  /// Adds to the draft. Throws a RunError, a full disk's for instance.
  void fill(const Content& content) const;
  /// Replaces the file by the draft. Throws a RunError and leaves the file unchanged on failure.
  void publish(Safety safety);

 private:
  void give_name();

  std::filesystem::path file_;
  std::filesystem::path name_;
  std::filesystem::path folder_;
  FileDescriptor descriptor_;
  std::filesystem::path path_;  ///< of the draft; empty while it has no name
};

/// Writes content to an open file. Throws a RunError `NAME: cannot be written: REASON`.
void write_content(int descriptor, const Content& content, const std::filesystem::path& name);

/// Creates or replaces one of the program's own files, as a whole or not at all. Throws a RunError.
void replace_file(const std::filesystem::path& file, const Content& content);
void replace_file(const std::filesystem::path& file, std::string_view text);

/// Removes drafts left by killed processes. Nobody else may write in the folder meanwhile.
void remove_drafts(const std::filesystem::path& folder);

/// Throws the RunError `NAME: cannot be written: REASON` for an errno.
[[noreturn]] void fail_to_write(const std::filesystem::path& name, int reason);

}  // namespace epochcast
