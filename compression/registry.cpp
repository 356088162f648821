// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "compression/compression.hpp"

namespace epochcast {

// Each is defined in its own file.
CompressionMethod fp16_compression();
CompressionMethod bf16_compression();
CompressionMethod int8_compression();
CompressionMethod topk_compression();
CompressionMethod gtopk_compression();
CompressionMethod oktopk_compression();
CompressionMethod gaussiank_compression();
CompressionMethod terngrad_compression();
CompressionMethod qsgd_compression();
CompressionMethod powersgd_compression();
CompressionMethod onebit_compression();

std::span<const CompressionMethod> compressions() {
  static const std::array all = {fp16_compression(),
                                 bf16_compression(),
                                 int8_compression(),
                                 topk_compression(),
                                 gtopk_compression(),
                                 oktopk_compression(),
                                 gaussiank_compression(),
                                 terngrad_compression(),
                                 qsgd_compression(),
                                 powersgd_compression(),
                                 onebit_compression()};
  return all;
}

const CompressionMethod* find_compression(std::string_view name) {
  std::vector<std::string> names = {"none"};
  for (const CompressionMethod& method : compressions()) {
    if (method.name == name) return &method;
    names.emplace_back(method.name);
  }
  if (name == names.front()) return nullptr;
  throw UserError("--compression: " + unknown_name("compression", name, names));
}

std::unique_ptr<Compression> make_compression(const JobConfig& config, int rank) {
  const CompressionMethod* const method = find_compression(config.compression);
  return method == nullptr ? nullptr : method->make(config, rank);
}

}  // namespace epochcast
