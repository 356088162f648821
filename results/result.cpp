// SPDX-License-Identifier: Apache-2.0
#include "results/result.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "base/text/plain_text.hpp"
#include "results/ranked_run.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;
using Keys = std::initializer_list<const char*>;

/// A member of a struct, and its key in JSON.
template <typename Struct, typename Value>
struct Member {
  const char* key;
  Value Struct::*place;
};

constexpr Member<RunResult, std::string> kRunTexts[] = {{"strategy", &RunResult::strategy},
                                                        {"platform", &RunResult::platform},
                                                        {"network", &RunResult::network},
                                                        {"dataset", &RunResult::dataset}};
constexpr Member<RunResult, int> kRunSizes[] = {{"nodes", &RunResult::nodes},
                                                {"workers", &RunResult::workers}};
constexpr Member<RunResult, std::int64_t> kRunCounts[] = {
    {"batch", &RunResult::batch},
    {"epochs", &RunResult::epochs},
    {"iterations_per_epoch", &RunResult::iterations_per_epoch},
    {"rounds_per_epoch", &RunResult::rounds_per_epoch},
    {"samples_per_epoch", &RunResult::samples_per_epoch},
    {"train_samples", &RunResult::train_samples}};
constexpr Member<RunResult, double> kRunBytes[] = {
    {"intra_node_bytes", &RunResult::intra_node_bytes},
    {"inter_node_bytes", &RunResult::inter_node_bytes}};
constexpr Member<DeviceResult, std::string> kDeviceTexts[] = {
    {"class", &DeviceResult::device_class},
    {"model", &DeviceResult::model},
    {"role", &DeviceResult::role}};
constexpr Member<DeviceResult, int> kDeviceSizes[] = {{"workers", &DeviceResult::workers}};
constexpr Member<DeviceResult, std::int64_t> kDeviceCounts[] = {
    {"batch", &DeviceResult::batch}, {"local_steps", &DeviceResult::local_steps}};
constexpr Keys kPhaseKeys = {"compute_s", "exposed_communication_s", "blocked_s"};
constexpr const char* kExpectedSeconds = "seconds, not negative";
constexpr const char* kExpectedBytes = "bytes, not negative";
constexpr const char* kExpectedNumber = "a number, not negative";

template <typename Struct, typename Value, std::size_t count>
void put(Json& json, const Struct& from, const Member<Struct, Value> (&members)[count]) {
  for (const auto& [key, place] : members) json[key] = from.*place;
}

template <typename Struct, typename Value, std::size_t count>
void take(const Json& json, Struct& to, const Member<Struct, Value> (&members)[count]) {
  for (const auto& [key, place] : members) json.at(key).get_to(to.*place);
}

void check_text(const JsonInput& text) {
  if (!text.value().is_string() || !is_plain_text(text.value().get_ref<const std::string&>()))
    text.fail(std::string("a text in ") + kExpectedPlainText);
}

template <typename Struct, typename Value, std::size_t count>
void check(JsonInput& object, const Member<Struct, Value> (&members)[count]) {
  for (const auto& [key, place] : members) {
    const JsonInput member = object.at(key);
    if constexpr (std::is_same_v<Value, std::string>)
      check_text(member);
    else
      (void)member.integer(
          0, std::is_same_v<Value, int> ? std::numeric_limits<int>::max() : JsonInput::kMaxCount);
  }
}

void check_amount(const JsonInput& number, const std::string& expected) {
  constexpr double kMostCounted = 1e30;  // sums and products stay finite
  const nlohmann::json& value = number.value();
  const bool is_good =
      value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kMostCounted;
  if (!is_good) number.fail(expected);
}

void check_amounts(JsonInput& object, Keys keys, const std::string& expected) {
  for (const char* key : keys) check_amount(object.at(key), expected);
}

void check_interval(const JsonInput& interval) {
  if (interval.value().is_null()) return;
  if (!interval.value().is_array() || interval.value().size() != 2) {
    interval.fail("null or two times in seconds");
    return;
  }
  for (const JsonInput& bound : interval.elements()) check_amount(bound, kExpectedSeconds);
  const nlohmann::json& bounds = interval.value();
  if (bounds[0].is_number() && bounds[1].is_number() && bounds[0] > bounds[1])
    interval.problem("got its bounds in reverse; expected the lower one first");
}

