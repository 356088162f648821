// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json_input.hpp"

namespace epochcast {

/// Where a job's learning stands after an epoch. Sums are over all workers and since the job's
/// start; seconds and bytes only of epochs that were run without an interruption in them.
struct CurvePoint {
  std::int64_t epoch = 0;              ///< epochs that are over
  std::optional<double> epoch_s = {};  ///< of the last one; absent where only its end was run
  double training_s = 0;               ///< all epochs, without start-up and tests
  double samples = 0;                  ///< trained on
  double bytes_sent = 0;
  double learning_rate = 0;  ///< of the last epoch
  double train_loss = 0;     ///< mean over the last epoch's samples, as they were trained on
  std::optional<double> train_accuracy = {};  ///< absent where nothing is classified
  double test_loss = 0;
  std::optional<double> test_accuracy = {};
  /// Means over the last epoch's samples, of a GAN's two halves; absent elsewhere.
  std::optional<double> discriminator_loss = {};
  std::optional<double> generator_loss = {};

  bool operator==(const CurvePoint&) const = default;
};

/// One JSON line of a metrics file (docs/formats.md), and back. Reports what cannot be: negative
/// times, accuracies above 1, ...
[[nodiscard]] nlohmann::ordered_json to_json(const CurvePoint& point);
[[nodiscard]] CurvePoint read_curve_point(JsonInput input);

/// "epoch 3/10: 1.52 s, loss 1.2345, accuracy 56.78 %; test loss 1.3000, accuracy 54.00 %"; the
/// losses of a GAN's halves stand before the semicolon.
[[nodiscard]] std::string text_of(const CurvePoint& point, std::int64_t epochs);

/// What a job has learned, epoch by epoch.
using Curve = std::vector<CurvePoint>;

/// A list of points, and back. Reports as well when epochs are missing, or time goes backwards.
[[nodiscard]] nlohmann::ordered_json to_json(const Curve& curve);
[[nodiscard]] Curve read_curve(const JsonInput& input);

/// The means of several curves, epoch by epoch, as far as the shortest one goes. What some of them
/// lack is absent. At least one curve.
[[nodiscard]] Curve mean_of(const std::vector<Curve>& curves);

/// The epoch of the best test accuracy, the first of several. At least one point.
[[nodiscard]] const CurvePoint& best_of(const Curve& curve);
/// Test accuracy after so many seconds of training, interpolated between epochs.
[[nodiscard]] double accuracy_at(const Curve& curve, double seconds);
/// Test accuracy after training on so many samples, likewise.
[[nodiscard]] double accuracy_after(const Curve& curve, double samples);
/// Test loss after so many seconds of training, likewise; before the first epoch's end, what it was
/// then. At least one point.
[[nodiscard]] double loss_at(const Curve& curve, double seconds);
/// Seconds of training until the accuracy was first reached, interpolated between epochs; nothing
/// when it never was.
[[nodiscard]] std::optional<double> seconds_to(const Curve& curve, double accuracy);

}  // namespace epochcast
