// SPDX-License-Identifier: Apache-2.0
// What a job is, and what it costs.
#include "core/job/job_config.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

constexpr Names<Overlap, 2> kOverlaps = {{{"none", Overlap::none}, {"bucket", Overlap::bucket}}};
constexpr Names<Partition, 2> kPartitions = {
    {{"constant", Partition::constant}, {"functional", Partition::functional}}};
constexpr Names<Sampling, 3> kSamplings = {
    {{"none", Sampling::none}, {"separated", Sampling::separated}, {"unified", Sampling::unified}}};
constexpr Names<AveragingOrder, 2> kOrders = {
    {{"applied", AveragingOrder::applied}, {"printed", AveragingOrder::printed}}};
constexpr Names<Favoured, 2> kFavoured = {{{"fast", Favoured::fast}, {"slow", Favoured::slow}}};

void set_local_steps(JobConfig& config, const std::string& text) {
  config.local_steps_by_class.clear();
  for_each_assignment(text,
                      "steps such as 32 or fast=32,slow=1",
                      [&](const std::string& key, const std::string& value) {
                        const std::int64_t steps = parse_count(value, 1);
                        if (key.empty()) config.local_steps = steps;
                        if (!key.empty()) config.local_steps_by_class[key] = steps;
                      });
  const auto fast = config.local_steps_by_class.find("fast");
  if (fast != config.local_steps_by_class.end()) config.local_steps = fast->second;
}

std::string show_local_steps(const JobConfig& config) {
  const auto& by_class = config.local_steps_by_class;
  if (by_class.empty()) return std::to_string(config.local_steps);
  const std::string rest =
      show_map(by_class, [](std::int64_t steps) { return std::to_string(steps); });
  return by_class.contains("fast") ? rest : std::to_string(config.local_steps) + "," + rest;
}

std::map<std::string, double> parse_seconds_map(const std::string& text, bool allow_single) {
  std::map<std::string, double> map;
  const std::string example = allow_single ? "seconds such as 1.48s or all=1.48s,gpu=0.9s"
                                           : "seconds per device class, such as gpu=51ms,cpu=1.67s";
  for_each_assignment(text, example, [&](const std::string& key, const std::string& value) {
    if (key.empty() && !allow_single) fail(text, example);
    const double seconds = parse_positive(value, Dimension::seconds, allow_single);
    if (!map.emplace(key.empty() ? "all" : key, seconds).second)
      fail(text, "each name once: " + example);
  });
  return map;
}

std::string show_seconds_map(const std::map<std::string, double>& map) {
  return show_map(map, [](double seconds) { return shortest(seconds) + "s"; });
}

constexpr const char* kNameOrFile = "a name or a file";
constexpr std::int64_t kLargestSeed = std::int64_t{1} << 53;
constexpr int kMostRepetitions = 10'000;
constexpr int kMostRanksPerDevice = 1'000;

}  // namespace

