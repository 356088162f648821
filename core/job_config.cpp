// SPDX-License-Identifier: Apache-2.0
#include "core/job_config.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json_input.hpp"
#include "core/suggest.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

[[noreturn]] void fail(const std::string& got, const std::string& expected) {
  throw UserError("got \"" + got + "\"; expected " + expected);
}

std::int64_t parse_count(const std::string& text, std::int64_t low) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < low ||
      number > JsonInput::kMaxCount) {
    fail(text, "a whole number of at least " + std::to_string(low));
  }
  return number;
}

int parse_small_count(const std::string& text, int low) {
  const std::int64_t number = parse_count(text, low);
  if (number > std::numeric_limits<int>::max()) fail(text, "at most 2147483647");
  return static_cast<int>(number);
}

double parse_positive(const std::string& text, Dimension dimension, bool allow_zero = false) {
  const auto number = parse_quantity(text, dimension);
  if (!number) fail(text, expected_text(dimension));
  if (*number < 0 || (*number == 0 && !allow_zero)) {
    fail(text, allow_zero ? "a value that is not negative" : "a value above zero");
  }
  return *number;
}

bool parse_switch(const std::string& text) {
  if (text == "on" || text == "true" || text == "yes") return true;
  if (text == "off" || text == "false" || text == "no") return false;
  fail(text, "on or off");
}

template <typename Value, std::size_t N>
using Names = std::array<std::pair<std::string_view, Value>, N>;

template <typename Value, std::size_t N>
Value parse_name(const std::string& text, const Names<Value, N>& names) {
  std::string expected;
  for (const auto& [name, value] : names) {
    if (text == name) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(name);
  }
  fail(text, "one of " + expected);
}

template <typename Value, std::size_t N>
std::string show_name(Value value, const Names<Value, N>& names) {
  for (const auto& [name, known] : names) {
    if (known == value) return std::string(name);
  }
  return {};
}

constexpr Names<Overlap, 2> kOverlaps = {{{"none", Overlap::none}, {"bucket", Overlap::bucket}}};
constexpr Names<Partition, 2> kPartitions = {
    {{"constant", Partition::constant}, {"functional", Partition::functional}}};
constexpr Names<Sampling, 3> kSamplings = {
    {{"none", Sampling::none}, {"separated", Sampling::separated}, {"unified", Sampling::unified}}};
constexpr Names<Favoured, 2> kFavoured = {{{"fast", Favoured::fast}, {"slow", Favoured::slow}}};

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

/// Splits "a,b,c"; an empty text has no parts.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size() && !text.empty()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Calls use(key, value) for each part of "key=value,key=value"; a part without "=" has the key "".
template <typename Use>
void for_each_assignment(const std::string& text, const std::string& example, Use use) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.empty()) fail(text, example);
  for (const std::string& part : parts) {
    const std::size_t equals = part.find('=');
    if (part.empty() || equals == 0) fail(text, example);
    if (equals == std::string::npos) {
      use(std::string(), part);
    } else {
      use(part.substr(0, equals), part.substr(equals + 1));
    }
  }
}

template <typename Map, typename Show>
std::string show_map(const Map& map, Show show) {
  std::string text;
  for (const auto& [key, value] : map) text += (text.empty() ? "" : ",") + key + "=" + show(value);
  return text;
}

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
    map[key.empty() ? "all" : key] = parse_positive(value, Dimension::seconds, allow_single);
  });
  return map;
}

std::string show_seconds_map(const std::map<std::string, double>& map) {
  return show_map(map, [](double seconds) { return shortest(seconds) + "s"; });
}

void set_traces(JobConfig& config, const std::string& text) {
  config.traces = split(text, ',');
  for (const std::string& trace : config.traces) {
    if (trace.empty()) fail(text, "names or files of traces, separated by commas");
  }
}

std::string show_traces(const JobConfig& config) {
  std::string text;
  for (const std::string& trace : config.traces) text += (text.empty() ? "" : ",") + trace;
  return text;
}

/// What a flag would say for a value of an experiment file; nothing when no flag could.
std::optional<std::string> text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null() || value.is_object()) return std::nullopt;
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const auto& element : value) {
    const auto text = element.is_array() ? std::nullopt : text_of(element);
    if (!text) return std::nullopt;
    list += (list.empty() ? "" : ",") + *text;
  }
  return list;
}

}  // namespace

