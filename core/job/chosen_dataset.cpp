// SPDX-License-Identifier: Apache-2.0
#include "core/job/chosen_dataset.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "core/formats/image_list.hpp"
#include "core/job/fitting_datasets.hpp"
#include "core/tensors/own_data.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

/// The layouts of folders that describe themselves, as text.
std::string layouts() { return std::string(kOwnDataLayouts) + "; or " + kImageLayout; }

/// Throws if --data alone has to describe the data set, but does not.
void check_describes_itself(const std::string& data) {
  if (data.empty() || data == "procedural") return;
  std::error_code unknown;
  if (!is_folder(data))
    throw UserError("--data: " + data + ": " +
                    (fs::exists(data, unknown) ? "not a folder" : "no such folder") +
                    "; expected one that holds the data set");
  throw UserError("--dataset: missing; " + data + " holds no data that describe themselves: " +
                  layouts() + "; `epochcast list datasets` lists others");
}

/// Cuts the texts into samples of so many tokens.
void cut(Dataset& dataset, std::int64_t sequence) {
  const auto before = static_cast<double>(dataset.shape[0]);
  const auto after = static_cast<double>(sequence);
  const auto recut = [&](std::int64_t samples) {
    return static_cast<std::int64_t>(static_cast<double>(samples) * before / after);
  };
  dataset.train_samples = std::max<std::int64_t>(recut(dataset.train_samples), 1);
  dataset.test_samples = recut(dataset.test_samples);
  dataset.sample_bytes *= after / before;
  dataset.shape = dataset.targets.shape = {sequence};
}

/// The data set of a folder that describes itself. Throws a UserError.
Dataset dataset_in(const fs::path& folder, const LearningConfig& learning) {
  constexpr std::int64_t kUsualImageSize = 224;
  return is_own_data(folder)
             ? open_own_data(folder, learning.sequence).dataset
             : dataset_of_images(folder, learning.image_size.value_or(kUsualImageSize));
}

/// Throws if --image-size is given for data that are not images.
void check_image_size(const LearningConfig& learning, const Dataset& dataset, bool are_images) {
  if (!learning.image_size || are_images) return;
  throw UserError("--image-size: cuts images of a folder without --dataset to a size; samples of " +
                  dataset.name + " are " + shape_text(dataset.shape));
}

}  // namespace

bool describes_itself(const fs::path& folder) {
  return is_own_data(folder) || has_image_halves(folder);
}

fs::path dataset_place(const JobConfig& config, const Catalog& catalog) {
  const std::string& data = config.learning.data;
  if (config.dataset.empty()) {
    if (is_folder(data) && describes_itself(data)) return data;
    check_describes_itself(data);
    if (const auto only = only_fitting_dataset(config, catalog)) return *only;
  }
  if (is_folder(config.dataset) && !config.dataset.ends_with(".json")) {
    const std::vector<std::string> known = catalog.names("models/datasets");
    if (std::find(known.begin(), known.end(), config.dataset) == known.end()) return config.dataset;
  }
  return catalog.find("models/datasets", config.dataset, "--dataset");
}

Dataset chosen_dataset(const JobConfig& config, const Catalog& catalog) {
  const fs::path place = dataset_place(config, catalog);
  const std::optional<std::int64_t>& sequence = config.learning.sequence;
  const bool is_own = is_folder(place) && place.extension() != ".json";
  if (is_own && !describes_itself(place)) {
    throw UserError("--dataset: " + place.string() + ": a folder without data that describes " +
                    "itself; expected " + layouts());
  }
  Dataset dataset = is_own ? dataset_in(place, config.learning) : load_dataset(place);
  check_image_size(config.learning, dataset, is_own && !is_own_data(place));
  if (!sequence || dataset.shape == std::vector{*sequence}) return dataset;
  if (is_own || !dataset.are_tokens || dataset.targets.kind != TargetKind::tokens) {
    throw UserError("--sequence: cuts rows of tokens into samples; those of " + dataset.name +
                    " are " + shape_text(dataset.shape));
  }
  cut(dataset, *sequence);
  return dataset;
}

std::string dataset_note(const JobConfig& config,
                         const Dataset& dataset,
                         const std::string& network) {
  const std::string& data = config.learning.data;
  // Jobs of programs, such as those of imported profiles, name no files.
  const bool is_of_files = !config.platform.empty() && !config.network.empty();
  if (!is_of_files || !config.dataset.empty() || (is_folder(data) && describes_itself(data)))
    return {};
  return "--dataset is " + dataset.name + ", the only one of the catalogue with samples that " +
         network + " takes";
}

std::string chosen_data(const JobConfig& config) {
  if (!config.learning.data.empty() || !is_folder(config.dataset)) return config.learning.data;
  return describes_itself(config.dataset) ? config.dataset : std::string();
}

std::int64_t tested_samples(const JobConfig& config, const Dataset& dataset) {
  const std::string data = chosen_data(config);
  const bool is_counted = data != "procedural" && !config.dataset.empty() &&
                          config.dataset != data && is_folder(data) && describes_itself(data);
  std::int64_t samples = dataset.test_samples;
  if (is_counted) {
    LearningConfig learning = config.learning;
    if (dataset.are_tokens) learning.sequence = dataset.shape[0];
    samples = dataset_in(data, learning).test_samples;
  }
  return std::min(config.learning.test_samples.value_or(samples), samples);
}

}  // namespace epochcast
