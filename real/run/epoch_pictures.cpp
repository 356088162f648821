// SPDX-License-Identifier: Apache-2.0
#include "real/run/epoch_pictures.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "real/data/picture_grid.hpp"

namespace epochcast::real {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostClasses = 10;
constexpr std::int64_t kImagesOfClass = 8;
constexpr std::size_t kLeastDigits = 4;

}  // namespace

EpochPictures::EpochPictures(fs::path folder,
                             TrainingLearner& learner,
                             std::int64_t classes,
                             const std::vector<fs::path>& inputs)
    : folder_(std::move(folder)), learner_(learner) {
  for (std::int64_t label = 0; label < std::min(classes, kMostClasses); ++label)
    labels_.insert(labels_.end(), static_cast<std::size_t>(kImagesOfClass), label);
  if (learner_.generate(labels_).values.empty())
    throw UserError("--images: the network makes no images; expected --network gan");
  check_output_folder(folder_);
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw UserError(folder_.string() + ": cannot be created: " + error.message());
  keep_apart({OutputFile(file_after(1))}, inputs);
}

void EpochPictures::write(std::int64_t epochs) const {
  OutputFile(file_after(epochs)).write(png_grid(learner_.generate(labels_), kImagesOfClass));
}

fs::path EpochPictures::file_after(std::int64_t epochs) const {
  std::string number = std::to_string(epochs);
  number.insert(0, number.size() < kLeastDigits ? kLeastDigits - number.size() : 0, '0');
  return folder_ / ("epoch-" + number + ".png");
}

}  // namespace epochcast::real
