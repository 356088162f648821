// SPDX-License-Identifier: Apache-2.0
#include "cli/show/scaling_writer.hpp"

#include <utility>

namespace epochcast {

ScalingWriter::ScalingWriter(std::unique_ptr<ForecastWriter> writer, Scaling scaling)
    : writer_(std::move(writer)), scaling_(scaling) {}

void ScalingWriter::add(const ForecastOutcome& outcome) { outcomes_.push_back(outcome); }

void ScalingWriter::finish() {
  add_speed_ups(outcomes_, scaling_);
  for (const ForecastOutcome& outcome : outcomes_) writer_->add(outcome);
  writer_->finish();
}

}  // namespace epochcast
