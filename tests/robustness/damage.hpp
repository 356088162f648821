// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/statistics/random.hpp"

namespace epochcast::tests {

/// Files by name: the content of a folder.
using Files = std::map<std::string, std::string>;

/// The damage of files.
struct Damage {
  std::string text;             ///< "3 bits of a.state flipped"
  std::set<std::string> files;  ///< whose content has changed
};

/// Damages one or two files, with a change in at least one, like faults of disks, copies and users:
/// bits flip, ends or whole files are lost or overwritten with zeros, bytes are appended, files are
/// exchanged, an older one of the same name comes back.
[[nodiscard]] Damage damage(Files& files, Random& random, const Files& older = {});

/// The files in a folder, and back.
[[nodiscard]] Files read_files(const std::filesystem::path& folder);
void write_files(const std::filesystem::path& folder, const Files& files);

}  // namespace epochcast::tests
