// SPDX-License-Identifier: Apache-2.0
#include "real/data/content_mark.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/files/checksum.hpp"
#include "core/tensors/tensor.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kMostMarked = 32;

void add(Digest& digest, std::span<const float> numbers) {
  const auto bytes = std::as_bytes(numbers);
  digest.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

std::string content_mark(const DataSource& data) {
  const Targets targets = data.targets();
  const auto floats_for = [](std::span<const std::int64_t> shape) {
    return std::vector<float>(static_cast<std::size_t>(Tensor::elements_of(shape)));
  };
  std::vector<float> sample = floats_for(data.shape());
  std::vector<float> target =
      targets.kind == TargetKind::classes ? std::vector<float>() : floats_for(targets.shape);
  const std::int64_t samples = data.size();
  Digest digest;
  digest.add(std::to_string(samples) + " samples of " + shape_text(data.shape()) + ", " +
             std::to_string(data.classes()) + " classes");
  const std::int64_t marked = std::min(samples, kMostMarked);
  for (std::int64_t i = 0; i < marked; ++i) {
    const std::int64_t index = marked == 1 ? 0 : (samples - 1) * i / (marked - 1);
    const std::int64_t label = data.load(index, {}, sample);
    data.load_targets(index, target);
    digest.add(std::to_string(label) + ";");
    add(digest, sample);
    add(digest, target);
  }
  return digest.text();
}

}  // namespace epochcast::real
