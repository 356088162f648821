// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "tests/cli/program.hpp"

namespace epochcast::tests {

/// A folder whose epochcast starts rehearsals through counting_server.py.
class CountedRehearsals : public Folder {
 public:
  CountedRehearsals() {
    namespace fs = std::filesystem;
    fs::create_directory(program_.parent_path());
    fs::copy_file(EPOCHCAST_PROGRAM, program_);
    const std::string script = "bin/epochcast-rehearse";
    write(script,
          "#!/bin/sh\nexec " EPOCHCAST_SOURCE_DIR
          "/tests/rehearse/counting_server.py " EPOCHCAST_PROGRAM "-rehearse " +
              (path() / "started").string() + "\n");
    fs::permissions(path() / script, fs::perms::owner_all);
  }

  [[nodiscard]] Outcome run(const std::string& arguments) const { return run(words(arguments)); }
  [[nodiscard]] Outcome run(const std::vector<std::string>& arguments) const {
    return Folder::run(arguments, {.program = program_.string()});
  }
  /// Rehearsals started so far.
  [[nodiscard]] std::size_t count() const { return lines(read("started")).size(); }

 private:
  std::filesystem::path program_ = path() / "bin/epochcast";
};

}  // namespace epochcast::tests
