// SPDX-License-Identifier: Apache-2.0
#include "core/formats/image_list.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "core/tensors/own_samples.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

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

/// Finds the images of one half's classes. Links are followed, but a folder found twice, or an
/// image in two classes, is a problem.
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
        if (!is_cyclic_link(entry)) look_into(entry.path());
      } else if (has_image_name(entry.path()) && !is_foreign_entry(entry)) {
        images_.push_back(entry.path().lexically_relative(half_).string());
      }
    }
  }

  /// A link to a folder that the class itself lies in.
  bool is_cyclic_link(const fs::directory_entry& entry) {
    if (!entry.is_symlink() || !is_inside(class_, fs::canonical(entry.path()))) return false;
    problems_.push_back(entry.path().string() +
                        ": links to a folder that it lies in; expected images of its class");
    return true;
  }

  /// No regular file, or a link to an image of another class.
  bool is_foreign_entry(const fs::directory_entry& entry) {
    if (!entry.exists()) {
      problems_.push_back(entry.path().string() + ": links to a file that is not there");
      return true;
    }
    if (!entry.is_regular_file()) {
      problems_.push_back(entry.path().string() + ": is not a regular file; expected an image");
      return true;
    }
    if (!entry.is_symlink()) return false;
    const fs::path target = fs::canonical(entry.path());
    if (!is_inside(target, own_) || is_inside(target, class_)) return false;
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

}  // namespace

bool has_image_name(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  for (const char* known : {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif"}) {
    if (ending == known) return true;
  }
  return false;
}

bool has_image_halves(const fs::path& folder) {
  std::error_code unknown;
  const bool has_halves =
      fs::is_directory(folder / "train", unknown) &&
      (fs::is_directory(folder / "val", unknown) || fs::is_directory(folder / "test", unknown));
  if (!has_halves) return false;
  const fs::directory_iterator entries(folder / "train", unknown);
  return std::any_of(begin(entries), end(entries), [&](const fs::directory_entry& entry) {
    return entry.is_directory(unknown);
  });
}

ImageHalves find_image_halves(const fs::path& folder) {
  ImageHalves halves = {.train = folder / "train",
                        .test = folder / (fs::is_directory(folder / "val") ? "val" : "test"),
                        .classes = {}};
  if (!fs::is_directory(halves.test)) {
    throw UserError(folder.string() +
                    ": got train, but neither val nor test; expected one of them");
  }
  halves.classes = class_names(halves.train);
  return halves;
}

void check_same_classes(const ImageHalves& halves) {
  std::vector<std::string> problems =
      differences(halves.train, halves.classes, halves.test, class_names(halves.test));
  if (problems.empty()) return;
  constexpr std::size_t kShown = 10;
  if (problems.size() > kShown) {
    const std::size_t more = problems.size() - kShown;
    problems.resize(kShown);
    problems.push_back(halves.train.parent_path().string() + ": and " + std::to_string(more) +
                       " more folders that only one of train and " +
                       halves.test.filename().string() + " has");
  }
  throw UserError(std::move(problems));
}

ImageList list_images(const fs::path& half, const std::vector<std::string>& classes) {
  ImageList files;
  std::vector<std::string> problems;
  ImageSearch search(half, problems);
  for (const std::string& name : classes) {
    const std::size_t known_problems = problems.size();
    std::vector<std::string> images = search.images_of(name);
    std::sort(images.begin(), images.end());
    files.start_class();
    for (const std::string& image : images) files.append(image);
    if (images.empty() && problems.size() == known_problems) {
      problems.push_back((half / name).string() + ": got no images; expected files ending in " +
                         std::string(kImageNames));
    }
  }
  if (!problems.empty()) throw UserError(std::move(problems));
  return files;
}

Dataset dataset_of_images(const fs::path& folder, std::int64_t pixels) {
  constexpr std::int64_t kChannels = 3;
  Dataset dataset = dataset_of_folder(folder, "images");
  try {
    const ImageHalves halves = find_image_halves(folder);
    check_same_classes(halves);
    const auto count = [&](const fs::path& half) {
      return static_cast<std::int64_t>(list_images(half, halves.classes).size());
    };
    dataset.train_samples = count(halves.train);
    dataset.test_samples = count(halves.test);
    dataset.classes = static_cast<std::int64_t>(halves.classes.size());
  } catch (const fs::filesystem_error& error) {
    throw UserError(error.path1().string() + ": cannot be read: " + error.code().message());
  }
  dataset.shape = {kChannels, pixels, pixels};
  dataset.sample_bytes = static_cast<double>(kChannels * pixels * pixels);
  return dataset;
}

}  // namespace epochcast
