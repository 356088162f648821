// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/job/job_config.hpp"
#include "core/job/setting_value.hpp"

namespace epochcast {

/// A setting that belongs to strategies or to compressions, beside those of every job: a flag, a
/// key of experiment files, an axis of sweeps. Its value is a text in JobConfig::of_strategies,
/// which only they parse.
class StrategySetting {
 public:
  std::string_view name;
  std::string_view value_name;  ///< for the help text, with the unit
  std::string_view help;
  /// The value if a job sets none; empty: the strategy decides when it runs.
  std::string_view fallback;
  /// A value for tests, other than the fallback, in canonical form.
  std::string_view example;

  /// The value in canonical form. Throws a UserError that begins with the text.
  [[nodiscard]] virtual std::string checked(const std::string& text) const = 0;

  /// The job's value as text.
  [[nodiscard]] std::string text_of(const JobConfig& config) const {
    const auto given = config.of_strategies.find(name);
    return given == config.of_strategies.end() ? std::string(fallback) : given->second;
  }

 protected:
  constexpr StrategySetting(std::string_view its_name,
                            std::string_view its_value_name,
                            std::string_view its_help,
                            std::string_view its_fallback,
                            std::string_view its_example)
      : name(its_name),
        value_name(its_value_name),
        help(its_help),
        fallback(its_fallback),
        example(its_example) {}
  ~StrategySetting() = default;
};

/// One whose values are of a kind: core/job/setting_value.hpp, or a struct with the same functions.
template <typename Kind>
class StrategySettingOf final : public StrategySetting {
 public:
  using Value = decltype(std::declval<const Kind&>().read(std::string()));

  constexpr StrategySettingOf(std::string_view its_name,
                              std::string_view its_value_name,
                              std::string_view its_help,
                              std::string_view its_fallback,
                              std::string_view its_example,
                              Kind kind)
      : StrategySetting(its_name, its_value_name, its_help, its_fallback, its_example),
        kind_(kind) {}

  [[nodiscard]] std::string checked(const std::string& text) const override {
    return kind_.show(kind_.read(text));
  }
  /// The job's value. Not for one that has neither value nor fallback.
  [[nodiscard]] Value of(const JobConfig& config) const { return kind_.read(text_of(config)); }
  /// Whether the job has a value, its own or the fallback.
  [[nodiscard]] bool is_set(const JobConfig& config) const { return !text_of(config).empty(); }

 private:
  Kind kind_;
};

}  // namespace epochcast
