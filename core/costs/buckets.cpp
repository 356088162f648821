// SPDX-License-Identifier: Apache-2.0
#include "core/costs/buckets.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace epochcast {
namespace {

/// Share of the backward pass of each layer of the network.
std::vector<double> backward_shares(const Network& network,
                                    const std::vector<LayerShare>& measured) {
  std::map<std::string, double> by_name;
  for (const LayerShare& layer : measured) by_name[layer.name] += layer.share;
  const bool covers =
      !measured.empty() &&
      std::all_of(network.layers.begin(), network.layers.end(), [&](const Layer& layer) {
        return layer.parameters == 0 || by_name.contains(layer.name);
      });
  std::vector<double> shares;
  for (const Layer& layer : network.layers) {
    if (covers) {
      const auto found = by_name.find(layer.name);
      shares.push_back(found == by_name.end() ? 0 : found->second);
    } else {
      shares.push_back(layer.forward_flops);
    }
  }
  double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (sum <= 0) {
    std::fill(shares.begin(), shares.end(), 1.0);
    sum = static_cast<double>(shares.size());
  }
  for (double& share : shares) share /= sum;
  return shares;
}

/// Bytes that travel for each byte of float32 parameters.
double exchanged_share(const Network& network) {
  return network.bytes_per_gradient / static_cast<double>(sizeof(float));
}

}  // namespace

std::vector<Bucket> cut_buckets(const Network& network,
                                const std::vector<LayerShare>& measured,
                                double first_bytes,
                                double bytes) {
  const std::vector<double> shares = backward_shares(network, measured);
  std::vector<Bucket> buckets;
  Bucket open;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    open.bytes += sizeof(float) * static_cast<double>(network.layers[i].parameters);
    open.backward_share += shares[i];
    open.tensors.insert(
        open.tensors.begin(), network.layers[i].tensors.begin(), network.layers[i].tensors.end());
    if (open.bytes > 0 && open.bytes >= (buckets.empty() ? first_bytes : bytes)) {
      buckets.push_back(open);
      open = {};
    }
  }
  if (open.bytes > 0) {
    buckets.push_back(open);
  } else if (!buckets.empty()) {
    buckets.back().backward_share += open.backward_share;
  }
  for (Bucket& bucket : buckets) bucket.bytes *= exchanged_share(network);
  return buckets;
}

double exchanged_bucket_bytes(const Network& network, double bucket_bytes) {
  return exchanged_share(network) * std::min(bucket_bytes, network.parameter_bytes());
}

}  // namespace epochcast
