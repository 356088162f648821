// SPDX-License-Identifier: Apache-2.0
#include "real/data/sample_order.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/statistics/random.hpp"

namespace epochcast::real {
namespace {

/// The first `count` samples of `order` that are not taken; takes them.
std::vector<std::int64_t> take(std::int64_t count,
                               std::span<const std::int64_t> order,
                               std::vector<bool>& is_taken) {
  std::vector<std::int64_t> samples;
  for (const std::int64_t sample : order) {
    if (static_cast<std::int64_t>(samples.size()) == count) break;
    if (is_taken[static_cast<std::size_t>(sample)]) continue;
    is_taken[static_cast<std::size_t>(sample)] = true;
    samples.push_back(sample);
  }
  if (static_cast<std::int64_t>(samples.size()) < count) {
    throw std::logic_error("a draw of " + std::to_string(count) + " samples from " +
                           std::to_string(order.size()));
  }
  return samples;
}

std::vector<std::int64_t> highest(std::int64_t count, std::span<const SampleLoss> losses) {
  std::vector<SampleLoss> sorted(losses.begin(), losses.end());
  const auto middle = sorted.begin() + std::min(count, static_cast<std::int64_t>(sorted.size()));
  std::partial_sort(
      sorted.begin(), middle, sorted.end(), [](const SampleLoss& a, const SampleLoss& b) {
        return a.loss != b.loss ? a.loss > b.loss : a.sample < b.sample;
      });
  std::vector<std::int64_t> samples;
  std::transform(sorted.begin(), middle, std::back_inserter(samples), [](const SampleLoss& each) {
    return each.sample;
  });
  return samples;
}

/// These samples as they come in `order`.
std::vector<std::int64_t> in_order(const std::vector<std::int64_t>& samples,
                                   std::span<const std::int64_t> order) {
  std::vector<bool> is_one(order.size(), false);
  for (const std::int64_t sample : samples) is_one[static_cast<std::size_t>(sample)] = true;
  std::vector<std::int64_t> ordered;
  ordered.reserve(samples.size());
  std::copy_if(order.begin(), order.end(), std::back_inserter(ordered), [&](std::int64_t sample) {
    return is_one[static_cast<std::size_t>(sample)];
  });
  return ordered;
}

/// `few` and `many` merged so that each stretch holds its share of both.
std::vector<std::int64_t> spread(const std::vector<std::int64_t>& few,
                                 const std::vector<std::int64_t>& many) {
  const std::size_t total = few.size() + many.size();
  std::vector<std::int64_t> merged;
  merged.reserve(total);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < total; ++i) {
    const bool is_few = (i + 1) * few.size() / total > taken;
    merged.push_back(is_few ? few[taken] : many[i - taken]);
    if (is_few) ++taken;
  }
  return merged;
}

}  // namespace

std::vector<std::int64_t> shuffled_samples(std::int64_t samples, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  Random random(seed);
  for (std::size_t i = order.size(); i > 1; --i) {
    const auto j = static_cast<std::size_t>(random.uniform() * static_cast<double>(i));
    std::swap(order[i - 1], order[j]);
  }
  return order;
}

void keep_latest(std::span<const SampleLoss> records,
                 std::span<const std::int64_t> local_steps,
                 std::vector<SampleLoss>& losses) {
  const std::int64_t steps =
      std::accumulate(local_steps.begin(), local_steps.end(), std::int64_t{0});
  if (steps <= 0) return;
  const std::size_t records_of_step = records.size() / static_cast<std::size_t>(steps);
  std::vector<double> recorded_at(losses.size(), 0);
  auto record = records.begin();
  for (const std::int64_t own : local_steps) {
    const std::size_t count = static_cast<std::size_t>(own) * records_of_step;
    for (std::size_t i = 1; i <= count; ++i, ++record) {
      if (record->sample < 0) continue;
      const auto sample = static_cast<std::size_t>(record->sample);
      const double now = static_cast<double>(i) / static_cast<double>(count);
      if (now < recorded_at[sample]) continue;
      recorded_at[sample] = now;
      losses[sample] = *record;
    }
  }
}

std::vector<std::int64_t> draw_samples(const BiasedDraw& draw,
                                       std::span<const SampleLoss> losses,
                                       std::span<const std::int64_t> fast_order,
                                       std::span<const std::int64_t> slow_order) {
  const bool is_slow_favoured = draw.high_loss_to_slow;
  const std::int64_t favoured = is_slow_favoured ? draw.slow_samples : draw.fast_samples;
  const std::int64_t others = is_slow_favoured ? draw.fast_samples : draw.slow_samples;
  std::vector<bool> is_taken(fast_order.size(), false);
  // Rounding of alpha must not make an integer one less.
  const auto by_loss =
      static_cast<std::int64_t>(draw.alpha * static_cast<double>(favoured) * (1 + 1e-9));
  const std::span<const std::int64_t> order = is_slow_favoured ? slow_order : fast_order;
  const std::vector<std::int64_t> chosen = in_order(highest(by_loss, losses), order);
  for (const std::int64_t sample : chosen) is_taken[static_cast<std::size_t>(sample)] = true;
  const std::vector<std::int64_t> rest =
      take(favoured - static_cast<std::int64_t>(chosen.size()), order, is_taken);
  if (!draw.disjoint) is_taken.assign(is_taken.size(), false);
  const std::vector<std::int64_t> unbiased =
      take(others, is_slow_favoured ? fast_order : slow_order, is_taken);
  const std::vector<std::int64_t> biased = spread(chosen, rest);
  std::vector<std::int64_t> samples = is_slow_favoured ? unbiased : biased;
  const std::vector<std::int64_t>& last = is_slow_favoured ? biased : unbiased;
  samples.insert(samples.end(), last.begin(), last.end());
  return samples;
}

}  // namespace epochcast::real
