// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/process/lock_file.hpp"

namespace epochcast {

/// Results in files that are kept from one call to the next, each named by all its inputs.
///
/// A result is a folder PREFIX-CHECKSUM. Its `kept.json` holds the whole text of its
/// inputs and a checksum of every other file. It is made as PREFIX-CHECKSUM.part and
/// renamed when it is complete, so an interrupted call leaves no partial result under the
/// final name.
class KeptResults {
 public:
  using Notes = std::function<void(const std::string&)>;

  /// Creates the folder, and locks it until the object ends. `note` is called with a sentence when
  /// a result is made again because its files are damaged, or belong to another subject. Throws a
  /// UserError when another process has the lock.
  KeptResults(std::filesystem::path folder, Notes note);

  /// The folder of the result of `subject`. Without an intact one, `make` is called to
  /// write its files into the folder that it is given; its exceptions are passed on, and
  /// its files remain for inspection until the next try. `prefix`: a word by which users
  /// can find it.
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

/// A kept result, and its subject.
struct KeptResult {
  std::filesystem::path folder;
  nlohmann::json subject;
};
/// The results of a folder that begin with this prefix, by name, without damaged ones.
[[nodiscard]] std::vector<KeptResult> kept_results(const std::filesystem::path& folder,
                                                   const std::string& prefix);

}  // namespace epochcast
