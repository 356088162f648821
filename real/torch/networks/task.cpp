// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/task.hpp"

#include "real/data/data_source.hpp"

namespace epochcast::real {

Task classification(std::span<const std::int64_t> shape, std::int64_t classes) {
  return {
      .shape = {shape.begin(), shape.end()}, .classes = classes, .are_tokens = shape.size() == 1};
}

Task task_of(const Dataset& dataset, Loss loss) {
  return {.shape = dataset.shape,
          .classes = dataset.classes,
          .are_tokens = dataset.are_tokens,
          .targets = dataset.targets,
          .loss = loss};
}

Task task_of(const DataSource& data, Loss loss) {
  return {.shape = data.shape(),
          .classes = data.classes(),
          .are_tokens = data.are_tokens(),
          .targets = data.targets(),
          .loss = loss};
}

}  // namespace epochcast::real
