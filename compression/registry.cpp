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
  throw UserError("--compression: " + unknown_name("compression", name, names) +
                  (name.find(',') == std::string_view::npos
                       ? ""
                       : "; several: --sweep compression=" + std::string(name)));
}

std::unique_ptr<Compression> make_compression(const JobConfig& config, int rank) {
  const CompressionMethod* const method = find_compression(config.compression);
  return method == nullptr ? nullptr : method->make(config, rank);
}

std::string warm_up_note(const JobConfig& config, std::int64_t exchanges) {
  const CompressionMethod* const method = find_compression(config.compression);
  if (method == nullptr || method->warm_up == nullptr) return {};
  const std::int64_t first = method->make(config, 0)->first_step();
  const std::string flag = "--" + std::string(method->warm_up->name);
  if (first == 0) return {};
  if (first < exchanges)
    return "--compression " + std::string(method->name) + ": " + std::to_string(first) + " of " +
           std::to_string(exchanges) + " exchanges travel whole (" + flag +
           "); 0 forecasts the rest";
  return "--compression " + std::string(method->name) + " compresses nothing: it begins after " +
         std::to_string(first) + " exchanges, the job has " + std::to_string(exchanges) + " (" +
         flag + ")";
}

}  // namespace epochcast
