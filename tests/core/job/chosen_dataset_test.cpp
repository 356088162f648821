// SPDX-License-Identifier: Apache-2.0
#include "core/job/chosen_dataset.hpp"

#include <numeric>

#include "tests/catch.hpp"
#include "tests/core/tensors/tensor_files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

/// A catalogue with one data set of 100 + 10 texts of 8 tokens, named "cards", and "pictures".
class CardCatalog {
 public:
  CardCatalog() {
    fs::create_directories(folder_.path() / "traces");
    folder_.write("models/datasets/cards.json", described("cards", "[8]", "\"tokens\""));
    folder_.write("models/datasets/pictures.json", described("pictures", "[3, 4, 4]", "\"class\""));
  }

  [[nodiscard]] Dataset chosen(const JobConfig& config) const {
    return chosen_dataset(config, Catalog(folder_.path()));
  }
  [[nodiscard]] Texts problems(const JobConfig& config) const {
    return problems_of([&] { static_cast<void>(chosen(config)); });
  }
  [[nodiscard]] fs::path place(const JobConfig& config) const {
    return dataset_place(config, Catalog(folder_.path()));
  }
  [[nodiscard]] const DataFolder& folder() const { return folder_; }

 private:
  static std::string described(const std::string& name,
                               const std::string& shape,
                               const std::string& targets) {
    return R"({"schema": "epochcast.dataset/1", "name": ")" + name +
           R"(", "title": "T", "source": {"grade": "estimated", "method": "m"},
               "train_samples": 100, "test_samples": 10, "sample": "16B", "classes": 52,
               "shape": )" +
           shape + ", \"targets\": " + targets + "}";
  }
  DataFolder folder_;
};

/// Two classes of samples of three numbers.
std::string write_tensors(const DataFolder& folder, const std::string& name) {
  folder.write(name + "/inputs.npy", npy<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6}));
  folder.write(name + "/targets.npy", npy<std::int64_t>("<i8", "(2,)", {0, 1}));
  return folder / name;
}

std::string write_tokens(const DataFolder& folder, const std::string& name) {
  std::vector<std::uint16_t> tokens(41);
  std::iota(tokens.begin(), tokens.end(), std::uint16_t{0});
  folder.write(name + "/train.bin", bytes_of(tokens));
  folder.write(name + "/val.bin", bytes_of(tokens));
  return folder / name;
}

JobConfig config_with(const std::string& dataset,
                      const std::string& data,
                      std::optional<std::int64_t> sequence = {}) {
  JobConfig config;
  config.dataset = dataset;
  config.learning.data = data;
  config.learning.sequence = sequence;
  return config;
}

TEST_CASE("a folder of data is a data set, whether --dataset or --data names it") {
  const CardCatalog catalog;
  const DataFolder folder;
  const std::string mine = write_tensors(folder, "my data");

  for (const JobConfig& config : {config_with(mine, ""),
                                  config_with("", mine),
                                  config_with(mine, "procedural"),
                                  config_with(mine + "/", "")}) {
    CHECK(catalog.chosen(config).name == "my-data");
    CHECK(catalog.chosen(config).shape == std::vector<std::int64_t>{3});
    CHECK(catalog.chosen(config).classes == 2);
  }
  CHECK(chosen_data(config_with(mine, "")) == mine);
  CHECK(chosen_data(config_with("", mine)) == mine);
  CHECK(chosen_data(config_with(mine, "procedural")) == "procedural");
  CHECK(chosen_data(config_with("cards", "")).empty());
}

TEST_CASE("a data set's name takes precedence over a folder, and over --data") {
  const CardCatalog catalog;
  const DataFolder folder;
  const std::string mine = write_tensors(folder, "mine");

  CHECK(catalog.chosen(config_with("pictures", mine)).name == "pictures");
  CHECK(catalog.place(config_with("pictures", mine)).filename() == "pictures.json");
  CHECK(catalog.place(config_with("", mine)) == mine);
}

TEST_CASE("rows of tokens are cut into samples of --sequence tokens") {
  const CardCatalog catalog;
  const DataFolder folder;
  const std::string texts = write_tokens(folder, "texts");

  const Dataset dataset = catalog.chosen(config_with("", texts, 4));
  CHECK(dataset.train_samples == 10);
  CHECK(dataset.shape == std::vector<std::int64_t>{4});
  CHECK(catalog.chosen(config_with(texts, "", 8)).train_samples == 5);
  CHECK(catalog.problems(config_with(texts, "")) ==
        Texts{"--sequence: missing; expected how many tokens of " + texts +
              " are a sample, such as 1024"});
}

TEST_CASE("described texts are cut again, with the same number of tokens in all") {
  const CardCatalog catalog;

  const Dataset dataset = catalog.chosen(config_with("cards", "", 2));

  CHECK(dataset.train_samples == 400);
  CHECK(dataset.test_samples == 40);
  CHECK(dataset.shape == std::vector<std::int64_t>{2});
  CHECK(dataset.targets.shape == std::vector<std::int64_t>{2});
  CHECK(dataset.sample_bytes == 4);
  CHECK(catalog.chosen(config_with("cards", "", 16)).train_samples == 50);
}

