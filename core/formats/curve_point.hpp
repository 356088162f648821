// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_input.hpp"

namespace epochcast {

/// Learning results of a job after an epoch. Sums are over all workers and since the job's start;
/// seconds and bytes only of epochs that were run without an interruption in them.
struct CurvePoint {
  std::int64_t epoch = 0;              ///< epochs that are over
  std::optional<double> epoch_s = {};  ///< of the last one; absent if only its end was run
  double training_s = 0;               ///< all epochs, without start-up and tests
  double samples = 0;                  ///< of the gradients that updates took
  double bytes_sent = 0;
  double learning_rate = 0;  ///< of the last epoch
  double train_loss = 0;     ///< mean over the last epoch's samples, as they were trained on
  std::optional<double> train_accuracy = {};  ///< absent if nothing is classified
  double test_loss = 0;
  std::optional<double> test_accuracy = {};
  std::optional<double> test_perplexity = {};  ///< of language models; absent elsewhere
  /// Means over the last epoch's samples, of a GAN's two halves; absent elsewhere.
  std::optional<double> discriminator_loss = {};
  std::optional<double> generator_loss = {};

  bool operator==(const CurvePoint&) const = default;
};

/// One JSON line of a metrics file (docs/formats.md), and back. Reports impossible values: negative
/// times, accuracies above 1, ...
[[nodiscard]] nlohmann::ordered_json to_json(const CurvePoint& point);
[[nodiscard]] CurvePoint read_curve_point(JsonInput input);

/// "epoch 3/10: 1.52 s, loss 1.2345, accuracy 56.78 %; test loss 1.3000, accuracy 54.00 %"; the
/// losses of a GAN's halves stand before the semicolon.
[[nodiscard]] std::string text_of(const CurvePoint& point, std::int64_t epochs);

/// The learning curve of a job, epoch by epoch.
using Curve = std::vector<CurvePoint>;

/// A list of points, and back. Also reports missing epochs and times that decrease.
[[nodiscard]] nlohmann::ordered_json to_json(const Curve& curve);
[[nodiscard]] Curve read_curve(const JsonInput& input);

/// The means of several curves, epoch by epoch, as far as the shortest one goes. Figures that some
/// of them lack are absent. At least one curve.
[[nodiscard]] Curve mean_of(const std::vector<Curve>& curves);

}  // namespace epochcast