void check_grade(const JsonInput& grade) {
  const nlohmann::json& value = grade.value();
  if (!value.is_string() || to_string(grade_from(value.get<std::string>())) != value)
    grade.fail("one of measured, published, extrapolated, estimated");
}

void check_device(JsonInput device) {
  check(device, kDeviceTexts);
  check(device, kDeviceSizes);
  check(device, kDeviceCounts);
  check_amounts(device, kPhaseKeys, kExpectedSeconds);
  device.finish();
}

/// Ignores figures that are derived from others.
void pass_over(JsonInput& object, Keys keys) {
  for (const char* key : keys) static_cast<void>(object.maybe(key));
}

void check_cost(JsonInput cost) {
  check_text(cost.at("currency"));
  check_amount(cost.at("per_hour"), kExpectedNumber);
  check_grade(cost.at("grade"));
  pass_over(cost, {"epoch", "epoch_interval", "job"});
  cost.finish();
}

void check_asynchrony(JsonInput asynchrony) {
  check_amounts(asynchrony, {"mean_staleness", "staleness_95"}, kExpectedNumber);
  (void)asynchrony.at("most_staleness").integer(0, JsonInput::kMaxCount);
  for (const JsonInput& share : asynchrony.at("staleness_shares").elements())
    check_amount(share, kExpectedNumber);
  if (const auto load = asynchrony.maybe("server_load")) check_amount(*load, kExpectedNumber);
  for (const JsonInput& samples : asynchrony.at("samples_by_worker").elements())
    (void)samples.integer(0, JsonInput::kMaxCount);
  asynchrony.finish();
}

void check_energy(JsonInput energy) {
  check_amounts(energy, {"idle_w", "epoch_j"}, kExpectedNumber);
  check_grade(energy.at("grade"));
  pass_over(energy, {"epoch_j_interval", "job_j"});
  energy.finish();
}

/// The bounds of a mean that vary as its time does.
Json interval_of(const RunResult& run, double mean) {
  if (!run.epoch_s_interval) return nullptr;
  const double of_second = mean / run.epoch_s;
  return {of_second * run.epoch_s_interval->low_s, of_second * run.epoch_s_interval->high_s};
}

Json cost_json(const RunResult& run) {
  const Price& rate = run.cost->rate;
  return {{"currency", rate.currency},
          {"per_hour", rate.per_hour},
          {"epoch", rate.of(run.epoch_s)},
          {"epoch_interval", interval_of(run, rate.of(run.epoch_s))},
          {"job", rate.of(run.job_s())},
          {"grade", to_string(run.cost->grade)}};
}

Json energy_json(const RunResult& run) {
  return {{"idle_w", run.energy->idle_w},
          {"epoch_j", run.energy->epoch_j},
          {"epoch_j_interval", interval_of(run, run.energy->epoch_j)},
          {"job_j", run.job_j()},
          {"grade", to_string(run.energy->grade)}};
}

void check_timed_rank(JsonInput& rank) {
  (void)rank.at("rank").integer(0, std::numeric_limits<int>::max());
  check_amounts(rank, {"before_s", "after_s"}, kExpectedSeconds);
  rank.finish();
}

void check_timed_exchanges(JsonInput timed) {
  check_text(timed.at("all_reduce"));
  check_amount(timed.at("bytes"), kExpectedBytes);
  for (const char* key : {"before_s", "after_s"}) {
    for (const JsonInput& each : timed.at(key).elements()) check_amount(each, kExpectedSeconds);
  }
  timed.finish();
}

