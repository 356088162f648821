// SPDX-License-Identifier: Apache-2.0
// Settings of a job and of its costs.
#include <algorithm>

#include "core/job/setting_row.hpp"
#include "core/job/setting_value.hpp"

namespace epochcast {
namespace {

constexpr std::int64_t kLargestSeed = std::int64_t{1} << 53;
constexpr int kMostRepetitions = 10'000;
constexpr int kMostRanksPerDevice = 1'000;
constexpr std::int64_t kMostAccumulated = 1'000'000;

constexpr value::Text kNameOrFile = {"a name or a file"};
constexpr value::List kTraces = {"names or files of traces, separated by commas"};
constexpr Names<Overlap, 3> kOverlaps = {
    {{"none", Overlap::none}, {"bucket", Overlap::bucket}, {"dear", Overlap::dear}}};
constexpr Names<std::optional<Precision>, 5> kChosenPrecisions = {
    {{"auto", std::nullopt},
     {"float32", Precision::float32},
     {"tf32", Precision::tf32},
     {"float16", Precision::float16},
     {"bfloat16", Precision::bfloat16}}};

/// A count that, times `factor`, is still a count of samples.
std::int64_t parse_factor(const std::string& text, std::int64_t high, std::int64_t factor) {
  return parse_count(text, 1, std::min(high, kMostCount / std::max<std::int64_t>(1, factor)));
}

/// Names of strategies, or "all".
struct StrategyNames {
  [[nodiscard]] std::string read(const std::string& text) const {
    return joined(parse_list(text, "strategies such as sync,dlb, or all"));
  }
  [[nodiscard]] std::string show(const std::string& names) const { return names; }
};

struct GradientBytes {
  [[nodiscard]] int read(const std::string& text) const {
    if (text != "4" && text != "2" && text != "1")
      fail(text, "4 (float32), 2 (float16 or bfloat16) or 1 (float8)");
    return parse_small_count(text, 1);
  }
  [[nodiscard]] std::string show(int bytes) const { return std::to_string(bytes); }
};

/// Samples per second, "3000/s".
struct SamplesPerSecond {
  static constexpr double kLeast = 1e-3;
  static constexpr double kMost = 1e12;

  [[nodiscard]] double read(const std::string& text) const {
    const std::string number = text.ends_with("/s") ? text.substr(0, text.size() - 2) : text;
    return parse_number(number, kLeast, kMost, "samples per second, such as 3000/s");
  }
  [[nodiscard]] std::string show(double rate) const { return shortest(rate) + "/s"; }
};

/// Seconds by name. A value without name is that of "all", if `allows_single`; zero is too then.
struct SecondsByName {
  using Seconds = std::map<std::string, double>;
  bool allows_single;

  [[nodiscard]] Seconds read(const std::string& text) const {
    Seconds seconds;
    const std::string example = allows_single
                                    ? "seconds such as 1.48s or all=1.48s,gpu=0.9s"
                                    : "seconds per device class, such as gpu=51ms,cpu=1.67s";
    for_each_assignment(text, example, [&](const std::string& key, const std::string& value) {
      if (key.empty() && !allows_single) fail(text, example);
      const double one = parse_positive(value, Dimension::seconds, allows_single);
      if (!seconds.emplace(key.empty() ? "all" : key, one).second)
        fail(text, "each name once: " + example);
    });
    return seconds;
  }
  [[nodiscard]] std::string show(const Seconds& seconds) const {
    return show_map(seconds, [](double one) { return shortest(one) + "s"; });
  }
};

/// Of batches; absent is "auto".
struct ChosenPrecision {
  [[nodiscard]] std::optional<Precision> read(const std::string& text) const {
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
    return parse_name(text, kChosenPrecisions);
  }
  [[nodiscard]] std::string show(const std::optional<Precision>& precision) const {
    return show_name(precision, kChosenPrecisions);
  }
};

/// "accuracy=75%", "accuracy=0.75", "loss=1.2", "perplexity=30".
struct Target {
  static constexpr const char* kExpected = "accuracy=75%, loss=1.2 or perplexity=30";

