// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/network_text.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/formats/network_file.hpp"
#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layer_record.hpp"

namespace epochcast::real {
namespace {

/// A prime that is no extent of any tensor, so that in tensors it can only be the number of
/// classes.
constexpr std::int64_t kManyClasses = 997;

/// What a layer with one output per class costs is proportional to their number.
NetworkLayer layer_of(const LayerRecord& record,
                      const torch::OrderedDict<std::string, torch::Tensor>& parameters) {
  NetworkLayer layer = {.name = record.name};
  bool is_per_class = false;
  for (const std::string& name : record.tensors) {
    const torch::Tensor& parameter = parameters[name];
    NetworkTensor tensor = {.name = name, .shape = parameter.sizes().vec()};
    std::ranges::replace(tensor.shape, kManyClasses, kClasses);
    is_per_class = is_per_class || parameter.size(0) == kManyClasses;
    layer.tensors.push_back(std::move(tensor));
  }
  const auto forward_flops = static_cast<double>(record.forward_flop);
  const auto activation_bytes = static_cast<double>(record.activation_bytes);
  if (is_per_class) {
    layer.forward_flops_per_class = forward_flops / kManyClasses;
    layer.activation_bytes_per_class = activation_bytes / kManyClasses;
  } else {
    layer.forward_flops = forward_flops;
    layer.activation_bytes = activation_bytes;
  }
  // The inputs of a layer with one output per class; an output more or less counts for nothing.
  const std::int64_t class_bytes = is_per_class ? kManyClasses * std::int64_t{sizeof(float)} : 0;
  layer.work = LayerWork{
      .product_flops = is_per_class ? 0 : 2 * static_cast<double>(record.multiply_adds),
      .moved_bytes =
          static_cast<double>(std::max<std::int64_t>(0, record.moved_bytes - class_bytes)),
      .operations = record.operations};
  return layer;
}

/// Elements of batch norms' running means and variances.
std::int64_t running_statistics(const TorchNetwork& network) {
  std::int64_t count = 0;
  for (const torch::Tensor& buffer : network.buffers()) {
    if (buffer.is_floating_point()) count += buffer.numel();
  }
  return count;
}

NetworkVariant variant_of(const KnownNetwork& known, const DescribedShape& described) {
  const auto network = known.make(described.input, kManyClasses);
  NetworkVariant variant = {
      .input = described.input, .note = described.note, .buffers = running_statistics(*network)};
  std::vector<LayerRecord> records = record_layers(*network, described.input);
  const auto parameters = network->named_parameters();
  std::ranges::reverse(records);  // backward order
  for (const LayerRecord& record : records) variant.layers.push_back(layer_of(record, parameters));
  return variant;
}

}  // namespace

std::string network_text(const std::string& name) {
  const std::vector<KnownNetwork>& all = known_networks();
  const auto known = std::find_if(
      all.begin(), all.end(), [&](const KnownNetwork& each) { return each.name == name; });
  if (known == all.end()) throw std::logic_error("no network " + name);
  NetworkFile file = {.name = known->name,
                      .title = known->title,
                      .source = {.grade = Grade::published, .reference = known->reference},
                      .variants = {}};
  for (const DescribedShape& described : known->described)
    file.variants.push_back(variant_of(*known, described));
  return epochcast::network_text(file);
}

}  // namespace epochcast::real
