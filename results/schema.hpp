// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/json/json_input.hpp"
#include "core/fabric.hpp"

// Common parts of the JSON of all results (docs/formats.md): schemas, provenance, phases,
// intervals.

namespace epochcast {

inline constexpr const char* kResultSchema = "epochcast.result/1";
inline constexpr const char* kRehearsalSchema = "epochcast.rehearsal/1";
inline constexpr const char* kRehearsalsSchema = "epochcast.rehearsals/1";
inline constexpr const char* kChoiceSchema = "epochcast.choice/1";
inline constexpr const char* kTuningSchema = "epochcast.tuning/1";
inline constexpr const char* kComparisonSchema = "epochcast.comparison/1";
inline constexpr const char* kFoundSchema = "epochcast.found/1";
inline constexpr const char* kValidationSchema = "epochcast.validation/1";

/// "epochcast 0.1.0"
[[nodiscard]] std::string program_version();

/// Where a result comes from.
struct Provenance {
  std::string command;     ///< the command line
  std::string world = {};  ///< of runs: the command that ran them; empty elsewhere
  std::string date = {};   ///< of validations: "2026-11-21"; may be empty
};

/// The document of a result: the schema, the members of `content`, the provenance.
[[nodiscard]] nlohmann::ordered_json result_document(const char* schema,
                                                     nlohmann::ordered_json content,
                                                     const Provenance& provenance);
/// Reads the provenance of a document; that of runs has a world.
[[nodiscard]] Provenance read_provenance(JsonInput input, bool has_world);

/// Adds the three phases as members: "compute_s", ...; with another `unit`, "compute" + unit.
void put_phases(nlohmann::ordered_json& json, const PhaseTimes& phases, const char* unit = "_s");
/// Reads what put_phases() adds, unchecked.
[[nodiscard]] PhaseTimes phases_in(const nlohmann::ordered_json& json);

/// 5 % and 95 % quantiles.
struct Interval {
  double low_s = 0;
  double high_s = 0;

  bool operator==(const Interval&) const = default;
};
/// [low, high]; null without an interval.
[[nodiscard]] nlohmann::ordered_json interval_json(const std::optional<Interval>& interval);

}  // namespace epochcast
