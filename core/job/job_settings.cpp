// SPDX-License-Identifier: Apache-2.0
// Settings of a job and of its costs.
#include <algorithm>

#include "core/job/setting.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

constexpr Names<Overlap, 2> kOverlaps = {{{"none", Overlap::none}, {"bucket", Overlap::bucket}}};

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
constexpr int kGradientBytes = 4;  // float32
constexpr int kMostRanksPerDevice = 1'000;
constexpr std::int64_t kMostAccumulated = 1'000'000;

/// A count that, times `factor`, is still a count of samples.
std::int64_t parse_factor(const std::string& text, std::int64_t high, std::int64_t factor) {
  return parse_count(text, 1, std::min(high, kMostCount / std::max<std::int64_t>(1, factor)));
}

int parse_gradient_bytes(const std::string& text) {
  const std::string expected = "4 (float32), 2 (float16 or bfloat16) or 1 (float8)";
  if (text != "4" && text != "2" && text != "1") fail(text, expected);
  return parse_small_count(text, 1, kGradientBytes);
}

std::optional<Precision> parse_precision(const std::string& text) {
  if (text == "auto") return std::nullopt;
  const std::string half =
      "float16 or bfloat16, which keep parameters and gradients in float32 "
      "like PyTorch's autocast";
  const std::map<std::string, std::string> known_as = {{"fp32", "float32"},
                                                       {"fp16", "float16"},
                                                       {"half", "float16"},
                                                       {"bf16", "bfloat16"},
                                                       {"mixed", half},
                                                       {"amp", half},
                                                       {"autocast", half}};
  const auto found = known_as.find(text);
  if (found != known_as.end()) fail(text, found->second);
  constexpr Names<std::optional<Precision>, 5> kChoices = {{{"auto", std::nullopt},
                                                            {"float32", Precision::float32},
                                                            {"tf32", Precision::tf32},
                                                            {"float16", Precision::float16},
                                                            {"bfloat16", Precision::bfloat16}}};
  return parse_name(text, kChoices);
}

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
       "neural network: from `list networks`, a TorchScript model (MODEL.pt), or, where it is not "
       "computed, a JSON file that describes one",
       [](C& c, Text t) { c.network = parse_text(t, kNameOrFile); },
       [](const C& c) { return c.network; }},
      {"dataset",
       kEverywhere,
       "NAME|FILE|FOLDER",
       "data set: from `list datasets`, a JSON file, or a folder of inputs.npy and targets.npy, of "
       "train.bin and val.bin, or of images in train/CLASS and val/CLASS",
       [](C& c, Text t) { c.dataset = parse_text(t, "a name, a file or a folder"); },
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
       "batch per worker, passed through the network at once",
       [](C& c, Text t) { c.batch = parse_factor(t, kMostCount, c.accumulate); },
       [](const C& c) { return std::to_string(c.batch); }},
      {"accumulate",
       kEverywhere,
       "COUNT",
       "batches whose gradients a worker adds up before each exchange or step",
       [](C& c, Text t) { c.accumulate = parse_factor(t, kMostAccumulated, c.batch); },
       [](const C& c) { return std::to_string(c.accumulate); }},
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
      {"gradient-bytes",
       kWithCosts,
       "COUNT",
       "bytes of a gradient's value when it is exchanged: 4, 2 (float16) or 1 (float8); buckets "
       "hold as many gradients with each, parameters are averaged as 4 (default: 4)",
       [](C& c, Text t) { c.gradient_bytes = parse_gradient_bytes(t); },
       [](const C& c) { return std::to_string(c.gradient_bytes); }},
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
  };
}

std::vector<Setting> cost_settings() {
  using C = JobConfig;
  using Text = const std::string&;
  return {
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
      {"precision",
       kWithCosts,
       "auto|float32|tf32|float16|bfloat16",
       "what batches are computed in (default: as the traces measured; else bfloat16 if every "
       "device that trains has it; else tf32, which is float32 on devices without it)",
       [](C& c, Text t) { c.precision = parse_precision(t); },
       [](const C& c) {
         return c.precision ? show_name(*c.precision, kPrecisions) : std::string("auto");
       }},
      {"kernels",
       kWithCosts,
       "plain|tuned",
       "what estimated batches of GPUs are computed with: PyTorch's eager mode (default), or "
       "channels-last tensors and fused kernels",
       [](C& c, Text t) { c.kernels = parse_name(t, kKernels); },
       [](const C& c) { return c.kernels ? show_name(*c.kernels, kKernels) : std::string(); }},
      {"calibrate-on",
       kWithCosts,
       "NAME|FILE[,...]",
       "traces of other networks on such devices, by which their estimates are scaled",
       [](C& c, Text t) {
         c.calibrate_on = parse_list(t, "names or files of traces, separated by commas");
       },
       [](const C& c) { return joined(c.calibrate_on); }},
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
