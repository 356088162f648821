// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "core/random.hpp"

namespace epochcast::tests {

/// Files by name: what a folder holds.
using Files = std::map<std::string, std::string>;

/// What happened to files.
struct Damage {
  std::string text;             ///< "3 bits of a.state flipped"
  std::set<std::string> files;  ///< which do not hold any more what was written
};

/// Damages one file or two, so that at least one holds something else, in one of the ways in which
/// disks, copies and people do: bits flip, ends or all of it are lost or overwritten with zeros,
/// something is appended, files change places, an older one of the same name comes back.
[[nodiscard]] Damage damage(Files& files, Random& random, const Files& older = {});

/// The files in a folder, and back.
[[nodiscard]] Files read_files(const std::filesystem::path& folder);
void write_files(const std::filesystem::path& folder, const Files& files);

}  // namespace epochcast::tests
