// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/network_text.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/formats/network_file.hpp"
#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layer_record.hpp"

namespace epochcast::real {
namespace {

/// Primes that are no other extent of any tensor, so in tensors they stand for the number of
/// classes.
constexpr std::int64_t kManyClasses = 997;
constexpr std::int64_t kFewerClasses = 499;

/// A figure that grows with the number of classes by the same amount for each.
struct Line {
  double base = 0;
  double per_class = 0;
};

Line line_through(std::int64_t with_many, std::int64_t with_fewer) {
  const auto per_class =
      static_cast<double>(with_many - with_fewer) / (kManyClasses - kFewerClasses);
  return {.base = static_cast<double>(with_many) - kManyClasses * per_class,
          .per_class = per_class};
}

/// A layer, as it was recorded with many classes and with fewer.
NetworkLayer layer_of(const LayerRecord& many,
                      const LayerRecord& fewer,
                      const torch::OrderedDict<std::string, torch::Tensor>& parameters) {
  NetworkLayer layer = {.name = many.name};
  for (const std::string& name : many.tensors) {
    NetworkTensor tensor = {.name = name, .shape = parameters[name].sizes().vec()};
    std::ranges::replace(tensor.shape, kManyClasses, kClasses);
    layer.tensors.push_back(std::move(tensor));
  }
  const Line flops = line_through(many.forward_flop, fewer.forward_flop);
  const Line products = line_through(many.multiply_adds, fewer.multiply_adds);
  const Line activations = line_through(many.activation_bytes, fewer.activation_bytes);
  layer.forward_flops = flops.base;
  layer.forward_flops_per_class = flops.per_class;
  layer.activation_bytes = activations.base;
  layer.activation_bytes_per_class = activations.per_class;
  // Bytes moved for each class equal the bytes kept (core/formats/network.cpp).
  layer.work = LayerWork{.product_flops = 2 * products.base,
                         .moved_bytes = line_through(many.moved_bytes, fewer.moved_bytes).base,
                         .operations = many.operations};
  return layer;
}

/// Elements of batch norms' running means and variances.
std::int64_t running_statistics(const TorchNetwork& network) {
  std::int64_t count = 0;
  for (const torch::Tensor& buffer : network.buffers()) {
    if (is_averaged(buffer)) count += buffer.numel();
  }
  return count;
}

/// Backward order.
std::vector<LayerRecord> backward_records(TorchNetwork& network, const DescribedShape& described) {
  std::vector<LayerRecord> records = record_layers(network, described.input);
  std::ranges::reverse(records);
  return records;
}

NetworkVariant variant_of(const KnownNetwork& known, const DescribedShape& described) {
  const auto network = known.make(described.input, kManyClasses);
  const auto with_fewer = known.make(described.input, kFewerClasses);
  NetworkVariant variant = {.input = described.input,
                            .classes = described.classes,
                            .note = described.note,
                            .buffers = running_statistics(*network)};
  const std::vector<LayerRecord> many = backward_records(*network, described);
  const std::vector<LayerRecord> fewer = backward_records(*with_fewer, described);
  const auto parameters = network->named_parameters();
  for (std::size_t i = 0; i < many.size(); ++i)
    variant.layers.push_back(layer_of(many[i], fewer[i], parameters));
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
