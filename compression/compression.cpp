// SPDX-License-Identifier: Apache-2.0
#include "compression/compression.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace epochcast {

Compression::Finish Compression::start_exchange(const BucketExchange& exchange) {
  if (exchange.members() > 1 && !is_warming_up()) return start_compressed(exchange);
  Fabric& fabric = exchange.fabric;
  Request request = fabric.start_all_reduce(exchange.bucket, exchange.weight, exchange.among);
  return [&fabric, request = std::move(request)] { fabric.wait(request); };
}

std::string Compression::save() const { return std::to_string(steps_) + '\n' + memory_.save(); }

void Compression::load(const std::string& bytes) {
  const std::size_t end = bytes.find('\n');
  const char* const begin = bytes.data();
  if (end == std::string::npos || std::from_chars(begin, begin + end, steps_).ptr != begin + end)
    throw RunError("the state of the compression does not begin with its steps");
  memory_.load(bytes.substr(end + 1));
}

std::vector<const StrategySetting*> kernel_settings() {
  std::vector<const StrategySetting*> all;
  for (const CompressionMethod& method : compressions()) {
    for (const StrategySetting* setting : method.settings) {
      if (setting != method.warm_up && std::find(all.begin(), all.end(), setting) == all.end())
        all.push_back(setting);
    }
  }
  return all;
}

bool CompressionMethod::has(std::string_view setting) const {
  return std::any_of(settings.begin(), settings.end(), [&](const StrategySetting* own) {
    return own->name == setting;
  });
}

}  // namespace epochcast
