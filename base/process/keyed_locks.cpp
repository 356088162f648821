// SPDX-License-Identifier: Apache-2.0
#include "base/process/keyed_locks.hpp"

#include "base/files/file_draft.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// The byte of a key. Two keys with the same byte are only computed one after the other.
std::int64_t byte_of(const std::string& key) {
  constexpr std::size_t kDigits = 15;  // of a hexadecimal key: no byte below 0
  return std::stoll(key.substr(0, kDigits), nullptr, 16);
}

}  // namespace

KeyedLocks::KeyedLocks(const fs::path& folder) : file_(folder / "lock") {
  if (!file_.is_taken()) remove_drafts(folder);
}

bool KeyedLocks::try_take(const std::string& key) const {
  return file_.try_lock(byte_of(key)) != LockFile::Answer::taken;
}

void KeyedLocks::release(const std::string& key) const { file_.unlock(byte_of(key)); }

}  // namespace epochcast
