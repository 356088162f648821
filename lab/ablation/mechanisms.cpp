// SPDX-License-Identifier: Apache-2.0
#include "lab/ablation/mechanisms.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/statistics/random.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/suggest.hpp"
#include "core/costs/batch_cost.hpp"

namespace epochcast {
namespace {

// Fitted to messages.

/// The network's link is that of the slowest node.
void without_uplinks(Platform& platform) {
  for (NodeGroup& group : platform.nodes) group.uplink.reset();
}

/// Measured all-reduces count as if among other ranks: their uncertainty is unknown.
void without_all_reduces(Platform& platform) {
  change_messages(platform, [](MessageCosts& costs) {
    for (MeasuredAllReduce& each : costs.all_reduces) each.ranks = 0;
  });
}

void without_adding(Platform& platform) {
  for (NodeGroup& group : platform.nodes) {
    for (DeviceGroup& device : group.devices) device.reduce_bytes_per_s = 0;
  }
}

void without_uncertainty(Platform& platform) {
  change_messages(platform, [](MessageCosts& costs) {
    costs.uncertainty = 0;
    for (MeasuredAllReduce& each : costs.all_reduces) each.deviation = 0;
  });
}

// Costs of batches.

template <typename Change>
void change_batches(std::vector<CostTrace>& traces, Change change) {
  for (CostTrace& trace : traces) {
    for (BatchSamples& samples : trace.batches) change(samples);
  }
}

template <typename Change>
void change_overlap(std::vector<CostTrace>& traces, Change change) {
  for (CostTrace& trace : traces) {
    for (OverlapSamples& samples : trace.overlap) change(samples);
  }
}

void without_overlap(std::vector<CostTrace>& traces) {
  change_overlap(traces, [](OverlapSamples& samples) {
    samples.batch_s.clear();
    samples.exchange_alone_s.clear();
    samples.exchange_s.clear();
  });
}

void without_loading(std::vector<CostTrace>& traces) {
  change_batches(traces, [](BatchSamples& samples) {
    for (std::size_t i = 0; i < samples.load_s.size(); ++i) samples.total_s[i] -= samples.load_s[i];
    std::fill(samples.load_s.begin(), samples.load_s.end(), 0.0);
  });
}

/// `validate` measures half, all and twice the batch.
void without_other_sizes(std::vector<CostTrace>& traces) {
  for (CostTrace& trace : traces) {
    std::set<std::int64_t> sizes;
    for (const BatchSamples& samples : trace.batches) sizes.insert(samples.batch);
    if (sizes.empty()) continue;
    const auto middle =
        *std::next(sizes.begin(), static_cast<std::ptrdiff_t>(sizes.size() - 1) / 2);
    std::erase_if(trace.batches, [&](const BatchSamples& each) { return each.batch != middle; });
  }
}

/// Batches on a slowed device take the time on the device itself times its factor.
void without_slowed_devices(std::vector<CostTrace>& traces) {
  const std::string kSlowed = "-slowed-";  // slowed_name()
  for (CostTrace& trace : traces) {
    const std::size_t at = trace.device.rfind(kSlowed);
    if (at == std::string::npos) continue;
    const auto same = std::find_if(traces.begin(), traces.end(), [&](const CostTrace& each) {
      return each.device == trace.device.substr(0, at);
    });
    if (same == traces.end()) continue;
    const double factor = std::strtod(trace.device.c_str() + at + kSlowed.size(), nullptr);
    trace.batches = same->batches;
    trace.overlap = same->overlap;
    for (BatchSamples& samples : trace.batches) {
      for (auto* part : {&samples.total_s,
                         &samples.load_s,
                         &samples.forward_s,
                         &samples.backward_s,
                         &samples.step_s}) {
        for (double& seconds : *part) seconds *= factor;
      }
    }
  }
}

/// An epoch is a sum: each batch takes the mean of its size, session and rank.
void without_noise(std::vector<CostTrace>& traces) {
  change_batches(traces, [](BatchSamples& samples) {
    std::fill(samples.total_s.begin(), samples.total_s.end(), mean_of(samples.total_s));
  });
}

/// The same samples, in another order for each rank.
void without_common_noise(std::vector<CostTrace>& traces) {
  std::uint64_t stream = 0;
  change_batches(traces, [&](BatchSamples& samples) {
    Random random(mix_seed(1, stream++));
    for (std::size_t left = samples.total_s.size(); left > 1; --left)
      std::swap(samples.total_s[random.below(left)], samples.total_s[left - 1]);
  });
}

std::vector<Mechanism> all_mechanisms() {
  const auto of_platform = [](auto name, auto without, auto change) {
    return Mechanism{.name = name, .without = without, .of_platform = change};
  };
  const auto of_costs = [](auto name, auto without, auto change) {
    return Mechanism{.name = name, .without = without, .of_costs = change};
  };
  return {
      of_platform("uplink", "every node has the slowest node's link", without_uplinks),
      of_platform(
          "all-reduces", "measured all-reduces are forecast from messages", without_all_reduces),
      of_platform("adding", "reductions are free", without_adding),
      of_platform("uncertainty",
                  "measured exchanges have no uncertainty (changes intervals only)",
                  without_uncertainty),
      of_costs("overlap", "overlap is free", without_overlap),
      of_costs("loading", "loading is free", without_loading),
      of_costs("other-sizes", "half a batch takes half the time", without_other_sizes),
      of_costs("slowed", "a slowed device takes a multiple", without_slowed_devices),
      of_costs("noise", "every batch takes the mean", without_noise),
      of_costs("common-noise", "each rank's batches vary independently", without_common_noise),
  };
}

}  // namespace

void leave_out(const std::vector<Mechanism>& mechanisms, Platform& platform) {
  for (const Mechanism& mechanism : mechanisms) {
    if (mechanism.of_platform != nullptr) mechanism.of_platform(platform);
  }
}

void leave_out(const std::vector<Mechanism>& mechanisms, std::vector<CostTrace>& traces) {
  for (const Mechanism& mechanism : mechanisms) {
    if (mechanism.of_costs != nullptr) mechanism.of_costs(traces);
  }
}

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all = all_mechanisms();
  return all;
}

std::vector<Mechanism> find_mechanisms(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Mechanism& mechanism : mechanisms()) known.emplace_back(mechanism.name);
  std::vector<Mechanism> found;
  std::vector<std::string> problems;
  for (const std::string& name : names) {
    const auto is_named = [&](const Mechanism& mechanism) { return mechanism.name == name; };
    const auto mechanism = std::find_if(mechanisms().begin(), mechanisms().end(), is_named);
    if (mechanism == mechanisms().end()) {
      problems.push_back(unknown_name("mechanism", name, known));
    } else if (std::any_of(found.begin(), found.end(), is_named)) {
      problems.push_back("duplicate mechanism \"" + name + "\"");
    } else {
      found.push_back(*mechanism);
    }
  }
  if (!problems.empty()) throw UserError(problems);
  return found;
}

}  // namespace epochcast
