// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>

#include "core/files/file_descriptor.hpp"

namespace epochcast {

/// Puts a file's content into a stream. What it throws is passed on.
using Content = std::function<void(std::ostream&)>;

/// Whether content has to be on the disk, not only in the system's cache, before its file is
/// replaced. What is quickly made again need not.
enum class Safety { disk, cache };

/// The next content of a file, in the file's folder.
///
/// It has no name of its own before publish() where the file system can do that: nothing stays of
/// it, even when the process is killed. Permissions and owner are those of the file that it
/// replaces, as far as the user may set them.
class FileDraft {
 public:
  /// `file`: what is replaced or new; not followed where it is a link. `name`: what messages call
  /// it. Throws a RunError `NAME: cannot be written: REASON`.
  FileDraft(std::filesystem::path file, std::filesystem::path name);
  ~FileDraft();
  FileDraft(const FileDraft&) = delete;
  FileDraft& operator=(const FileDraft&) = delete;

  /// Adds to the draft. Throws a RunError, a full disk's for instance.
  void fill(const Content& content) const;
  /// Makes it the file. Throws a RunError; the file then is as it was.
  void publish(Safety safety);

 private:
  void give_name();

  std::filesystem::path file_;
  std::filesystem::path name_;
  std::filesystem::path folder_;
  FileDescriptor descriptor_;
  std::filesystem::path path_;  ///< of the draft; empty while it has no name
};

/// Writes content to what is open. Throws a RunError `NAME: cannot be written: REASON`.
void write_content(int descriptor, const Content& content, const std::filesystem::path& name);

/// Makes or replaces one of the program's own files: whole, or not at all. Throws a RunError.
void replace_file(const std::filesystem::path& file, const Content& content);
void replace_file(const std::filesystem::path& file, std::string_view text);

/// Removes the drafts that killed processes left in a folder where nothing else is being written.
void remove_drafts(const std::filesystem::path& folder);

/// Throws the RunError `NAME: cannot be written: REASON` for an errno.
[[noreturn]] void fail_to_write(const std::filesystem::path& name, int reason);

}  // namespace epochcast
