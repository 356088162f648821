// SPDX-License-Identifier: Apache-2.0
#include "compression/two_phase.hpp"

#include <algorithm>
#include <functional>

#include "compression/all_to_all.hpp"
#include "compression/kernels/regions.hpp"
#include "compression/tensor_blocks.hpp"
#include "compression/wire.hpp"

namespace epochcast {

/// The parts of a bucket and of its code.
struct TwoPhase::Parts {
  std::vector<std::int64_t> bounds;       ///< of values
  std::vector<Blocks> blocks;             ///< of each part
  std::vector<std::int64_t> code_bounds;  ///< of the bytes that a member sends to all others
  int self = 0;
  WireBuffer to, from, result;

  [[nodiscard]] std::int64_t code_size(std::size_t i) const {
    return code_bounds[i + 1] - code_bounds[i];
  }
  [[nodiscard]] std::int64_t own_size() const { return code_size(static_cast<std::size_t>(self)); }
  [[nodiscard]] std::span<float> values(std::span<float> all, std::size_t i) const {
    return all.subspan(static_cast<std::size_t>(bounds[i]),
                       static_cast<std::size_t>(bounds[i + 1] - bounds[i]));
  }
  [[nodiscard]] std::span<std::byte> code(const WireBuffer& buffer, std::size_t i) const {
    return buffer.bytes().subspan(static_cast<std::size_t>(code_bounds[i]),
                                  static_cast<std::size_t>(code_size(i)));
  }
};

double TwoPhase::wire_bytes(std::int64_t count, int members, const TensorShapes& tensors) const {
  const std::vector<std::int64_t> bounds = balanced_regions({}, count, members);
  double all_bytes = 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i)
    all_bytes += static_cast<double>(code_bytes(tensor_blocks(tensors, bounds[i], bounds[i + 1])));
  return 2 * all_gather_wire_bytes(all_bytes, members);
}

Compression::Finish TwoPhase::start_compressed(const BucketExchange& exchange) {
  const int members = exchange.members();
  Parts parts = {.bounds = balanced_regions({}, exchange.count(), members),
                 .blocks = {},
                 .code_bounds = {0},
                 .self = exchange.member(),
                 .to = {},
                 .from = {},
                 .result = {}};
  for (std::size_t i = 0; i + 1 < parts.bounds.size(); ++i) {
    parts.blocks.push_back(tensor_blocks(exchange.tensors, parts.bounds[i], parts.bounds[i + 1]));
    parts.code_bounds.push_back(parts.code_bounds.back() + code_bytes(parts.blocks.back()));
  }
  const bool has_numbers = exchange.has_numbers();
  parts.to = WireBuffer(parts.code_bounds.back(), has_numbers);
  parts.from = WireBuffer(members * parts.own_size(), has_numbers);
  parts.result = WireBuffer(parts.code_bounds.back(), has_numbers);
  if (has_numbers) {
    const std::span<float> own = contribution(exchange);
    for (std::size_t i = 0; i + 1 < parts.bounds.size(); ++i)
      encode(parts.values(own, i), parts.blocks[i], parts.code(parts.to, i));
  }
  exchange.observer.kernel("compress", encode_bytes() * static_cast<double>(exchange.count()));
  std::vector<Payload> to;
  std::vector<Payload> from;
  for (int i = 0; i < members; ++i) {
    const auto part = static_cast<std::size_t>(i);
    to.push_back(slice(parts.to.payload(), parts.code_bounds[part], parts.code_size(part)));
    from.push_back(slice(parts.from.payload(), i * parts.own_size(), parts.own_size()));
  }
  const std::vector<Request> requests = start_all_to_all(exchange.fabric, exchange.among, to, from);
  return [this, exchange, parts = std::move(parts), requests] {
    for (const Request& request : requests) exchange.fabric.wait(request);
    finish(exchange, parts);
  };
}

void TwoPhase::finish(const BucketExchange& exchange, const Parts& parts) {
  const auto self = static_cast<std::size_t>(parts.self);
  const Payload mine = slice(parts.result.payload(), parts.code_bounds[self], parts.own_size());
  const auto own_count = static_cast<double>(parts.bounds[self + 1] - parts.bounds[self]);
  if (exchange.has_numbers()) {
    std::ranges::copy(parts.code(parts.to, self),
                      parts.from.part(parts.self, parts.own_size()).begin());
    std::vector<float> sum(static_cast<std::size_t>(parts.bounds[self + 1] - parts.bounds[self]));
    for (int i = 0; i < exchange.members(); ++i)
      add(parts.from.part(i, parts.own_size()), parts.blocks[self], sum);
    encode_sum(exchange, sum, parts.blocks[self], parts.code(parts.result, self));
  }
  exchange.observer.kernel("sum", (exchange.members() * add_bytes() + encode_bytes()) * own_count);
  exchange.fabric.all_gather(mine, parts.result.payload(), exchange.among);
  if (exchange.has_numbers()) {
    const std::span<float> bucket = values<float>(exchange.bucket);
    std::fill(bucket.begin(), bucket.end(), 0.0F);
    for (std::size_t i = 0; i + 1 < parts.bounds.size(); ++i)
      add(parts.code(parts.result, i), parts.blocks[i], parts.values(bucket, i));
  }
  exchange.observer.kernel("decompress", add_bytes() * static_cast<double>(exchange.count()));
}

}  // namespace epochcast
