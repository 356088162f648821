// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "analysis/forecast/scaling.hpp"
#include "cli/show/forecast_writer.hpp"

namespace epochcast {

/// Writes forecasts with their speed-ups, which are known after the last one.
class ScalingWriter : public ForecastWriter {
 public:
  ScalingWriter(std::unique_ptr<ForecastWriter> writer, Scaling scaling);

  void add(const ForecastOutcome& outcome) override;
  void finish() override;

 private:
  std::unique_ptr<ForecastWriter> writer_;
  Scaling scaling_;
  std::vector<ForecastOutcome> outcomes_;
};

}  // namespace epochcast