const std::vector<Setting>& settings() {
  using C = JobConfig;
  using Text = const std::string&;
  static const std::vector<Setting> all = {
      {"platform",
       "NAME|FILE",
       "cluster: a name from `list platforms`, a JSON file or a SimGrid XML file",
       [](C& c, Text t) { c.platform = t; },
       [](const C& c) { return c.platform; }},
      {"network",
       "NAME|FILE",
       "neural network, from `list networks` or a JSON file",
       [](C& c, Text t) { c.network = t; },
       [](const C& c) { return c.network; }},
      {"dataset",
       "NAME|FILE",
       "data set, from `list datasets` or a JSON file",
       [](C& c, Text t) { c.dataset = t; },
       [](const C& c) { return c.dataset; }},
      {"strategy",
       "NAME[,NAME]|all",
       "training strategy, from `list strategies`",
       [](C& c, Text t) { c.strategy = t; },
       [](const C& c) { return c.strategy; }},
      {"nodes",
       "COUNT",
       "use the platform's first COUNT nodes (default: all)",
       [](C& c, Text t) { c.nodes = parse_small_count(t, 1); },
       [](const C& c) { return c.nodes ? std::to_string(*c.nodes) : std::string(); }},
      {"workers",
       "CLASS|all",
       "device class that trains, such as gpu (default: as the platform says)",
       [](C& c, Text t) { c.workers = t; },
       [](const C& c) { return c.workers; }},
      {"batch",
       "SAMPLES",
       "batch per worker",
       [](C& c, Text t) { c.batch = parse_count(t, 1); },
       [](const C& c) { return std::to_string(c.batch); }},
      {"epochs",
       "COUNT",
       "length of the job; epoch times are means over it",
       [](C& c, Text t) { c.epochs = parse_count(t, 1); },
       [](const C& c) { return std::to_string(c.epochs); }},
      {"all-reduce",
       "NAME",
       "all-reduce algorithm, from `list collectives`",
       [](C& c, Text t) { c.all_reduce = t; },
       [](const C& c) { return c.all_reduce; }},
      {"overlap",
       "none|bucket",
       "exchange gradients after backward, or in buckets while it runs",
       [](C& c, Text t) { c.overlap = parse_name(t, kOverlaps); },
       [](const C& c) { return show_name(c.overlap, kOverlaps); }},
      {"bucket",
       "SIZE",
       "bucket size for --overlap bucket",
       [](C& c, Text t) { c.bucket_bytes = parse_positive(t, Dimension::bytes); },
       [](const C& c) { return shortest(c.bucket_bytes) + "B"; }},
      {"first-bucket",
       "SIZE",
       "size of the first bucket",
       [](C& c, Text t) { c.first_bucket_bytes = parse_positive(t, Dimension::bytes); },
       [](const C& c) { return shortest(c.first_bucket_bytes) + "B"; }},
      {"partition",
       "constant|functional",
       "hetgrad: partition by one speed per worker, or by measured curves",
       [](C& c, Text t) { c.partition = parse_name(t, kPartitions); },
       [](const C& c) { return show_name(c.partition, kPartitions); }},
      {"averaging-period",
       "ITERATIONS",
       "node-based: K', iterations between averagings of all nodes (default: an epoch)",
       [](C& c, Text t) { c.averaging_period = parse_count(t, 1); },
       [](const C& c) {
         return c.averaging_period ? std::to_string(*c.averaging_period) : std::string();
       }},
      {"local-steps",
       "H|fast=H,slow=h",
       "local SGD: steps between averagings, by hand also per class",
       set_local_steps,
       show_local_steps},
      {"alpha",
       "SHARE",
       "biased local SGD: share of samples taken by highest loss, 0 to 1",
       [](C& c, Text t) {
         double share = -1;
         const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), share);
         if (error != std::errc{} || end != t.data() + t.size() || !(share >= 0 && share <= 1)) {
           fail(t, "a share from 0 to 1");
         }
         c.alpha = share;
       },
       [](const C& c) { return shortest(c.alpha); }},
      {"sampling",
       "none|separated|unified",
       "biased local SGD: how samples are drawn",
       [](C& c, Text t) { c.sampling = parse_name(t, kSamplings); },
       [](const C& c) { return show_name(c.sampling, kSamplings); }},
      {"weighted-aggregation",
       "on|off",
       "biased local SGD: weight parameters by local steps",
       [](C& c, Text t) { c.weighted_aggregation = parse_switch(t); },
       [](const C& c) { return std::string(c.weighted_aggregation ? "on" : "off"); }},
      {"high-loss-to",
       "fast|slow",
       "biased local SGD: who gets the samples of highest loss",
       [](C& c, Text t) { c.high_loss_to = parse_name(t, kFavoured); },
       [](const C& c) { return show_name(c.high_loss_to, kFavoured); }},
      {"partition-bytes",
       "SIZE",
       "byteps: largest piece pushed at once",
       [](C& c, Text t) { c.partition_bytes = parse_positive(t, Dimension::bytes); },
       [](const C& c) { return shortest(c.partition_bytes) + "B"; }},
      {"trace",
       "NAME|FILE[,...]",
       "cost traces to use (default: the best the catalogue has)",
       set_traces,
       show_traces},
      {"batch-seconds",
       "CLASS=TIME,...",
       "seconds per batch and worker; replaces traces",
       [](C& c, Text t) { c.batch_seconds = parse_seconds_map(t, false); },
       [](const C& c) { return show_seconds_map(c.batch_seconds); }},
      {"exchange-seconds",
       "TIME|CLASS=TIME,...",
       "seconds of one exchange: among all workers, inside a node (node=), or among one class "
       "alone; replaces the network",
       [](C& c, Text t) { c.exchange_seconds = parse_seconds_map(t, true); },
       [](const C& c) { return show_seconds_map(c.exchange_seconds); }},
      {"seed",
       "NUMBER",
       "seed of the draws from measured samples",
       [](C& c, Text t) { c.seed = static_cast<std::uint64_t>(parse_count(t, 0)); },
       [](const C& c) { return std::to_string(c.seed); }},
      {"repetitions",
       "COUNT",
       "seeded repetitions behind the interval",
       [](C& c, Text t) { c.repetitions = parse_small_count(t, 1); },
       [](const C& c) { return std::to_string(c.repetitions); }},
      {"deterministic",
       "on|off",
       "use medians instead of draws; no interval",
       [](C& c, Text t) { c.deterministic = parse_switch(t); },
       [](const C& c) { return std::string(c.deterministic ? "on" : "off"); }},
      {"exact",
       "on|off",
       "simulate every message and iteration instead of recognising repetitions; slow",
       [](C& c, Text t) { c.exact = parse_switch(t); },
       [](const C& c) { return std::string(c.exact ? "on" : "off"); }},
  };
  return all;
}