std::vector<Setting> job_settings() {
  using C = JobConfig;
  using Text = const std::string&;
  return {
      {"platform",
       kWithCosts,
       "NAME|FILE",
       "cluster: a name from `list platforms`, a JSON file or a SimGrid XML file",
       [](C& c, Text t) { c.platform = parse_text(t, kNameOrFile); },
       [](const C& c) { return c.platform; }},
      {"network",
       kEverywhere,
       "NAME|FILE",
       "neural network, from `list networks` or a JSON file",
       [](C& c, Text t) { c.network = parse_text(t, kNameOrFile); },
       [](const C& c) { return c.network; }},
      {"dataset",
       kEverywhere,
       "NAME|FILE",
       "data set, from `list datasets` or a JSON file",
       [](C& c, Text t) { c.dataset = parse_text(t, kNameOrFile); },
       [](const C& c) { return c.dataset; }},
      {"strategy",
       kEverywhere,
       "NAME[,NAME]|all",
       "training strategy, from `list strategies`",
       [](C& c, Text t) {
         c.strategy = joined(parse_list(t, "strategies such as sync,dlb, or all"));
       },
       [](const C& c) { return c.strategy; }},
      {"nodes",
       kWithCosts,
       "COUNT",
       "use the platform's first COUNT nodes (default: all)",
       [](C& c, Text t) { c.nodes = parse_small_count(t, 1); },
       [](const C& c) { return c.nodes ? std::to_string(*c.nodes) : std::string(); }},
      {"workers",
       kWithCosts,
       "CLASS|all",
       "device class that trains, such as gpu (default: as the platform says)",
       [](C& c, Text t) { c.workers = parse_text(t, "a device class such as gpu, or all"); },
       [](const C& c) { return c.workers; }},
      {"ranks-per-device",
       kWithCosts,
       "COUNT",
       "workers that share each device that trains, its time, memory and links",
       [](C& c, Text t) { c.ranks_per_device = parse_small_count(t, 1, kMostRanksPerDevice); },
       [](const C& c) { return std::to_string(c.ranks_per_device); }},
      {"batch",
       kEverywhere,
       "SAMPLES",
       "batch per worker",
       [](C& c, Text t) { c.batch = parse_count(t, 1); },
       [](const C& c) { return std::to_string(c.batch); }},
      {"epochs",
       kEverywhere,
       "COUNT",
       "length of the job; epoch times are means over it",
       [](C& c, Text t) { c.epochs = parse_count(t, 1); },
       [](const C& c) { return std::to_string(c.epochs); }},
      {"all-reduce",
       kEverywhere,
       "NAME",
       "all-reduce algorithm, from `list collectives`",
       [](C& c, Text t) { c.all_reduce = parse_text(t, "the name of an algorithm, such as ring"); },
       [](const C& c) { return c.all_reduce; }},
      {"overlap",
       kEverywhere,
       "none|bucket",
       "exchange gradients after backward, or in buckets while it runs",
       [](C& c, Text t) { c.overlap = parse_name(t, kOverlaps); },
       [](const C& c) { return show_name(c.overlap, kOverlaps); }},
      {"bucket",
       kEverywhere,
       "SIZE",
       "bucket size for --overlap bucket",
       [](C& c, Text t) { c.bucket_bytes = parse_positive(t, Dimension::bytes); },
       [](const C& c) { return shortest(c.bucket_bytes) + "B"; }},
      {"first-bucket",
       kEverywhere,
       "SIZE",
       "size of the first bucket",
       [](C& c, Text t) { c.first_bucket_bytes = parse_positive(t, Dimension::bytes); },
       [](const C& c) { return shortest(c.first_bucket_bytes) + "B"; }},
      {"partition",
       kEverywhere,
       "constant|functional",
       "hetgrad: partition by one speed per worker, or by measured curves",
       [](C& c, Text t) { c.partition = parse_name(t, kPartitions); },
       [](const C& c) { return show_name(c.partition, kPartitions); }},
      {"least-batch",
       kEverywhere,
       "SAMPLES",
       "dlb: batch that every worker keeps; 0: a worker may end without any, for good",
       [](C& c, Text t) { c.least_batch = parse_count(t, 0); },
       [](const C& c) { return std::to_string(c.least_batch); }},
      {"averaging-period",
       kEverywhere,
       "ITERATIONS",
       "node-based: K', iterations between averagings of all nodes (default: an epoch)",
       [](C& c, Text t) { c.averaging_period = parse_count(t, 1); },
       [](const C& c) {
         return c.averaging_period ? std::to_string(*c.averaging_period) : std::string();
       }},
      {"averaging-order",
       kEverywhere,
       "applied|printed",
       "node-based: apply the node's gradient, then average all parameters; or, as printed, the "
       "other way round",
       [](C& c, Text t) { c.averaging_order = parse_name(t, kOrders); },
       [](const C& c) { return show_name(c.averaging_order, kOrders); }},
      {"local-steps",
       kEverywhere,
       "H|fast=H,slow=h",
       "local SGD: steps between averagings, by hand also per class",
       set_local_steps,
       show_local_steps},
      {"alpha",
       kEverywhere,
       "SHARE",
       "biased local SGD: share of samples taken by highest loss, 0 to 1",
       [](C& c, Text t) { c.alpha = parse_number(t, 0, 1, "a share from 0 to 1"); },
       [](const C& c) { return shortest(c.alpha); }},
      {"sampling",
       kEverywhere,
       "none|separated|unified",
       "biased local SGD: how samples are drawn",
       [](C& c, Text t) { c.sampling = parse_name(t, kSamplings); },
       [](const C& c) { return show_name(c.sampling, kSamplings); }},
      {"weighted-aggregation",
       kEverywhere,
       "on|off",
       "biased local SGD: weight parameters by local steps",
       [](C& c, Text t) { c.weighted_aggregation = parse_switch(t); },
       [](const C& c) { return show_switch(c.weighted_aggregation); }},
      {"high-loss-to",
       kEverywhere,
       "fast|slow",
       "biased local SGD: who gets the samples of highest loss",
       [](C& c, Text t) { c.high_loss_to = parse_name(t, kFavoured); },
       [](const C& c) { return show_name(c.high_loss_to, kFavoured); }},
      {"partition-bytes",
       kEverywhere,
       "SIZE",
       "byteps: largest piece pushed at once",
       [](C& c, Text t) { c.partition_bytes = parse_positive(t, Dimension::bytes); },
       [](const C& c) { return shortest(c.partition_bytes) + "B"; }},
      {"trace",
       kWithCosts,
       "NAME|FILE[,...]",
       "cost traces to use (default: the best the catalogue has)",
       [](C& c, Text t) {
         c.traces = parse_list(t, "names or files of traces, separated by commas");
       },
       [](const C& c) { return joined(c.traces); }},
      {"batch-seconds",
       kWithCosts,
       "CLASS=TIME,...",
       "seconds per batch and worker; replaces traces",
       [](C& c, Text t) { c.batch_seconds = parse_seconds_map(t, false); },
       [](const C& c) { return show_seconds_map(c.batch_seconds); }},
      {"exchange-seconds",
       kSimulated,
       "TIME|CLASS=TIME,...",
       "seconds of one exchange: among all workers, inside a node (node=), or among one class "
       "alone; replaces the network",
       [](C& c, Text t) { c.exchange_seconds = parse_seconds_map(t, true); },
       [](const C& c) { return show_seconds_map(c.exchange_seconds); }},
      {"seed",
       kEverywhere,
       "NUMBER",
       "seed of the draws from measured samples",
       [](C& c, Text t) { c.seed = static_cast<std::uint64_t>(parse_count(t, 0, kLargestSeed)); },
       [](const C& c) { return std::to_string(c.seed); }},
      {"repetitions",
       kForecast,
       "COUNT",
       "seeded repetitions behind the interval",
       [](C& c, Text t) { c.repetitions = parse_small_count(t, 1, kMostRepetitions); },
       [](const C& c) { return std::to_string(c.repetitions); }},
      {"deterministic",
       kWithCosts,
       "on|off",
       "use medians instead of draws; no interval",
       [](C& c, Text t) { c.deterministic = parse_switch(t); },
       [](const C& c) { return show_switch(c.deterministic); }},
      {"exact",
       kSimulated,
       "on|off",
       "simulate every message and iteration instead of recognising repetitions; slow",
       [](C& c, Text t) { c.exact = parse_switch(t); },
       [](const C& c) { return show_switch(c.exact); }},
  };
}

}  // namespace epochcast
