// SPDX-License-Identifier: Apache-2.0
#include "real/data/image_folder.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/random.hpp"
#include "real/data/image_crop.hpp"
#include "real/data/image_file.hpp"

namespace epochcast::real {
namespace {

namespace fs = std::filesystem;

struct Channel {
  float mean;
  float deviation;
};

// Of ImageNet's training set, in parts of white, as everybody uses them.
constexpr std::array<Channel, 3> kColours = {
    {{0.485F, 0.229F}, {0.456F, 0.224F}, {0.406F, 0.225F}}};
constexpr Channel kGrey = {0.449F, 0.226F};

/// The images of one half, in one buffer: a million separate strings take several times as much.
class FileList {
 public:
  void start_class() { class_starts_.push_back(starts_.size()); }
  void append(const std::string& name) {
    starts_.push_back(names_.size());
    names_ += name;
  }
  [[nodiscard]] std::size_t size() const { return starts_.size(); }
  [[nodiscard]] std::size_t in_last_class() const { return size() - class_starts_.back(); }
  [[nodiscard]] std::string name(std::size_t index) const {
    const std::size_t end = index + 1 < size() ? starts_[index + 1] : names_.size();
    return names_.substr(starts_[index], end - starts_[index]);
  }
  [[nodiscard]] std::int64_t label(std::size_t index) const {
    const auto next = std::upper_bound(class_starts_.begin(), class_starts_.end(), index);
    return next - class_starts_.begin() - 1;
  }

 private:
  std::string names_;
  std::vector<std::size_t> starts_;        ///< in names_, by image
  std::vector<std::size_t> class_starts_;  ///< in starts_, by class
};

class FolderImages : public DataSource {
 public:
  FolderImages(const Dataset& dataset, fs::path folder, FileList files)
      : shape_(dataset.shape),
        classes_(dataset.classes),
        crop_{.width = dataset.shape[2], .height = dataset.shape[1], .resized = dataset.resize},
        folder_(std::move(folder)),
        files_(std::move(files)) {}

  [[nodiscard]] std::int64_t size() const override {
    return static_cast<std::int64_t>(files_.size());
  }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t classes() const override { return classes_; }
  [[nodiscard]] bool is_slow() const override { return true; }
  [[nodiscard]] std::vector<PixelLevels> pixel_levels() const override {
    const auto levels_of = [](const Channel& channel) {
      return PixelLevels{.black = -channel.mean / channel.deviation,
                         .white = (1 - channel.mean) / channel.deviation};
    };
    if (shape_[0] == 1) return {levels_of(kGrey)};
    return {levels_of(kColours[0]), levels_of(kColours[1]), levels_of(kColours[2])};
  }

  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> variant,
                    std::span<float> sample) const override {
    assert(index >= 0 && index < size());
    assert(std::cmp_equal(sample.size(), shape_[0] * shape_[1] * shape_[2]));
    const auto number = static_cast<std::size_t>(index);
    const ImageFile image(folder_ / files_.name(number));
    Rectangle part;
    bool is_flipped = false;
    if (variant) {
      Random random(mix_seed(*variant, static_cast<std::uint64_t>(index)));
      part = crop_.resized ? draw_place(image.width(), image.height(), crop_, random)
                           : draw_crop(image.width(), image.height(), random);
      is_flipped = random.uniform() < 0.5;
    } else {
      part = centre_crop(image.width(), image.height(), crop_);
    }
    write(image.scaled(part, shape_[2], shape_[1]), is_flipped, sample);
    return files_.label(number);
  }

 private:
  void write(const std::vector<Colour>& pixels, bool is_flipped, std::span<float> sample) const {
    const auto columns = static_cast<std::size_t>(shape_[2]);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const std::size_t row_start = i - i % columns;
      const std::size_t to = is_flipped ? row_start + columns - 1 - i % columns : i;
      const auto& [red, green, blue] = pixels[i];
      if (shape_[0] == 1) {
        const float grey = (red + green + blue) / (3 * 255.0F);
        sample[to] = (grey - kGrey.mean) / kGrey.deviation;
        continue;
      }
      for (std::size_t c = 0; c < kColours.size(); ++c) {
        const float value = pixels[i][c] / 255.0F;
        sample[c * pixels.size() + to] = (value - kColours[c].mean) / kColours[c].deviation;
      }
    }
  }

  std::vector<std::int64_t> shape_;
  std::int64_t classes_;
  CropSize crop_;
  fs::path folder_;
  FileList files_;
};

