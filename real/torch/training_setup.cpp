// SPDX-License-Identifier: Apache-2.0
#include "real/torch/training_setup.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "real/data/limited_source.hpp"
#include "real/torch/networks/network_names.hpp"

namespace epochcast::real {
namespace {

void require_known(const std::string& what,
                   const std::string& name,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UserError("--" + what + ": " + unknown_name(what, name, known));
}

/// Leaves the first `count` samples, where that is given.
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

Dataset training_dataset(const JobConfig& config, const Catalog& catalog) {
  if (config.dataset.empty())
    throw UserError("--dataset: missing; `epochcast list datasets` shows what there is");
  if (config.network.empty())
    throw UserError("--network: missing; `epochcast list networks` shows what there is");
  require_known("network", config.network, network_names());
  require_known("optimizer", config.learning.optimizer.name, optimizer_names());
  check_hyperparameters(config.learning.optimizer);
  return load_dataset(catalog.find("models/datasets", config.dataset, "--dataset"));
}

DataSplit training_data(const JobConfig& config, const Dataset& dataset) {
  if (config.learning.data.empty()) {
    throw UserError("--data: missing; expected the folder that holds " + dataset.name +
                    ", or \"procedural\" for computed samples of its shape");
  }
  DataSplit split = config.learning.data == "procedural" ? procedural_data(dataset, config.seed)
                                                         : open_data(dataset, config.learning.data);
  limit(split.train, config.learning.train_samples, "--train-samples");
  limit(split.test, config.learning.test_samples, "--test-samples");
  return split;
}

LearnerSettings learner_settings(const JobConfig& config) {
  LearnerSettings settings = {
      .network = config.network,
      .pretrained = config.learning.pretrained,
      .optimizer = config.learning.optimizer,
      .learning_rate = config.learning.rate,
      .augment = config.learning.augment,
      .first_bucket_bytes = config.first_bucket_bytes,
      .bucket_bytes = config.bucket_bytes,
      .seed = config.seed,
  };
  settings.learning_rate.epochs = config.epochs;
  return settings;
}

}  // namespace epochcast::real
