// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/formats/network.hpp"

namespace epochcast {

/// What training minimises. Means are over a sample's values or tokens first, then over samples.
enum class Loss {
  automatic,             ///< what suits the data: see chosen_loss()
  cross_entropy,         ///< of class scores (Goodfellow et al., Deep Learning, section 6.2.2.3)
  mse,                   ///< mean squared error of values
  binary_cross_entropy,  ///< of scores before the sigmoid, each with a target from 0 to 1
  language_model,        ///< cross-entropy of the scores of each token's successor
  model,                 ///< the model returns it: forward(samples, targets)
};
/// Its name on the command line: "cross-entropy".
[[nodiscard]] std::string to_string(Loss loss);

/// The loss that is meant: automatic is cross-entropy of classes, mse of values, language-model of
/// tokens. `name` is the data set's, of `classes` classes. Throws a UserError where a loss does not
/// suit such targets, and says which do.
[[nodiscard]] Loss chosen_loss(Loss loss,
                               const Targets& targets,
                               std::int64_t classes,
                               const std::string& name);

/// How many numbers a network makes of a sample (or of a token): one for each class or value, and
/// for one of two classes by binary cross-entropy one.
[[nodiscard]] std::int64_t outputs_for(Loss chosen, const Targets& targets, std::int64_t classes);

}  // namespace epochcast
