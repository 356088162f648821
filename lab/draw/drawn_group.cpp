// SPDX-License-Identifier: Apache-2.0
#include "lab/draw/drawn_group.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

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

constexpr std::int64_t kLongestExchangeMicros = 500'000;
constexpr std::int64_t kLongestBatchMicros = 200'000;
constexpr std::int64_t kLeastEpochMicros = 2'000'000;
constexpr std::int64_t kLongestEpochMicros = 10'000'000;
constexpr int kFewestIterations = 8;
constexpr int kMostFewIterations = 12;
constexpr std::int64_t kMostIterations = 400;
constexpr std::int64_t kMostSamples = 50'000;  // the smallest data set's
constexpr int kMostTrained = 2;                // ranks: small machines have two cores
constexpr int kLeastMbits = 50;
constexpr int kMostMbits = 2000;
constexpr std::int64_t kLeastBatch = 4;
constexpr std::int64_t kMostBatch = 32;
constexpr std::uint64_t kCommandStream = 1'000'000;
constexpr std::uint64_t kRowStreams = 2'000'000;
constexpr std::uint64_t kAttempts = 1'000;

/// The ranks that take samples.
enum class Takers { all, fastest, all_but_servers };

/// A setting of a strategy, with the values that are drawn: two of them, the first of which is the
/// usual one and not written, or a period or a size.
struct DrawnSetting {
  enum class Kind { one_of_two, period, size };
  std::string_view name;
  Kind kind = Kind::one_of_two;
  std::array<std::string_view, 2> values = {};
};

struct DrawnStrategy {
  std::string_view name;
  std::vector<DrawnSetting> settings = {};
  bool has_gradients = true;  ///< averaging parameters alone leaves nothing to overlap
  Takers takers = Takers::all;
};

const std::vector<DrawnStrategy>& drawn_strategies() {
  using Kind = DrawnSetting::Kind;
  static const DrawnSetting kLocalSteps = {.name = "local-steps", .kind = Kind::period};
  static const DrawnSetting kPartition = {.name = "partition",
                                          .values = {"constant", "functional"}};
  static const std::vector<DrawnStrategy> kAll = {
      {.name = "sync"},
      {.name = "sync-fastest", .takers = Takers::fastest},
      {.name = "hetgrad", .settings = {kPartition}},
      {.name = "hetgrad-unweighted", .settings = {kPartition}},
      {.name = "node-based",
       .settings = {{.name = "averaging-period", .kind = Kind::period},
                    {.name = "averaging-order", .values = {"applied", "printed"}}}},
      {.name = "local-sgd", .settings = {kLocalSteps}, .has_gradients = false},
      {.name = "unbalanced-local-sgd", .settings = {kLocalSteps}, .has_gradients = false},
      {.name = "biased-local-sgd",
       .settings = {kLocalSteps,
                    {.name = "alpha", .values = {"0.5", "0.25"}},
                    {.name = "sampling", .values = {"separated", "unified"}},
                    {.name = "weighted-aggregation", .values = {"on", "off"}},
                    {.name = "high-loss-to", .values = {"fast", "slow"}}},
       .has_gradients = false},
      {.name = "post-local-sgd",
       .settings = {{.name = "local-from", .values = {"", "0"}}, kLocalSteps}},
      {.name = "one-shot", .has_gradients = false},
      {.name = "byteps",
       .settings = {{.name = "partition-bytes", .kind = Kind::size}},
       .takers = Takers::all_but_servers},
      {.name = "dlb", .settings = {{.name = "least-batch", .values = {"1", "0"}}}}};
  return kAll;
}

constexpr std::array<std::string_view, 10> kAllReduces = {"binary-tree",
                                                          "double-binary-tree",
                                                          "hierarchical",
                                                          "linear",
                                                          "multitree",
                                                          "openmpi",
                                                          "rabenseifner",
                                                          "recursive-doubling",
                                                          "ring",
                                                          "segmented-ring"};

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

/// One of each three groups trains, at random.
Command command_of(std::uint64_t seed, std::uint64_t number) {
  Random random(stream(seed, kCommandStream + number / 3));
  return random.below(3) == number % 3 ? Command::train : Command::emulate;
}

int bandwidth(Random& random) {
  return static_cast<int>(log_uniform(random, kLeastMbits, kMostMbits));
}

