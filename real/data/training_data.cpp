// SPDX-License-Identifier: Apache-2.0
#include "real/data/training_data.hpp"

#include "base/error.hpp"
#include "core/job/chosen_dataset.hpp"
#include "real/data/limited_source.hpp"

namespace epochcast::real {
namespace {

/// Keeps the first `count` samples, if given.
void limit(std::unique_ptr<DataSource>& source,
           const std::optional<std::int64_t>& count,
           const char* setting) {
  if (!count) return;
  if (*count > source->size()) {
    throw UserError(std::string(setting) + ": got " + std::to_string(*count) + "; the data has " +
                    std::to_string(source->size()));
  }
  source = std::make_unique<LimitedSource>(std::move(source), *count);
}

}  // namespace

DataSplit training_data(const JobConfig& config, const Dataset& dataset) {
  const std::string data = chosen_data(config);
  if (data.empty()) {
    throw UserError("--data: missing; expected the folder that holds " + dataset.name +
                    ", or \"procedural\" for computed samples of its shape");
  }
  DataSplit split =
      data == "procedural" ? procedural_data(dataset, config.seed) : open_data(dataset, data);
  limit(split.train, config.learning.train_samples, "--train-samples");
  limit(split.test, config.learning.test_samples, "--test-samples");
  return split;
}

}  // namespace epochcast::real
