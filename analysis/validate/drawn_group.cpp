// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/drawn_group.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "collectives/registry.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

constexpr DrawnNetwork kNetworks[] = {{"densenet121", "cifar10", 27'825'192, 0},
                                      {"gan", "cifar10", 5'541'304, 0},
                                      {"gru", "mnist", 82'344, 300},
                                      {"lstm", "mnist", 106'408, 0},
                                      {"resnet18", "cifar10", 44'695'848, 0},
                                      {"resnet20", "cifar10", 1'078'888, 6'000},
                                      {"rnn", "mnist", 34'216, 0},
                                      {"shufflenetv2-1x", "cifar10", 5'055'416, 8'000},
                                      {"small-cnn", "cifar10", 208'808, 200},
                                      {"wide-resnet-16", "cifar10", 43'845'480, 0}};

constexpr std::int64_t kLongestExchangeMicros = 1'500'000;
constexpr std::int64_t kLongestBatchMicros = 300'000;
constexpr std::int64_t kLeastEpochMicros = 2'000'000;
constexpr std::int64_t kLongestEpochMicros = 30'000'000;
constexpr std::int64_t kMostIterations = 400;
constexpr std::int64_t kMostSamples = 50'000;  // the smallest data set's
constexpr int kMostTrained = 2;                // ranks: small machines have two cores
constexpr std::uint64_t kCommandStream = 1'000'000;
constexpr std::uint64_t kRowStreams = 2'000'000;
constexpr std::uint64_t kAttempts = 1'000;

/// Averaging parameters alone leaves nothing to overlap.
constexpr std::array<std::string_view, 4> kWithoutGradients = {
    "local-sgd", "unbalanced-local-sgd", "biased-local-sgd", "one-shot"};

std::uint64_t stream(std::uint64_t seed, std::uint64_t number) {
  return mix_seed(mix_seed(seed, kDrawVersion), number);
}

int integer(Random& random, int low, int high) {
  const auto count = static_cast<std::size_t>(std::int64_t{high} - low + 1);
  return low + static_cast<int>(random.below(count));
}

bool one_in(Random& random, std::size_t count) { return random.below(count) == 0; }

/// 1 in a third of the draws, else up to 8; in tenths.
std::int64_t ratio(Random& random) { return one_in(random, 3) ? 10 : log_uniform(random, 10, 80); }

/// Of each three groups one trains, whichever.
Command command_of(std::uint64_t seed, std::uint64_t number) {
  Random random(stream(seed, kCommandStream + number / 3));
  return random.below(3) == number % 3 ? Command::train : Command::emulate;
}

void draw_cluster(DrawnGroup& group, Random& random) {
  const bool trains = group.command == Command::train;
  do {
    group.ranks.assign(static_cast<std::size_t>(integer(random, 2, 4)), 1);
    for (int& ranks : group.ranks) ranks = integer(random, 1, 2);
  } while (trains && group.workers() > kMostTrained);
  const auto bandwidth = [&] { return static_cast<int>(log_uniform(random, 50, 2000)); };
  group.mbits.assign(group.ranks.size(), bandwidth());
  if (one_in(random, 2)) return;
  for (std::size_t node = 1; node < group.mbits.size(); ++node) group.mbits[node] = bandwidth();
}

/// Bits by Mbit/s are microseconds. `times`: how often the gradient passes the slowest link.
std::int64_t exchange_us(const DrawnGroup& group, std::int64_t times) {
  return times * group.network->gradient_bytes * 8 / group.slowest_mbits();
}

/// What a batch of the slowest worker takes.
std::int64_t slowest_batch_us(const DrawnGroup& group) {
  if (group.command == Command::emulate) return 100 * std::max(group.fast_batch, group.slow_batch);
  const std::int64_t sharers = std::max(2, group.workers());  // of two cores
  return (group.batch * group.network->sample_us + 3'000) * sharers / 2 * group.slow_down / 10;
}

void draw_network(DrawnGroup& group, Random& random) {
  do {
    group.network = &kNetworks[random.below(std::size(kNetworks))];
  } while (group.command == Command::train && group.network->sample_us == 0);
}

void draw_speeds(DrawnGroup& group, Random& random) {
  group.batch = log_uniform(random, 4, 32);
  const std::int64_t times = ratio(random);
  if (group.command == Command::train) {
    group.slowed_rank = integer(random, 0, group.workers() - 1);
    group.slow_down = times;
    return;
  }
  group.fast_devices = integer(random, 1, group.workers());
  group.first_fast = integer(random, 0, group.workers() - 1);
  group.fast_batch = log_uniform(random, 100, 30'000 / times);
  group.slow_batch = group.fast_batch * times / 10;
}

/// 8 to 12, and as many as a measurable epoch takes.
std::int64_t draw_iterations(const DrawnGroup& group, Random& random) {
  const std::int64_t iteration_us = slowest_batch_us(group) + exchange_us(group, 2);
  const std::int64_t least = (kLeastEpochMicros + iteration_us - 1) / iteration_us;
  const std::int64_t most =
      std::min(kMostIterations, kMostSamples / (group.workers() * group.batch));
  return std::min(std::max<std::int64_t>(integer(random, 8, 12), least), most);
}

std::string drawn_size(Random& random, std::int64_t most_kib = 8192) {
  return std::to_string(log_uniform(random, 256, most_kib)) + "KiB";
}

std::string drawn_value(const StrategySetting& setting, const Strategy& strategy, Random& random) {
  if (strategy.period != nullptr && strategy.period->setting == &setting)
    return std::to_string(1 << random.below(4));
  if (setting.value_name == "SIZE") return drawn_size(random);
  return std::string(one_in(random, 2) ? setting.fallback : setting.example);
}

bool can_overlap(std::string_view strategy) {
  return std::find(kWithoutGradients.begin(), kWithoutGradients.end(), strategy) ==
         kWithoutGradients.end();
}

std::string value_of(const DrawnRow& row, std::string_view name) {
  for (const SettingText& setting : row.settings) {
    if (setting.name == name) return setting.value;
  }
  return {};
}

/// How often an all-reduce may send the gradient over one link, where two ranks share it. That of a
/// ring is bounded already, as its cluster was drawn.
std::int64_t most_passes(const std::string& all_reduce, int ranks) {
  if (all_reduce == "linear") return 2 * std::int64_t{ranks};
  if (all_reduce == "binary-tree" || all_reduce == "recursive-doubling")
    return std::int64_t{4} * std::bit_width(static_cast<unsigned>(ranks - 1));
  return all_reduce == "rabenseifner" || all_reduce == "double-binary-tree" ? 4 : 2;
}

/// Those of the fastest class or, trained, that are not slowed.
int fastest_workers(const DrawnGroup& group) {
  if (group.command == Command::emulate) return group.fast_devices;
  return group.slow_down > 10 ? group.workers() - 1 : group.workers();
}

}  // namespace

std::span<const DrawnNetwork> drawn_networks() { return kNetworks; }

int DrawnGroup::workers() const { return std::accumulate(ranks.begin(), ranks.end(), 0); }

int DrawnGroup::slowest_mbits() const { return *std::min_element(mbits.begin(), mbits.end()); }

DrawnGroup draw_group(std::uint64_t seed, std::uint64_t number) {
  Random random(stream(seed, number));
  DrawnGroup group;
  group.command = command_of(seed, number);
  group.rows = static_cast<std::size_t>(integer(random, 4, 6));
  draw_network(group, random);
  do {
    draw_cluster(group, random);
  } while (exchange_us(group, 2) > kLongestExchangeMicros);
  do {
    draw_speeds(group, random);
  } while (slowest_batch_us(group) > kLongestBatchMicros);
  group.iterations = draw_iterations(group, random);
  return group;
}

DrawnRow draw_row(std::uint64_t seed,
                  std::uint64_t group,
                  std::uint64_t row,
                  std::uint64_t attempt) {
  Random random(stream(stream(seed, group), kRowStreams + row * kAttempts + attempt));
  const Strategy& strategy = strategies()[random.below(strategies().size())];
  DrawnRow drawn;
  drawn.strategy = strategy.name;
  const auto add = [&](std::string_view name, std::string value) {
    drawn.settings.push_back({std::string(name), std::move(value)});
  };
  for (const StrategySetting* setting : strategy.settings) {
    std::string value = drawn_value(*setting, strategy, random);
    if (value != setting->fallback) add(setting->name, std::move(value));
  }
  if (strategy.participants != Participants::workers_and_servers)
    add("all-reduce",
        std::string(all_reduce_names()[random.below(all_reduce_names().size())].name));
  if (can_overlap(strategy.name) && one_in(random, 2)) {
    const std::int64_t bucket = log_uniform(random, 256, 8192);
    add("overlap", "bucket");
    add("bucket", std::to_string(bucket) + "KiB");
    add("first-bucket", drawn_size(random, bucket));
  }
  return drawn;
}

bool is_short(const DrawnGroup& group, const DrawnRow& row) {
  const Participants participants = find_strategy(row.strategy).participants;
  const int workers = group.workers();
  const int trainers =
      std::max(1, participants == Participants::workers ? workers : fastest_workers(group));
  // Servers, and the slow ones of sync-fastest, take no samples.
  const std::int64_t iterations = (group.iterations * workers + trainers - 1) / trainers;
  const std::int64_t passes = participants == Participants::workers_and_servers
                                  ? 4 * trainers / std::max(1, workers - trainers) + 4
                                  : most_passes(value_of(row, "all-reduce"), trainers);
  return iterations * (slowest_batch_us(group) + exchange_us(group, passes)) <= kLongestEpochMicros;
}

std::int64_t log_uniform(Random& random, std::int64_t low, std::int64_t high) {
  for (;;) {
    // Of all whole numbers each is kept with the probability low / x.
    const std::int64_t x =
        low + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(high - low + 1)));
    if (static_cast<std::int64_t>(random.below(static_cast<std::size_t>(x))) >= low) continue;
    std::int64_t unit = 1;
    while (x / unit >= 100) unit *= 10;
    return (x + unit / 2) / unit * unit;
  }
}

}  // namespace epochcast
