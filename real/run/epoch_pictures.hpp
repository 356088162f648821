// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "real/torch/training_learner.hpp"

namespace epochcast::real {

/// Files `epoch-0001.png`, ... of images that a model makes: eight of each class in a row, of the
/// first ten classes, always from the same noise.
class EpochPictures {
 public:
  /// Makes the folder. `learner` must outlive this. Throws a UserError when the model makes no
  /// images, and where no file can be written or one would replace one of the inputs.
  EpochPictures(std::filesystem::path folder,
                TrainingLearner& learner,
                std::int64_t classes,
                const std::vector<std::filesystem::path>& inputs);

  /// Writes the picture after so many epochs, whole or not at all. Throws a RunError.
  void write(std::int64_t epochs) const;

 private:
  [[nodiscard]] std::filesystem::path file_after(std::int64_t epochs) const;

  std::filesystem::path folder_;
  TrainingLearner& learner_;
  std::vector<std::int64_t> labels_;
};

}  // namespace epochcast::real