  [[nodiscard]] LearningTarget read(const std::string& text) const {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    for (const Metric metric : {Metric::accuracy, Metric::loss, Metric::perplexity}) {
      if (name != to_string(metric) || equals == std::string::npos) continue;
      std::string number = text.substr(equals + 1);
      const bool is_percent = metric == Metric::accuracy && number.ends_with('%');
      if (is_percent) number.pop_back();
      const double most = metric != Metric::accuracy ? 1e9 : is_percent ? 100 : 1;
      const double value = parse_number(number, 1e-9, most, kExpected);
      return {.metric = metric, .value = is_percent ? value / 100 : value};
    }
    fail(text, kExpected);
  }
  [[nodiscard]] std::string show(const LearningTarget& target) const {
    return std::string(to_string(target.metric)) + "=" + shortest(target.value);
  }
};

struct Seed {
  [[nodiscard]] std::uint64_t read(const std::string& text) const {
    return static_cast<std::uint64_t>(parse_count(text, 0, kLargestSeed));
  }
  [[nodiscard]] std::string show(std::uint64_t seed) const { return std::to_string(seed); }
};

}  // namespace

// A row of two or three lines a setting.
// clang-format off
std::vector<Setting> job_settings() {
  using Config = JobConfig;
  using Text = const std::string&;
  return {
      row("platform", kWithCosts, "NAME|FILE", &Config::platform, kNameOrFile,
          "cluster: a name from `list platforms`, a JSON file or a SimGrid XML file"),
      row("network", kEverywhere, "NAME|FILE", &Config::network, kNameOrFile,
          "neural network: from `list networks`, a TorchScript model (MODEL.pt), or, where it is "
          "not computed, a JSON file that describes one"),
      row("dataset", kEverywhere, "NAME|FILE|FOLDER",
          &Config::dataset, value::Text{"a name, a file or a folder"},
          "data set: from `list datasets`, a JSON file, or a folder of inputs.npy and "
          "targets.npy, of train.bin and val.bin, or of images in train/CLASS and val/CLASS"),
      row("strategy", kEverywhere, "NAME[,NAME]|all", &Config::strategy, StrategyNames{},
          "training strategy, from `list strategies`"),
      row("nodes", kWithCosts, "COUNT", &Config::nodes, value::SmallCount{1},
          "use the platform's first COUNT nodes (default: all)"),
      row("workers", kWithCosts, "CLASS|all",
          &Config::workers, value::Text{"a device class such as gpu, or all"},
          "device class that trains, such as gpu (default: as the platform says)"),
      row("ranks-per-device", kWithCosts, "COUNT",
          &Config::ranks_per_device, value::SmallCount{1, kMostRanksPerDevice},
          "workers that share each device that trains, its time, memory and links"),
      {"batch", kEverywhere, "SAMPLES", "batch per worker, passed through the network at once",
       [](Config& c, Text t) { c.batch = parse_factor(t, kMostCount, c.accumulate); },
       [](const Config& c) { return std::to_string(c.batch); }},
      {"accumulate", kEverywhere, "COUNT",
       "batches whose gradients a worker adds up before each exchange or step",
       [](Config& c, Text t) { c.accumulate = parse_factor(t, kMostAccumulated, c.batch); },
       [](const Config& c) { return std::to_string(c.accumulate); }},
      row("epochs", kEverywhere, "COUNT", &Config::epochs, value::Count{1},
          "length of the job; epoch times are means over it"),
      row("all-reduce", kEverywhere, "NAME",
          &Config::all_reduce, value::Text{"the name of an algorithm, such as ring"},
          "all-reduce algorithm, from `list collectives`"),
      row("overlap", kEverywhere, "none|bucket|dear", &Config::overlap, value::Name{kOverlaps},
          "exchange gradients after backward, in buckets while it runs, or in halves: reduce-scatters "
          "while it runs, all-gathers in the next forward pass"),
      {"compression", kEverywhere, "NAME",
       "compression of the gradients that are exchanged, from `list compressions` (default: none)",
       [](Config& c, Text t) { c.compression = parse_text(t, "a name, such as topk, or none"); },
       [](const Config& c) { return c.compression == "none" ? "" : c.compression; }},
      row("gradient-bytes", kWithCosts, "COUNT", &Config::gradient_bytes, GradientBytes{},
          "bytes of a gradient's value when it is exchanged: 4, also with automatic mixed "
          "precision (default); 2 with DDP's fp16 or bf16 hook, or a model whose parameters are "
          "half; 1 (float8); buckets hold as many gradients with each, parameters are averaged as "
          "4"),
      row("bucket", kEverywhere, "SIZE", &Config::bucket_bytes, value::Size{},
          "bucket size for --overlap bucket"),
      row("first-bucket", kEverywhere, "SIZE", &Config::first_bucket_bytes, value::Size{},
          "size of the first bucket"),
  };
}

std::vector<Setting> cost_settings() {
  using Config = JobConfig;
  return {
      row("trace", kWithCosts, "NAME|FILE[,...]", &Config::traces, kTraces,
          "cost traces to use (default: the best the catalogue has)"),
      row("batch-seconds", kWithCosts, "CLASS=TIME,...",
          &Config::batch_seconds, SecondsByName{false},
          "seconds per batch and worker; replaces traces"),
      row("loading-rate", kWithCosts, "RATE",
          &Config::loading_samples_per_s, SamplesPerSecond{},
          "samples per second that a node loads for all its workers, such as 3000/s (default: no "
          "limit); a loader prepares the next batch while the last one is computed and exchanged"),
      row("precision", kEverywhere, "auto|float32|tf32|float16|bfloat16",
          &Config::precision, ChosenPrecision{},
          "what batches are computed in, as by PyTorch's autocast (auto: real runs float32; "
          "forecasts and rehearsals as the traces measured, else bfloat16 if every device that "
          "trains has it, else tf32, which is float32 on devices without it)"),
      row("kernels", kWithCosts, "plain|tuned", &Config::kernels, value::Name{kKernels},
          "what estimated batches of GPUs are computed with: PyTorch's eager mode (default), or "
          "channels-last tensors and fused kernels"),
      row("calibrate-on", kWithCosts, "NAME|FILE[,...]", &Config::calibrate_on, kTraces,
          "traces of other networks on such devices, by which their estimates are scaled"),
      row("exchange-seconds", kSimulated, "TIME|CLASS=TIME,...",
          &Config::exchange_seconds, SecondsByName{true},
          "seconds of one exchange: among all workers, inside a node (node=), or among one class "
          "alone; replaces the network"),
      row("curves", kForecast, "FILE[,...]", &Config::curves, value::List{"files of curves"},
          "what was learned elsewhere, from `import curves` or `choose --save-curves`: the time to "
          "--target is forecast"),
      row("target", kForecast, "METRIC=VALUE", &Config::target, Target{},
          "for --curves: accuracy=75%, loss=1.2 or perplexity=30"),
      row("seed", kEverywhere, "NUMBER", &Config::seed, Seed{},
          "seed of the draws from measured samples"),
      row("repetitions", kForecast, "COUNT",
          &Config::repetitions, value::SmallCount{1, kMostRepetitions},
          "seeded repetitions behind the interval"),
      row("deterministic", kWithCosts, "on|off", &Config::deterministic, value::Switch{},
          "use medians instead of draws; no interval"),
      row("exact", kSimulated, "on|off", &Config::exact, value::Switch{},
          "simulate every message and iteration instead of recognising repetitions; slow"),
  };
}
// clang-format on

}  // namespace epochcast