/// Extrapolated clusters have nodes and links of one kind.
void draw_cluster(DrawnGroup& group, Random& random) {
  DrawnCluster& cluster = group.asked;
  const bool is_equal = group.tier == Tier::extrapolated;
  do {
    cluster.ranks.assign(static_cast<std::size_t>(integer(random, 2, 4)), integer(random, 1, 2));
    for (std::size_t node = 1; !is_equal && node < cluster.ranks.size(); ++node)
      cluster.ranks[node] = integer(random, 1, 2);
  } while (group.command == Command::train && cluster.workers() > kMostTrained);
  cluster.mbits.assign(cluster.ranks.size(), bandwidth(random));
  if (is_equal || one_in(random, 2)) return;
  for (std::size_t node = 1; node < cluster.mbits.size(); ++node)
    cluster.mbits[node] = bandwidth(random);
}

/// Bits by Mbit/s are microseconds. `times`: how often the gradient passes the slowest link.
std::int64_t exchange_us(const DrawnCluster& cluster, std::int64_t times) {
  return times * cluster.network->gradient_bytes * 8 / cluster.slowest_mbits();
}

/// Time of a batch of the slowest worker.
std::int64_t slowest_batch_us(const DrawnGroup& group) {
  if (group.command == Command::emulate) return 100 * std::max(group.fast_batch, group.slow_batch);
  const std::int64_t sharers = std::max(2, group.workers());  // of two cores
  return (group.asked.batch * group.asked.network->sample_us + 3'000) * sharers / 2 *
         group.slow_down / 10;
}

const DrawnNetwork* draw_network(Command command, Random& random) {
  for (;;) {
    const DrawnNetwork& network = kNetworks[random.below(std::size(kNetworks))];
    if (command != Command::train || network.sample_us > 0) return &network;
  }
}

void draw_speeds(DrawnGroup& group, Random& random) {
  group.asked.batch = log_uniform(random, kLeastBatch, kMostBatch);
  const std::int64_t times = ratio(random);
  if (group.command == Command::train) {
    group.slowed_rank = integer(random, 0, group.workers() - 1);
    group.slow_down = times;
    return;
  }
  group.fast_devices = integer(random, 1, group.workers());
  group.first_fast = integer(random, 0, group.workers() - 1);
  group.fast_batch = log_uniform(random, 100, 20'000 / times);
  group.slow_batch = group.fast_batch * times / 10;
}

/// 8 to 12, and as many as a measurable epoch takes.
std::int64_t draw_iterations(const DrawnGroup& group, Random& random) {
  const std::int64_t iteration_us = slowest_batch_us(group) + exchange_us(group.asked, 2);
  const std::int64_t least = (kLeastEpochMicros + iteration_us - 1) / iteration_us;
  const std::int64_t most =
      std::min(kMostIterations, kMostSamples / (group.workers() * group.asked.batch));
  return std::min(
      std::max<std::int64_t>(integer(random, kFewestIterations, kMostFewIterations), least), most);
}

/// Fewer nodes, if there are more than two.
bool change_nodes(DrawnCluster& cluster, Random& random) {
  const int nodes = static_cast<int>(cluster.ranks.size());
  if (nodes == 2) return false;
  const auto fewer = static_cast<std::size_t>(integer(random, 2, nodes - 1));
  cluster.ranks.resize(fewer);
  cluster.mbits.resize(fewer);
  return true;
}

/// Links of a quarter to four times the bandwidth, and not nearly the same one.
bool change_bandwidth(DrawnCluster& cluster, Random& random) {
  const int asked = cluster.mbits.front();
  for (;;) {
    const auto other = static_cast<int>(
        log_uniform(random, std::max(kLeastMbits, asked / 4), std::min(kMostMbits, 4 * asked)));
    if (2 * other > 3 * asked || 3 * other < 2 * asked) {
      std::fill(cluster.mbits.begin(), cluster.mbits.end(), other);
      return true;
    }
  }
}

bool change_ranks(DrawnCluster& cluster, Random& /*random*/) {
  for (int& ranks : cluster.ranks) ranks = 3 - ranks;
  return true;
}

bool change_batch(DrawnCluster& cluster, Random& random) {
  const std::int64_t asked = cluster.batch;
  while (cluster.batch == asked) cluster.batch = log_uniform(random, kLeastBatch, kMostBatch);
  return true;
}

/// Of the same data set, and one whose exchanges take no longer than any asked one's.
bool change_network(DrawnGroup& group, Random& random) {
  const DrawnNetwork* asked = group.asked.network;
  if (group.command == Command::train && asked->dataset == "mnist") return false;  // the only one
  DrawnCluster other = group.asked;
  do {
    other.network = draw_network(group.command, random);
  } while (other.network == asked || other.network->dataset != asked->dataset ||
           exchange_us(other, 2) > kLongestExchangeMicros);
  group.calibrated.network = other.network;
  return true;
}

/// Changes one property that may differ; returns whether there is any.
bool change_one(DrawnGroup& group, int which, Random& random) {
  const bool trains = group.command == Command::train;
  DrawnCluster& cluster = group.calibrated;
  switch (which) {
    case 0:
      return change_bandwidth(cluster, random);
    case 1:
      return change_network(group, random);
    case 2:
      return trains ? change_batch(cluster, random) : change_nodes(cluster, random);
    default:  // two ranks in all leave a trained cluster no choice
      return !trains && change_ranks(cluster, random);
  }
}

void draw_calibrated(DrawnGroup& group, Random& random) {
  constexpr int kKinds = 4;
  group.calibrated = group.asked;
  if (group.tier == Tier::same_cluster) return;
  const int changes = integer(random, 1, 2);
  int changed = -1;
  for (int i = 0; i < changes;) {
    const int which = integer(random, 0, kKinds - 1);
    if (which == changed || !change_one(group, which, random)) continue;
    changed = which;
    ++i;
  }
}

std::string drawn_size(Random& random, std::int64_t most_kib = 8192) {
  return std::to_string(log_uniform(random, 256, most_kib)) + "KiB";
}

std::string drawn_value(const DrawnSetting& setting, Random& random) {
  switch (setting.kind) {
    case DrawnSetting::Kind::period:
      return std::to_string(1 << random.below(4));
    case DrawnSetting::Kind::size:
      return drawn_size(random);
    case DrawnSetting::Kind::one_of_two:
      break;
  }
  return std::string(setting.values[random.below(2)]);
}

const DrawnStrategy& strategy_named(std::string_view name) {
  return *std::ranges::find(drawn_strategies(), name, &DrawnStrategy::name);
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

int DrawnCluster::workers() const { return std::accumulate(ranks.begin(), ranks.end(), 0); }

int DrawnCluster::slowest_mbits() const { return *std::min_element(mbits.begin(), mbits.end()); }

DrawnGroup draw_group(std::uint64_t seed, std::uint64_t number) {
  Random random(stream(seed, number));
  DrawnGroup group;
  group.command = command_of(seed, number);
  group.tier = number % 2 == 0 ? Tier::same_cluster : Tier::extrapolated;
  group.rows = static_cast<std::size_t>(integer(random, 4, 6));
  group.asked.network = draw_network(group.command, random);
  do {
    draw_cluster(group, random);
  } while (exchange_us(group.asked, 2) > kLongestExchangeMicros);
  do {
    draw_speeds(group, random);
  } while (slowest_batch_us(group) > kLongestBatchMicros);
  group.iterations = draw_iterations(group, random);
  draw_calibrated(group, random);
  return group;
}

DrawnRow draw_row(std::uint64_t seed,
                  std::uint64_t group,
                  std::uint64_t row,
                  std::uint64_t attempt) {
  Random random(stream(stream(seed, group), kRowStreams + row * kAttempts + attempt));
  const DrawnStrategy& strategy = drawn_strategies()[random.below(drawn_strategies().size())];
  DrawnRow drawn;
  drawn.strategy = strategy.name;
  const auto add = [&](std::string_view name, std::string value) {
    drawn.settings.push_back({std::string(name), std::move(value)});
  };
  for (const DrawnSetting& setting : strategy.settings) {
    std::string value = drawn_value(setting, random);
    const bool is_usual =
        setting.kind == DrawnSetting::Kind::one_of_two && value == setting.values.front();
    if (!is_usual) add(setting.name, std::move(value));
  }
  if (strategy.takers != Takers::all_but_servers)
    add("all-reduce", std::string(kAllReduces[random.below(kAllReduces.size())]));
  if (strategy.has_gradients && one_in(random, 2)) {
    const std::int64_t bucket = log_uniform(random, 256, 8192);
    add("overlap", "bucket");
    add("bucket", std::to_string(bucket) + "KiB");
    add("first-bucket", drawn_size(random, bucket));
  }
  return drawn;
}

bool is_short(const DrawnGroup& group, const DrawnRow& row) {
  const Takers takers = strategy_named(row.strategy).takers;
  const int workers = group.workers();
  const int trainers = std::max(1, takers == Takers::all ? workers : fastest_workers(group));
  // Servers, and the slow ones of sync-fastest, take no samples.
  const std::int64_t iterations = (group.iterations * workers + trainers - 1) / trainers;
  const std::int64_t passes = takers == Takers::all_but_servers
                                  ? 4 * trainers / std::max(1, workers - trainers) + 4
                                  : most_passes(value_of(row, "all-reduce"), trainers);
  return iterations * (slowest_batch_us(group) + exchange_us(group.asked, passes)) <=
         kLongestEpochMicros;
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
