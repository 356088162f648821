// SPDX-License-Identifier: Apache-2.0
#include "analysis/rehearsal_locks.hpp"

#include <array>
#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <optional>
#include <stdexcept>

namespace epochcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyLength = 36;

/// The byte that stands for it: two keys that share one take turns, no more.
std::int64_t byte_of(const std::string& key) {
  const boost::uuids::uuid id = boost::uuids::string_generator()(key);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(number); ++i) number = number << 8 | id.data[i];
  return static_cast<std::int64_t>(number >> 2);
}

/// The rehearsal whose draft this is; nothing for other files.
std::optional<std::string> key_of_draft(const fs::path& file) {
  const std::string name = file.filename().string();
  if (name.size() <= kKeyLength || name[kKeyLength] != '.') return std::nullopt;
  const std::string extension = name.substr(kKeyLength);
  if (extension == ".json" || extension == ".state" || extension == ".log") return std::nullopt;
  try {
    std::string key = name.substr(0, kKeyLength);
    static_cast<void>(byte_of(key));
    return key;
  } catch (const std::runtime_error&) {
    return std::nullopt;  // not one of ours
  }
}

}  // namespace

RehearsalLocks::RehearsalLocks(const fs::path& folder) : file_(folder / "lock") {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::optional<std::string> key = key_of_draft(entry.path());
    if (!key || file_.try_lock(byte_of(*key)) != LockFile::Answer::ours) continue;
    fs::remove(entry.path(), ignored);
    release(*key);
  }
}

bool RehearsalLocks::try_take(const std::string& key) const {
  return file_.try_lock(byte_of(key)) != LockFile::Answer::taken;
}

void RehearsalLocks::release(const std::string& key) const { file_.unlock(byte_of(key)); }

}  // namespace epochcast