/// The names of the folders in `folder`, sorted.
std::vector<std::string> class_names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Whether `path` lies somewhere in `folder`, or is it. Both are canonical.
bool is_inside(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

/// Finds the images of one half's classes. Links are followed, but no folder counts twice, and no
/// image of one class counts as one of another: what would is a problem.
class ImageSearch {
 public:
  ImageSearch(const fs::path& half, std::vector<std::string>& problems)
      : half_(half), own_(fs::canonical(half)), problems_(problems) {}

  /// The names of a class's images, from the half's folder on.
  std::vector<std::string> images_of(const std::string& name) {
    images_.clear();
    class_ = fs::canonical(half_ / name);
    look_into(half_ / name);
    return std::move(images_);
  }

 private:
  void look_into(const fs::path& folder) {
    const fs::path target = fs::canonical(folder);
    const auto [known, is_new] = seen_.try_emplace(target, folder);
    if (!is_new) {
      problems_.push_back(folder.string() + ": is the same folder as " + known->second.string() +
                          "; expected every folder once");
      return;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.is_directory()) {
        if (!is_leading_back(entry)) look_into(entry.path());
      } else if (has_image_name(entry.path()) && !is_leading_astray(entry)) {
        images_.push_back(entry.path().lexically_relative(half_).string());
      }
    }
  }

  /// A link to a folder that the class itself lies in.
  bool is_leading_back(const fs::directory_entry& entry) {
    if (!entry.is_symlink() || !is_inside(class_, fs::canonical(entry.path()))) return false;
    problems_.push_back(entry.path().string() +
                        ": links to a folder that it lies in; expected images of its class");
    return true;
  }

  /// No image file, or a link to one that is of another class.
  bool is_leading_astray(const fs::directory_entry& entry) {
    if (!entry.is_symlink()) return !entry.is_regular_file();
    if (!entry.exists()) {
      problems_.push_back(entry.path().string() + ": links to a file that is not there");
      return true;
    }
    const fs::path target = fs::canonical(entry.path());
    if (!is_inside(target, own_) || is_inside(target, class_)) return !entry.is_regular_file();
    problems_.push_back(entry.path().string() + ": links to " + target.string() +
                        "; expected an image of its class");
    return true;
  }

  fs::path half_;
  fs::path own_;    ///< the half's folder, without links
  fs::path class_;  ///< that of the class, without links
  std::vector<std::string>& problems_;
  std::map<fs::path, fs::path> seen_;  ///< folders without links, and as they were found
  std::vector<std::string> images_;
};

/// The images of the classes in order, each class's sorted by name.
FileList list_images(const fs::path& folder, const std::vector<std::string>& classes) {
  FileList files;
  std::vector<std::string> problems;
  ImageSearch search(folder, problems);
  for (const std::string& name : classes) {
    const std::size_t known_problems = problems.size();
    std::vector<std::string> images = search.images_of(name);
    std::sort(images.begin(), images.end());
    files.start_class();
    for (const std::string& image : images) files.append(image);
    if (images.empty() && problems.size() == known_problems) {
      problems.push_back((folder / name).string() + ": got no images; expected files ending in " +
                         std::string(kImageNames));
    }
  }
  if (!problems.empty()) throw UserError(std::move(problems));
  return files;
}

/// The names that only one of the halves has, as problems.
std::vector<std::string> differences(const fs::path& train,
                                     const std::vector<std::string>& train_classes,
                                     const fs::path& test,
                                     const std::vector<std::string>& test_classes) {
  std::vector<std::string> problems;
  const auto check = [&](const fs::path& has,
                         const std::vector<std::string>& present,
                         const fs::path& lacks,
                         const std::vector<std::string>& others) {
    for (const std::string& name : present) {
      if (std::binary_search(others.begin(), others.end(), name)) continue;
      problems.push_back((lacks / name).string() + ": no such folder; expected one as in " +
                         has.string());
    }
  };
  check(train, train_classes, test, test_classes);
  check(test, test_classes, train, train_classes);
  return problems;
}

DataSplit open_halves(const Dataset& dataset, const fs::path& folder) {
  const fs::path train = folder / "train";
  const fs::path test = folder / (fs::is_directory(folder / "val") ? "val" : "test");
  if (!fs::is_directory(test)) {
    throw UserError(folder.string() +
                    ": got train, but neither val nor test; expected one of them");
  }
  const std::vector<std::string> classes = class_names(train);
  if (std::cmp_not_equal(classes.size(), dataset.classes)) {
    throw UserError(train.string() + ": got " + std::to_string(classes.size()) +
                    " folders; expected " + std::to_string(dataset.classes) +
                    ", one for each class of " + dataset.name);
  }
  std::vector<std::string> problems = differences(train, classes, test, class_names(test));
  if (!problems.empty()) {
    constexpr std::size_t kShown = 10;
    if (problems.size() > kShown) {
      const std::size_t more = problems.size() - kShown;
      problems.resize(kShown);
      problems.push_back(folder.string() + ": and " + std::to_string(more) +
                         " more folders that only one of train and " + test.filename().string() +
                         " has");
    }
    throw UserError(std::move(problems));
  }
  FileList train_images = list_images(train, classes);
  FileList test_images = list_images(test, classes);
  return {.train = std::make_unique<FolderImages>(dataset, train, std::move(train_images)),
          .test = std::make_unique<FolderImages>(dataset, test, std::move(test_images)),
          .title = dataset.title + " in " + folder.string()};
}

}  // namespace

DataSplit open_image_folder(const Dataset& dataset, const fs::path& folder) {
  if (dataset.shape.size() != 3 || (dataset.shape[0] != 1 && dataset.shape[0] != 3)) {
    throw UserError(folder.string() + ": got a folder of images; " + dataset.name +
                    " has samples of " + shape_text(dataset.shape));
  }
  try {
    return open_halves(dataset, folder);
  } catch (const fs::filesystem_error& error) {
    throw UserError(error.path1().string() + ": cannot be read: " + error.code().message());
  }
}

}  // namespace epochcast::real
