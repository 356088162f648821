// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/files/output_file.hpp"

namespace epochcast {

/// A file that grows by lines while the work goes on, and can be read at any time: no line of it is
/// there in part.
class LineFile {
 public:
  enum class Start { empty, after_older_lines };

  /// Throws a RunError.
  LineFile(OutputFile file, Start start);

  /// Throws a RunError; the file then is as it was.
  void add(std::string_view line) const;

 private:
  OutputFile file_;
  FileDescriptor descriptor_;
};

}  // namespace epochcast
