// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/curve_point.hpp"
#include "core/formats/learning_metric.hpp"
#include "core/job/setting.hpp"
#include "core/source.hpp"

namespace epochcast {

/// One test of a model; at least one of its results is known.
struct MeasuredTest {
  double samples = 0;  ///< that all workers together had trained on
  std::optional<double> loss = {};
  std::optional<double> accuracy = {};  ///< 0 to 1
  std::optional<double> perplexity = {};

  bool operator==(const MeasuredTest&) const = default;
};

/// Learning of a job elsewhere: a file `epochcast.curves/1` (docs/formats.md).
struct MeasuredCurves {
  std::string network;
  std::string dataset;
  std::string strategy = "sync";
  std::vector<SettingText> settings = {};  ///< of the strategy, such as local-steps
  std::int64_t batch = 0;                  ///< per worker
  std::int64_t workers = 0;                ///< that train
  Source source = {};
  std::vector<std::vector<MeasuredTest>> runs = {};  ///< one for each seed; none empty

  bool operator==(const MeasuredCurves&) const = default;
};

[[nodiscard]] nlohmann::ordered_json to_json(const MeasuredCurves& curves);
/// Throws a UserError with every problem of the file.
[[nodiscard]] MeasuredCurves load_measured_curves(const std::filesystem::path& file);

/// A job, as far as curves tell jobs apart.
struct CurveJob {
  std::string network;
  std::string dataset;
  std::string strategy;
  std::vector<SettingText> settings;  ///< all of the job's
  std::int64_t batch = 0;
  std::int64_t workers = 0;
};
/// The curves of such a job; null: it was not observed.
[[nodiscard]] const MeasuredCurves* curves_of(const CurveJob& job,
                                              const std::vector<MeasuredCurves>& all);
/// Samples until the target, mean over the runs; none if one of them did not reach it.
[[nodiscard]] std::optional<double> samples_to(const MeasuredCurves& curves,
                                               const LearningTarget& target);

/// The curve of a run on a cluster where a sample takes so many seconds. Tests count as epochs;
/// test losses that are unknown are NaN.
[[nodiscard]] Curve timed_curve(const std::vector<MeasuredTest>& tests, double seconds_per_sample);

}  // namespace epochcast