/// Reports what in `run` differs from the output of to_json(RunResult); run_from_json() reads all
/// that passes.
void check_run(JsonInput run) {
  check(run, kRunTexts);
  check(run, kRunSizes);
  check(run, kRunCounts);
  check_amounts(run, {"epoch_s", "startup_s"}, kExpectedSeconds);
  check_amounts(run, kPhaseKeys, kExpectedSeconds);
  check_interval(run.at("epoch_s_interval"));
  for (const auto& [key, place] : kRunBytes) check_amount(run.at(key), kExpectedBytes);
  for (const char* key : {"speed_up", "efficiency"}) {
    if (const auto figure = run.maybe(key)) check_amount(*figure, kExpectedNumber);
  }
  if (const auto knee = run.maybe("knee")) static_cast<void>(knee->boolean());
  check_grade(run.at("input_grade"));
  for (const JsonInput& note : run.at("notes").elements()) {
    if (!note.value().is_string()) note.fail("a text");
  }
  for (const JsonInput& device : run.at("by_device").elements()) check_device(device);
  for (const JsonInput& setting : run.at("config").members()) {
    if (!setting.value().is_string()) setting.fail("a text");
  }
  if (const auto timed = run.maybe("timed_batches")) {
    for (JsonInput& rank : timed->elements()) check_timed_rank(rank);
  }
  if (const auto timed = run.maybe("timed_exchanges")) check_timed_exchanges(*timed);
  if (const auto samples = run.maybe("target_samples")) check_amount(*samples, kExpectedNumber);
  if (const auto seconds = run.maybe("target_s")) check_amount(*seconds, kExpectedNumber);
  if (const auto cost = run.maybe("cost")) check_cost(*cost);
  if (const auto figures = run.maybe("asynchrony")) check_asynchrony(*figures);
  if (const auto energy = run.maybe("energy")) check_energy(*energy);
  pass_over(run, {"is_ranked"});
  run.finish();
}

}  // namespace

double RunResult::device_samples_per_s() const {
  double sharers = 1;
  for (const SettingText& setting : config) {
    if (setting.name == "ranks-per-device") sharers = std::stod(setting.value);
  }
  return samples_per_s() * sharers / std::max(1, trainers());
}

double RunResult::ranked_s() const {
  const bool has_target = std::ranges::any_of(
      config, [](const SettingText& setting) { return setting.name == "target"; });
  if (!has_target) return dataset_s();
  return target_s().value_or(std::numeric_limits<double>::infinity());
}

int RunResult::trainers() const {
  if (by_device.empty()) return workers;
  return std::accumulate(
      by_device.begin(), by_device.end(), 0, [](int sum, const DeviceResult& device) {
        return sum + (device.role == "trains" ? device.workers : 0);
      });
}

Json to_json(const TimedRank& timed) {
  return {{"rank", timed.rank}, {"before_s", timed.before_s}, {"after_s", timed.after_s}};
}

TimedRank timed_rank_from_json(const Json& json) {
  return {.rank = json.at("rank"), .before_s = json.at("before_s"), .after_s = json.at("after_s")};
}

Json to_json(const RunResult& run) {
  Json json;
  put(json, run, kRunTexts);
  put(json, run, kRunSizes);
  put(json, run, kRunCounts);
  json["epoch_s"] = run.epoch_s;
  json["epoch_s_interval"] = interval_json(run.epoch_s_interval);
  json["startup_s"] = run.startup_s;
  put_phases(json, run.phases);
  put(json, run, kRunBytes);
  if (run.scaling) {
    json["speed_up"] = run.scaling->speed_up;
    json["efficiency"] = run.scaling->efficiency;
    json["knee"] = run.scaling->is_knee;
  }
  if (run.asynchrony) {
    Json& figures = json["asynchrony"];
    figures = {{"mean_staleness", run.asynchrony->mean_staleness},
               {"staleness_95", run.asynchrony->staleness_95},
               {"most_staleness", run.asynchrony->most_staleness},
               {"staleness_shares", run.asynchrony->staleness_shares}};
    if (run.asynchrony->server_load) figures["server_load"] = *run.asynchrony->server_load;
    figures["samples_by_worker"] = run.asynchrony->samples_by_worker;
  }
  json["input_grade"] = to_string(run.input_grade);
  json["notes"] = run.notes;
  json["by_device"] = Json::array();
  for (const DeviceResult& device : run.by_device) {
    Json& row = json["by_device"].emplace_back();
    put(row, device, kDeviceTexts);
    put(row, device, kDeviceSizes);
    put(row, device, kDeviceCounts);
    put_phases(row, device.phases);
  }
  json["config"] = Json::object();
  for (const auto& [name, value] : run.config) json["config"][name] = value;
  for (const TimedRank& timed : run.timed_batches) {
    json["timed_batches"].push_back(to_json(timed));
  }
  if (const auto& timed = run.timed_exchanges) {
    json["timed_exchanges"] = {{"all_reduce", timed->all_reduce},
                               {"bytes", timed->bytes},
                               {"before_s", timed->before_s},
                               {"after_s", timed->after_s}};
  }
  if (!is_ranked(run)) json["is_ranked"] = false;
  if (run.target_samples) {
    json["target_samples"] = *run.target_samples;
    json["target_s"] = *run.target_s();
  }
  if (run.cost) json["cost"] = cost_json(run);
  if (run.energy) json["energy"] = energy_json(run);
  return json;
}

