// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/formats/network.hpp"

namespace epochcast {

/// The function that training minimises. Means are over a sample's values or tokens first, then
/// over samples.
enum class Loss {
  automatic,             ///< chosen by the data: see chosen_loss()
  cross_entropy,         ///< of class scores (Goodfellow et al., Deep Learning, section 6.2.2.3)
  mse,                   ///< mean squared error of values
  binary_cross_entropy,  ///< of scores before the sigmoid, each with a target from 0 to 1
  language_model,        ///< cross-entropy of the scores of each token's successor
  model,                 ///< the model returns it: forward(samples, targets)
};
/// Its name on the command line: "cross-entropy".
[[nodiscard]] std::string to_string(Loss loss);

/// Resolves automatic: cross-entropy of classes, mse of values, language-model of tokens. `name` is
/// the data set's, of `classes` classes. Throws a UserError if a loss does not suit such targets,
/// with those that do.
[[nodiscard]] Loss chosen_loss(Loss loss,
                               const Targets& targets,
                               std::int64_t classes,
                               const std::string& name);

/// The number of outputs of a network per sample (or token): one for each class or value, and a
/// single one for two classes with binary cross-entropy.
[[nodiscard]] std::int64_t outputs_for(Loss chosen, const Targets& targets, std::int64_t classes);

}  // namespace epochcast
