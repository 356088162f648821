// SPDX-License-Identifier: Apache-2.0
#include "analysis/rehearsal_locks.hpp"

#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

#include "core/file_draft.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// The byte that stands for it: two keys that share one take turns, no more.
std::int64_t byte_of(const std::string& key) {
  const boost::uuids::uuid id = boost::uuids::string_generator()(key);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(number); ++i) number = number << 8 | id.data[i];
  return static_cast<std::int64_t>(number >> 2);
}

}  // namespace

RehearsalLocks::RehearsalLocks(const fs::path& folder) : file_(folder / "lock") {
  if (!file_.is_taken()) remove_drafts(folder);
}

bool RehearsalLocks::try_take(const std::string& key) const {
  return file_.try_lock(byte_of(key)) != LockFile::Answer::taken;
}

void RehearsalLocks::release(const std::string& key) const { file_.unlock(byte_of(key)); }

}  // namespace epochcast