void set_setting(JobConfig& config,
                 std::string_view name,
                 const std::string& value,
                 const std::string& origin) {
  std::vector<std::string> names;
  for (const Setting& setting : settings()) {
    if (setting.name == name) {
      try {
        setting.set(config, value);
      } catch (const UserError& error) {
        throw UserError(origin + ": " + error.what());
      }
      return;
    }
    names.emplace_back(setting.name);
  }
  throw UserError(origin + ": " + unknown_name("setting", name, names));
}

std::vector<SettingText> setting_texts(const JobConfig& config) {
  std::vector<SettingText> texts;
  for (const Setting& setting : settings()) {
    std::string value = setting.show(config);
    if (!value.empty()) texts.push_back({std::string(setting.name), std::move(value)});
  }
  return texts;
}

void apply_experiment(JobConfig& config, const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.experiment/1", problems);
  std::vector<std::string> all;
  for (const JsonInput& member : top.members()) {
    if (member.name() == "schema") continue;
    const auto text = text_of(member.value());
    if (!text) {
      member.fail("a text, a number, true, false, or a list of these");
      continue;
    }
    try {
      set_setting(config, member.name(), *text, file + ": " + member.path());
    } catch (const UserError& error) {
      all.emplace_back(error.what());
    }
  }
  if (!problems.empty() || !all.empty()) {
    try {
      problems.throw_if_any();
    } catch (const UserError& error) {
      all.insert(all.end(), error.problems().begin(), error.problems().end());
    }
    throw UserError(all);
  }
}

}  // namespace epochcast
