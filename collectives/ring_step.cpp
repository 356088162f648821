// SPDX-License-Identifier: Apache-2.0
#include "collectives/ring_step.hpp"

namespace epochcast {
namespace {

Block block_of(const RingBlocks& blocks, std::int64_t index, int size) {
  const std::int64_t wrapped = ((index % size) + size) % size;
  const std::int64_t begin = blocks.begin + wrapped * blocks.stride;
  return {begin, begin + blocks.length};
}

}  // namespace

RingPlace place_in_rank_order(int position, int size) {
  return {.position = position,
          .size = size,
          .next = (position + 1) % size,
          .previous = (position + size - 1) % size};
}

Round ring_reduce_scatter(const RingPlace& place, const RingBlocks& blocks, std::int64_t step) {
  const std::int64_t sent = place.position - step;
  return {Action{ActionKind::send, place.next, block_of(blocks, sent, place.size)},
          Action{ActionKind::receive_add, place.previous, block_of(blocks, sent - 1, place.size)}};
}

Round ring_all_gather(const RingPlace& place, const RingBlocks& blocks, std::int64_t step) {
  const std::int64_t sent = place.position + 1 - step;
  return {Action{ActionKind::send, place.next, block_of(blocks, sent, place.size)},
          Action{ActionKind::receive, place.previous, block_of(blocks, sent - 1, place.size)}};
}

}  // namespace epochcast
