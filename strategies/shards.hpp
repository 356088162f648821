// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric.hpp"
#include "core/learner.hpp"

namespace epochcast {

/// A range of parameters, in the order of Learner::gradients().
struct Shard {
  std::int64_t begin = 0;
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t end() const { return begin + count; }
};

/// The part of a member among so many, as equal as parts can be.
[[nodiscard]] inline Shard shard_of(std::int64_t all, std::int64_t members, std::int64_t member) {
  return {.begin = all * member / members, .count = part_of(all, members, member)};
}

/// The rank's part of a payload.
[[nodiscard]] inline Payload shard_of(const Payload& all, const Communicator& among, int rank) {
  const Shard shard = shard_of(all.count, among.size(), among.member_of(rank));
  return slice(all, shard.begin, shard.count);
}

/// Where each of Learner::buckets() begins: they are cut from the last parameter to the first.
[[nodiscard]] inline std::vector<std::int64_t> begins_of_buckets(
    const std::vector<Payload>& buckets) {
  std::int64_t end = 0;
  for (const Payload& bucket : buckets) end += bucket.count;
  std::vector<std::int64_t> begins;
  begins.reserve(buckets.size());
  for (const Payload& bucket : buckets) begins.push_back(end -= bucket.count);
  return begins;
}

}  // namespace epochcast
