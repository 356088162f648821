// SPDX-License-Identifier: Apache-2.0
#include "real/torch/training_setup.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "core/job/chosen_dataset.hpp"
#include "real/torch/networks/network_names.hpp"

namespace epochcast::real {
namespace {

void require_known(const std::string& what,
                   const std::string& name,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UserError("--" + what + ": " + unknown_name(what, name, known));
}

}  // namespace

Dataset training_dataset(const JobConfig& config, const Catalog& catalog) {
  if (config.dataset.empty()) static_cast<void>(dataset_place(config, catalog));
  if (config.network.empty())
    throw UserError("--network: missing; `epochcast list networks` lists them");
  const std::vector<std::string> known = network_names();
  const bool is_file = is_model_file(config.network) || config.network.ends_with(".json");
  if (!is_file && std::find(known.begin(), known.end(), config.network) == known.end())
    throw UserError("--network: " + unknown_network(config.network, known));
  require_known("optimizer", config.learning.optimizer.name, optimizer_names());
  check_hyperparameters(config.learning.optimizer);
  return chosen_dataset(config, catalog);
}

LearnerSettings learner_settings(const JobConfig& config, Precision precision) {
  LearnerSettings settings = {
      .network = config.network,
      .pretrained = config.learning.pretrained,
      .loss = config.learning.loss,
      .optimizer = config.learning.optimizer,
      .learning_rate = config.learning.rate,
      .clip_norm = config.learning.clip_norm,
      .accumulate = config.accumulate,
      .augment = config.learning.augment,
      .precision = precision,
      .first_bucket_bytes = config.first_bucket_bytes,
      .bucket_bytes = config.bucket_bytes,
      .seed = config.seed,
  };
  if (precision == Precision::float16) settings.loss_scaler = LossScaler();
  settings.learning_rate.epochs = config.epochs;
  return settings;
}

}  // namespace epochcast::real
