// SPDX-License-Identifier: Apache-2.0
#include "compression/code_gather.hpp"

#include <algorithm>

#include "compression/tensor_blocks.hpp"
#include "compression/wire.hpp"

namespace epochcast {
namespace {

// Of a value: weighted (8), read for the scale and for the code (8); a coded one is added to a sum
// that is read and written. Codes are below a byte: one.
constexpr double kEncodeBytes = 8 + 8 + 1;
constexpr double kAddBytes = 1 + 8;

}  // namespace

double CodeGather::wire_bytes(std::int64_t count, int members, const TensorShapes& tensors) const {
  const std::int64_t size = code_bytes(tensor_blocks(tensors, 0, count));
  return all_gather_wire_bytes(members * static_cast<double>(size), members);
}

Random CodeGather::draws(const BucketExchange& exchange) {
  const auto exchanges = memory().numbers<std::uint64_t>(exchange.index, "exchanges", 1);
  return Random(mix_seed(mix_seed(seed_, exchange.index), exchanges[0]++));
}

Compression::Finish CodeGather::start_compressed(const BucketExchange& exchange) {
  const std::vector<std::int64_t> blocks = tensor_blocks(exchange.tensors, 0, exchange.count());
  const std::int64_t size = code_bytes(blocks);
  const WireBuffer mine(size, exchange.has_numbers());
  const WireBuffer all(exchange.members() * size, exchange.has_numbers());
  const auto count = static_cast<double>(exchange.count());
  if (exchange.has_numbers()) {
    scale(exchange.bucket, exchange.weight);
    Random random = draws(exchange);
    encode(values<float>(exchange.bucket), blocks, random, mine.bytes());
  }
  exchange.observer.kernel("compress", kEncodeBytes * count);
  const Request request =
      exchange.fabric.start_all_gather(mine.payload(), all.payload(), exchange.among);
  return [this, exchange, mine, all, request, count, size, blocks] {
    exchange.fabric.wait(request);
    if (exchange.has_numbers()) {
      const std::span<float> bucket = values<float>(exchange.bucket);
      std::fill(bucket.begin(), bucket.end(), 0.0F);
      for (int i = 0; i < exchange.members(); ++i) add(all.part(i, size), blocks, bucket);
    }
    exchange.observer.kernel("decompress", (4 + exchange.members() * kAddBytes) * count);
  };
}

}  // namespace epochcast
