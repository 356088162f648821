// SPDX-License-Identifier: Apache-2.0
#include "core/formats/result.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "base/text/plain_text.hpp"
#include "core/formats/ranked_run.hpp"

namespace epochcast {
namespace {

void put_phases(nlohmann::ordered_json& json, const PhaseTimes& phases) {
  json["compute_s"] = phases.compute_s;
  json["exposed_communication_s"] = phases.exposed_communication_s;
  json["blocked_s"] = phases.blocked_s;
}

PhaseTimes take_phases(const nlohmann::ordered_json& json) {
  return {.compute_s = json.at("compute_s"),
          .exposed_communication_s = json.at("exposed_communication_s"),
          .blocked_s = json.at("blocked_s")};
}

using Keys = std::initializer_list<const char*>;

void check_texts(JsonInput& object, Keys keys) {
  for (const char* key : keys) {
    const JsonInput text = object.at(key);
    if (!text.value().is_string() || !is_plain_text(text.value().get_ref<const std::string&>()))
      text.fail(std::string("a text in ") + kExpectedPlainText);
  }
}

void check_counts(JsonInput& object, Keys keys, std::int64_t most) {
  for (const char* key : keys) (void)object.at(key).integer(0, most);
}

void check_amount(const JsonInput& number, const std::string& expected) {
  constexpr double kMostCounted = 1e30;  // sums and products stay finite
  const nlohmann::json& value = number.value();
  const bool is_good =
      value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kMostCounted;
  if (!is_good) number.fail(expected);
}

void check_seconds(JsonInput& object, Keys keys) {
  for (const char* key : keys) check_amount(object.at(key), "seconds, not negative");
}

void check_interval(const JsonInput& interval) {
  if (interval.value().is_null()) return;
  if (!interval.value().is_array() || interval.value().size() != 2) {
    interval.fail("null or two times in seconds");
    return;
  }
  for (const JsonInput& bound : interval.elements()) check_amount(bound, "seconds, not negative");
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
  check_texts(device, {"class", "model", "role"});
  check_counts(device, {"workers"}, std::numeric_limits<int>::max());
  check_counts(device, {"batch", "local_steps"}, JsonInput::kMaxCount);
  check_seconds(device, {"compute_s", "exposed_communication_s", "blocked_s"});
  device.finish();
}

void check_number(JsonInput& object, const char* key) {
  check_amount(object.at(key), "a number, not negative");
}

/// Ignores figures that are derived from others.
void pass_over(JsonInput& object, Keys keys) {
  for (const char* key : keys) static_cast<void>(object.maybe(key));
}

void check_cost(JsonInput cost) {
  check_texts(cost, {"currency"});
  check_number(cost, "per_hour");
  check_grade(cost.at("grade"));
  pass_over(cost, {"epoch", "epoch_interval", "job"});
  cost.finish();
}

void check_energy(JsonInput energy) {
  check_number(energy, "idle_w");
  check_number(energy, "epoch_j");
  check_grade(energy.at("grade"));
  pass_over(energy, {"epoch_j_interval", "job_j"});
  energy.finish();
}

/// The bounds of a mean that vary as its time does.
nlohmann::ordered_json interval_of(const RunResult& run, double mean) {
  if (!run.epoch_s_interval) return nullptr;
  const double of_second = mean / run.epoch_s;
  return {of_second * run.epoch_s_interval->low_s, of_second * run.epoch_s_interval->high_s};
}

nlohmann::ordered_json cost_json(const RunResult& run) {
  const Price& rate = run.cost->rate;
  return {{"currency", rate.currency},
          {"per_hour", rate.per_hour},
          {"epoch", rate.of(run.epoch_s)},
          {"epoch_interval", interval_of(run, rate.of(run.epoch_s))},
          {"job", rate.of(run.job_s())},
          {"grade", to_string(run.cost->grade)}};
}

nlohmann::ordered_json energy_json(const RunResult& run) {
  return {{"idle_w", run.energy->idle_w},
          {"epoch_j", run.energy->epoch_j},
          {"epoch_j_interval", interval_of(run, run.energy->epoch_j)},
          {"job_j", run.job_j()},
          {"grade", to_string(run.energy->grade)}};
}

void check_timed_rank(JsonInput& rank) {
  check_counts(rank, {"rank"}, std::numeric_limits<int>::max());
  check_seconds(rank, {"before_s", "after_s"});
  rank.finish();
}

void check_timed_exchanges(JsonInput timed) {
  check_texts(timed, {"all_reduce"});
  check_amount(timed.at("bytes"), "bytes, not negative");
  for (const char* key : {"before_s", "after_s"}) {
    for (const JsonInput& each : timed.at(key).elements())
      check_amount(each, "seconds, not negative");
  }
  timed.finish();
}

/// Reports what in `run` differs from the output of to_json(RunResult); run_from_json() reads all
/// that passes.
void check_run(JsonInput run) {
  check_texts(run, {"strategy", "platform", "network", "dataset"});
  check_counts(run, {"nodes", "workers"}, std::numeric_limits<int>::max());
  check_counts(run,
               {"batch",
                "epochs",
                "iterations_per_epoch",
                "rounds_per_epoch",
                "samples_per_epoch",
                "train_samples"},
               JsonInput::kMaxCount);
  check_seconds(run, {"epoch_s", "startup_s", "compute_s", "exposed_communication_s", "blocked_s"});
  check_interval(run.at("epoch_s_interval"));
  for (const char* key : {"intra_node_bytes", "inter_node_bytes"}) {
    check_amount(run.at(key), "bytes, not negative");
  }
  for (const char* key : {"speed_up", "efficiency"}) {
    if (const auto figure = run.maybe(key)) check_amount(*figure, "a number, not negative");
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
  if (const auto cost = run.maybe("cost")) check_cost(*cost);
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

int RunResult::trainers() const {
  if (by_device.empty()) return workers;
  return std::accumulate(
      by_device.begin(), by_device.end(), 0, [](int sum, const DeviceResult& device) {
        return sum + (device.role == "trains" ? device.workers : 0);
      });
}

nlohmann::ordered_json to_json(const TimedRank& timed) {
  return {{"rank", timed.rank}, {"before_s", timed.before_s}, {"after_s", timed.after_s}};
}

TimedRank timed_rank_from_json(const nlohmann::ordered_json& json) {
  return {.rank = json.at("rank"), .before_s = json.at("before_s"), .after_s = json.at("after_s")};
}

nlohmann::ordered_json to_json(const RunResult& run) {
  nlohmann::ordered_json json = {{"strategy", run.strategy},
                                 {"platform", run.platform},
                                 {"network", run.network},
                                 {"dataset", run.dataset},
                                 {"nodes", run.nodes},
                                 {"workers", run.workers},
                                 {"batch", run.batch},
                                 {"epochs", run.epochs},
                                 {"iterations_per_epoch", run.iterations_per_epoch},
                                 {"rounds_per_epoch", run.rounds_per_epoch},
                                 {"samples_per_epoch", run.samples_per_epoch},
                                 {"train_samples", run.train_samples},
                                 {"epoch_s", run.epoch_s},
                                 {"epoch_s_interval", nullptr},
                                 {"startup_s", run.startup_s}};
  if (run.epoch_s_interval) {
    json["epoch_s_interval"] = {run.epoch_s_interval->low_s, run.epoch_s_interval->high_s};
  }
  put_phases(json, run.phases);
  json["intra_node_bytes"] = run.intra_node_bytes;
  json["inter_node_bytes"] = run.inter_node_bytes;
  if (run.scaling) {
    json["speed_up"] = run.scaling->speed_up;
    json["efficiency"] = run.scaling->efficiency;
    json["knee"] = run.scaling->is_knee;
  }
  json["input_grade"] = to_string(run.input_grade);
  json["notes"] = run.notes;
  json["by_device"] = nlohmann::ordered_json::array();
  for (const DeviceResult& device : run.by_device) {
    nlohmann::ordered_json row = {{"class", device.device_class},
                                  {"model", device.model},
                                  {"role", device.role},
                                  {"workers", device.workers},
                                  {"batch", device.batch},
                                  {"local_steps", device.local_steps}};
    put_phases(row, device.phases);
    json["by_device"].push_back(std::move(row));
  }
  json["config"] = nlohmann::ordered_json::object();
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
  if (run.cost) json["cost"] = cost_json(run);
  if (run.energy) json["energy"] = energy_json(run);
  return json;
}

nlohmann::ordered_json to_json(const std::vector<RunResult>& runs,
                               const std::string& command,
                               Command world) {
  nlohmann::ordered_json json = {{"schema", "epochcast.result/1"},
                                 {"runs", nlohmann::ordered_json::array()}};
  for (const RunResult& run : runs) json["runs"].push_back(to_json(run));
  json["provenance"] = {{"program", "epochcast " EPOCHCAST_VERSION},
                        {"command", command},
                        {"world", to_string(world)}};
  return json;
}

RunResult run_from_json(const nlohmann::ordered_json& json) {
  RunResult run;
  run.strategy = json.at("strategy");
  run.platform = json.at("platform");
  run.network = json.at("network");
  run.dataset = json.at("dataset");
  run.nodes = json.at("nodes");
  run.workers = json.at("workers");
  run.batch = json.at("batch");
  run.epochs = json.at("epochs");
  run.iterations_per_epoch = json.at("iterations_per_epoch");
  run.rounds_per_epoch = json.at("rounds_per_epoch");
  run.samples_per_epoch = json.at("samples_per_epoch");
  run.train_samples = json.at("train_samples");
  run.epoch_s = json.at("epoch_s");
  const auto& interval = json.at("epoch_s_interval");
  if (!interval.is_null())
    run.epoch_s_interval = Interval{.low_s = interval.at(0), .high_s = interval.at(1)};
  run.startup_s = json.at("startup_s");
  run.phases = take_phases(json);
  run.intra_node_bytes = json.at("intra_node_bytes");
  run.inter_node_bytes = json.at("inter_node_bytes");
  if (json.contains("speed_up"))
    run.scaling = ScalingFigures{.speed_up = json.at("speed_up"),
                                 .efficiency = json.value("efficiency", 1.0),
                                 .is_knee = json.value("knee", false)};
  run.input_grade = grade_from(json.at("input_grade").get<std::string>());
  run.notes = json.at("notes").get<std::vector<std::string>>();
  for (const auto& row : json.at("by_device")) {
    run.by_device.push_back({.device_class = row.at("class"),
                             .model = row.at("model"),
                             .role = row.at("role"),
                             .workers = row.at("workers"),
                             .batch = row.at("batch"),
                             .local_steps = row.at("local_steps"),
                             .phases = take_phases(row)});
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

RunResult read_run(const nlohmann::ordered_json& json,
                   const std::string& path,
                   Problems& problems) {
  const std::size_t before = problems.size();
  const nlohmann::json unordered = json;  // the type that JsonInput reads
  check_run(JsonInput(unordered, path, problems));
  return problems.size() == before ? run_from_json(json) : RunResult();
}

}  // namespace epochcast