Json to_json(const std::vector<RunResult>& runs, const std::string& command, Command world) {
  Json all = Json::array();
  for (const RunResult& run : runs) all.push_back(to_json(run));
  return result_document(kResultSchema,
                         {{"runs", std::move(all)}},
                         {.command = command, .world = std::string(to_string(world))});
}

RunResult run_from_json(const Json& json) {
  RunResult run;
  take(json, run, kRunTexts);
  take(json, run, kRunSizes);
  take(json, run, kRunCounts);
  run.epoch_s = json.at("epoch_s");
  const auto& interval = json.at("epoch_s_interval");
  if (!interval.is_null())
    run.epoch_s_interval = Interval{.low_s = interval.at(0), .high_s = interval.at(1)};
  run.startup_s = json.at("startup_s");
  run.phases = phases_in(json);
  take(json, run, kRunBytes);
  if (json.contains("speed_up"))
    run.scaling = ScalingFigures{.speed_up = json.at("speed_up"),
                                 .efficiency = json.value("efficiency", 1.0),
                                 .is_knee = json.value("knee", false)};
  if (const auto found = json.find("asynchrony"); found != json.end()) {
    run.asynchrony = {
        .mean_staleness = found->at("mean_staleness"),
        .staleness_95 = found->at("staleness_95"),
        .most_staleness = found->at("most_staleness"),
        .staleness_shares = found->at("staleness_shares").get<std::vector<double>>(),
        .samples_by_worker = found->at("samples_by_worker").get<std::vector<std::int64_t>>()};
    if (found->contains("server_load")) run.asynchrony->server_load = found->at("server_load");
  }
  run.input_grade = grade_from(json.at("input_grade").get<std::string>());
  run.notes = json.at("notes").get<std::vector<std::string>>();
  for (const Json& row : json.at("by_device")) {
    DeviceResult& device = run.by_device.emplace_back();
    take(row, device, kDeviceTexts);
    take(row, device, kDeviceSizes);
    take(row, device, kDeviceCounts);
    device.phases = phases_in(row);
  }
  for (const auto& [name, value] : json.at("config").items()) run.config.push_back({name, value});
  if (const auto timed = json.find("timed_batches"); timed != json.end()) {
    for (const auto& rank : *timed) run.timed_batches.push_back(timed_rank_from_json(rank));
  }
  if (const auto timed = json.find("timed_exchanges"); timed != json.end()) {
    run.timed_exchanges = {.all_reduce = timed->at("all_reduce"),
                           .bytes = timed->at("bytes"),
                           .before_s = timed->at("before_s"),
                           .after_s = timed->at("after_s")};
  }
  if (const auto samples = json.find("target_samples"); samples != json.end())
    run.target_samples = samples->get<double>();
  if (const auto cost = json.find("cost"); cost != json.end()) {
    run.cost = {.rate = {.per_hour = cost->at("per_hour"), .currency = cost->at("currency")},
                .grade = grade_from(cost->at("grade").get<std::string>())};
  }
  if (const auto energy = json.find("energy"); energy != json.end()) {
    run.energy = {.idle_w = energy->at("idle_w"),
                  .epoch_j = energy->at("epoch_j"),
                  .grade = grade_from(energy->at("grade").get<std::string>())};
  }
  return run;
}

RunResult read_run(const Json& json, const std::string& path, Problems& problems) {
  const std::size_t before = problems.size();
  const nlohmann::json unordered = json;  // the type that JsonInput reads
  check_run(JsonInput(unordered, path, problems));
  return problems.size() == before ? run_from_json(json) : RunResult();
}

}  // namespace epochcast
