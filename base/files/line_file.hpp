// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/files/output_file.hpp"

namespace epochcast {

/// A file that grows line by line and can be read at any time: lines are written whole.
class LineFile {
 public:
  enum class Start { empty, after_older_lines };

  /// Throws a RunError.
  LineFile(OutputFile file, Start start);

  /// Throws a RunError and leaves the file unchanged on failure.
  void add(std::string_view line) const;

 private:
  OutputFile file_;
  FileDescriptor descriptor_;
};

}  // namespace epochcast