TEST_CASE("a job is tested on the samples of its folder, not of the data set's file") {
  const CardCatalog catalog;
  const DataFolder folder;
  for (const char* image : {"train/cat/1.jpg", "val/cat/2.jpg", "val/cat/3.jpg"})
    folder.write(image, "");
  const auto tested = [&](const std::string& data, std::optional<std::int64_t> most) {
    JobConfig config = config_with("pictures", data);
    config.learning.test_samples = most;
    return tested_samples(config, catalog.chosen(config));
  };
  const std::string photos = folder.path().string();

  CHECK(tested(photos, {}) == 2);
  CHECK(tested(photos, 1) == 1);
  CHECK(tested("procedural", {}) == 10);
  CHECK(tested("procedural", 4) == 4);
  CHECK(tested("", {}) == 10);
}

TEST_CASE("a folder of images by class is a data set, in samples of --image-size") {
  const CardCatalog catalog;
  const DataFolder folder;
  for (const char* image : {"train/cat/1.jpg", "train/cat/2.PNG", "train/dog/more/3.jpeg"})
    folder.write(image, "");
  folder.write("train/dog/notes.txt", "no image");
  folder.write("val/cat/4.jpg", "");
  folder.write("val/dog/5.jpg", "");
  const std::string photos = folder.path().string();
  JobConfig small = config_with("", photos);
  small.learning.image_size = 64;

  const Dataset usual = catalog.chosen(config_with(photos, ""));

  CHECK(usual.shape == std::vector<std::int64_t>{3, 224, 224});
  CHECK(usual.classes == 2);
  CHECK(usual.train_samples == 3);
  CHECK(usual.test_samples == 2);
  CHECK(catalog.chosen(small).shape == std::vector<std::int64_t>{3, 64, 64});
  CHECK(chosen_data(config_with(photos, "")) == photos);
}

TEST_CASE(
    "problems of a folder of images are reported, and --image-size for other data is refused") {
  const CardCatalog catalog;
  const DataFolder folder;
  folder.write("train/cat/1.jpg", "");
  folder.write("train/dog/2.jpg", "");
  folder.write("val/cat/3.jpg", "");
  JobConfig pictures = config_with("pictures", "");
  pictures.learning.image_size = 64;

  CHECK(catalog.problems(config_with("", folder.path().string())) ==
        Texts{(folder / "val/dog: no such folder; expected one as in ") + (folder / "train")});
  CHECK(catalog.problems(pictures) ==
        Texts{"--image-size: cuts images of a folder without --dataset to a size; samples of "
              "pictures are 3x4x4"});
}

TEST_CASE("--sequence is refused for data that cannot be cut") {
  const CardCatalog catalog;
  const DataFolder folder;

  CHECK(catalog.problems(config_with("pictures", "", 4)) ==
        Texts{"--sequence: cuts rows of tokens into samples; those of pictures are 3x4x4"});
  CHECK(catalog.problems(config_with(write_tensors(folder, "mine"), "", 4)) ==
        Texts{"--sequence: cuts rows of tokens into samples; those of mine are 3"});
}

TEST_CASE("a folder without a known layout is no data set") {
  const CardCatalog catalog;
  const DataFolder folder;
  const std::string empty = folder.path().string();

  CHECK(catalog.problems(config_with(empty, "")) ==
        Texts{"--dataset: " + empty +
              ": a folder without data that describes itself; expected tensors: inputs.npy, "
              "targets.npy (or .pt; in train and val, or not); or tokens: train.bin, val.bin; or "
              "images: train/CLASS/*.jpg, val/CLASS/*.jpg (or test/)"});
  CHECK(
      catalog.problems(config_with("", empty)) ==
      Texts{
          "--dataset: missing; " + empty +
          " holds no data that describe themselves: tensors: inputs.npy, targets.npy (or .pt; "
          "in train and val, or not); or tokens: train.bin, val.bin; or images: train/CLASS/*.jpg, "
          "val/CLASS/*.jpg (or test/); `epochcast list datasets` "
          "lists others"});
  CHECK(catalog.problems(config_with("", "nowhere")) ==
        Texts{"--data: nowhere: no such folder; expected one that holds the data set"});
  folder.write("inputs.npy", "x");
  CHECK(catalog.problems(config_with("", folder / "inputs.npy")) ==
        Texts{"--data: " + (folder / "inputs.npy") +
              ": not a folder; expected one that holds the data set"});
  for (const std::string data : {"", "procedural"}) {
    CHECK(catalog.problems(config_with("", data)) ==
          Texts{"--dataset: missing; `epochcast list datasets` lists them"});
  }
  CHECK(catalog.problems(config_with("card", "")) ==
        Texts{"--dataset: unknown dataset \"card\"; did you mean \"cards\"?"});
}

}  // namespace
}  // namespace epochcast::tests
