// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/check_run.hpp"

#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/plain_text.hpp"

namespace epochcast {
namespace {

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
  constexpr double kMost = 1e30;  // sums and products stay finite
  const nlohmann::json& value = number.value();
  const bool is_good =
      value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kMost;
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
  if (value != "measured" && value != "published" && value != "estimated") {
    grade.fail("one of measured, published, estimated");
  }
}

void check_device(JsonInput device) {
  check_texts(device, {"class", "model", "role"});
  check_counts(device, {"workers"}, std::numeric_limits<int>::max());
  check_counts(device, {"batch", "local_steps"}, JsonInput::kMaxCount);
  check_seconds(device, {"compute_s", "exposed_communication_s", "blocked_s"});
  device.finish();
}

}  // namespace

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
  check_grade(run.at("input_grade"));
  for (const JsonInput& note : run.at("notes").elements()) {
    if (!note.value().is_string()) note.fail("a text");
  }
  for (const JsonInput& device : run.at("by_device").elements()) check_device(device);
  for (const JsonInput& setting : run.at("config").members()) {
    if (!setting.value().is_string()) setting.fail("a text");
  }
  run.finish();
}

}  // namespace epochcast
