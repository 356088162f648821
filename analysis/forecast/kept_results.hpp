// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/process/lock_file.hpp"

namespace epochcast {

/// Results in files that are kept from one call to the next, each named by everything that
/// determines it.
///
/// A result is a folder PREFIX-CHECKSUM. Its `kept.json` holds the whole text of what it is of and
/// a checksum of every other file. It is made as PREFIX-CHECKSUM.part and gets its name when it is
/// whole, so that what an interrupted call left is never taken for a result.
class KeptResults {
 public:
  using Notes = std::function<void(const std::string&)>;

  /// The folder exists, and is this object's alone until it ends. `note` is called with a sentence
  /// when a result has to be made again because its files are damaged, or are of something else.
  /// Throws a UserError when another process is at work in the folder.
  KeptResults(std::filesystem::path folder, Notes note);

  /// The folder of the result that `subject` determines. Where there is none that is whole, `make`
  /// is called to write its files into the folder that it is given; what it throws is passed on,
  /// and what it wrote stays for people until the next try. `prefix`: a word for people to find it
  /// by.
  [[nodiscard]] std::filesystem::path get(
      const std::string& prefix,
      const nlohmann::json& subject,
      const std::function<void(const std::filesystem::path& draft)>& make) const;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  Notes note_;
  LockFile lock_;
};

/// A result that is kept, and what determines it.
struct KeptResult {
  std::filesystem::path folder;
  nlohmann::json subject;
};
/// Those of a folder that begin with this prefix, by name. What is damaged is left out.
[[nodiscard]] std::vector<KeptResult> kept_results(const std::filesystem::path& folder,
                                                   const std::string& prefix);

}  // namespace epochcast
