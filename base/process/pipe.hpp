// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file_descriptor.hpp"

namespace epochcast {

/// A pipe, closed on exec. Throws a RunError when none can be made.
struct Pipe {
  Pipe();
  FileDescriptor reading;
  FileDescriptor writing;
};

/// A file without a name that holds the text, read from its beginning, closed on exec: it vanishes
/// with this process. Throws a RunError.
[[nodiscard]] FileDescriptor unnamed_file(const std::string& text = {});
/// The content of such a file. Throws a RunError.
[[nodiscard]] std::string text_of(const FileDescriptor& unnamed_file);

/// Writes the text to a file or pipe. Throws a RunError.
void write_all(int file, const std::string& text);

/// Reads what has arrived, at most 64 KiB; nothing at the end. Throws a RunError.
[[nodiscard]] std::string read_some(const FileDescriptor& file);

/// Passes on all input until the end of the file. Throws Interrupted and RunError.
void read_until_end(const FileDescriptor& file,
                    const std::function<void(const std::string&)>& piece);

/// Waits, at most for `time`, until some of the files are readable or at their end; returns which.
/// Throws Interrupted.
[[nodiscard]] std::vector<std::size_t> wait_for_input(
    const std::vector<int>& files, std::optional<std::chrono::milliseconds> time = std::nullopt);

}  // namespace epochcast
