// SPDX-License-Identifier: Apache-2.0
#include "tests/compression/exchanges.hpp"

#include <algorithm>

#include "base/statistics/random.hpp"
#include "compression/kernels/regions.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/settings.hpp"

namespace epochcast::tests {
namespace {

class KernelCounter : public KernelObserver {
 public:
  explicit KernelCounter(double& bytes) : bytes_(bytes) {}

  void kernel(std::string_view, double moved_bytes) override { bytes_ += moved_bytes; }

 private:
  double& bytes_;
};

/// The error feedback in a saved state: that of the worker, and that of its part of the sum.
Vector kept_in(const std::string& saved, std::int64_t count, int workers, int rank) {
  BucketMemory memory;
  memory.load(saved.substr(saved.find('\n') + 1));
  const auto residual = memory.kept<float>(0, "residual");
  Vector kept(residual.begin(), residual.end());
  kept.resize(static_cast<std::size_t>(count));
  const auto begin = static_cast<std::size_t>(
      balanced_regions({}, count, workers)[static_cast<std::size_t>(rank)]);
  const auto of_sum = memory.kept<float>(0, "error of the sum");
  for (std::size_t i = 0; i < of_sum.size(); ++i) kept[begin + i] += of_sum[i];
  return kept;
}

}  // namespace

JobConfig compressed_job(const std::string& text) {
  JobConfig config;
  const std::vector<std::string> words = split(text, ' ');
  config.compression = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    all_settings().set(config, words[i].substr(0, equals), words[i].substr(equals + 1), "test");
  }
  return config;
}

Exchanged exchange(const Exchanges& exchanges) {
  const std::size_t workers = exchanges.weights.size();
  Exchanged outcome;
  outcome.kernel_bytes.resize(workers);
  outcome.results.assign(exchanges.buckets.size(), std::vector<Vector>(workers));
  outcome.kept = outcome.results;
  const auto program = [&](Fabric& fabric) {
    const auto rank = static_cast<std::size_t>(fabric.rank());
    KernelCounter counter(outcome.kernel_bytes[rank]);
    std::unique_ptr<Compression> compression = make_compression(exchanges.config, fabric.rank());
    for (std::size_t i = 0; i < exchanges.buckets.size(); ++i) {
      Vector bucket;
      Payload payload = {.element = Element::float32, .count = exchanges.count};
      if (!exchanges.buckets[i].empty()) {
        bucket = exchanges.buckets[i][rank];
        payload = payload_of(std::span<float>(bucket));
      }
      compression->start_exchange({.fabric = fabric,
                                   .observer = counter,
                                   .bucket = payload,
                                   .index = 0,
                                   .tensors = exchanges.tensors,
                                   .weight = exchanges.weights[rank],
                                   .among = fabric.world()})();
      compression->add_steps(1);
      outcome.results[i][rank] = bucket;
      const std::string saved = compression->save();
      outcome.kept[i][rank] =
          kept_in(saved, std::ssize(bucket), static_cast<int>(workers), static_cast<int>(rank));
      if (!exchanges.is_interrupted) continue;
      compression = make_compression(exchanges.config, fabric.rank());
      compression->load(saved);
    }
  };
  outcome.fabric = run_workers(workers_on(std::vector<int>(workers, 0)), program);
  return outcome;
}

double Exchanged::sent_bytes() const {
  double bytes = 0;
  for (const std::vector<FakeCall>& calls : fabric.calls) {
    for (const FakeCall& call : calls) {
      const auto members = static_cast<double>(call.ranks.size());
      if (call.name == "send") bytes += call.bytes;
      if (call.name == "all_reduce") bytes += 2 * (members - 1) / members * call.bytes;
      if (call.name == "all_gather") bytes += (members - 1) * call.bytes;
      if (call.name == "broadcast") bytes += (members - 1) / members * call.bytes;
    }
  }
  return bytes;
}

std::vector<std::vector<Vector>> normal_buckets(int exchanges, int workers, std::int64_t count) {
  Random random(static_cast<std::uint64_t>(97 * exchanges + workers));
  std::vector<std::vector<Vector>> buckets(
      static_cast<std::size_t>(exchanges),
      std::vector<Vector>(static_cast<std::size_t>(workers),
                          Vector(static_cast<std::size_t>(count))));
  for (auto& each : buckets) {
    for (Vector& bucket : each) {
      for (float& value : bucket) value = static_cast<float>(random.normal());
    }
  }
  return buckets;
}

std::vector<double> equal_weights(int workers) {
  return std::vector<double>(static_cast<std::size_t>(workers), 1.0 / workers);
}

std::vector<double> weighted_sum(const std::vector<Vector>& buckets,
                                 const std::vector<double>& weights) {
  std::vector<double> sum(buckets.front().size());
  for (std::size_t worker = 0; worker < buckets.size(); ++worker) {
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] += weights[worker] * static_cast<double>(buckets[worker][i]);
  }
  return sum;
}

}  // namespace epochcast::tests
