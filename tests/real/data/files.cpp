// SPDX-License-Identifier: Apache-2.0
#include "tests/real/data/files.hpp"

#include <stdlib.h>

#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace epochcast::real::tests {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "epochcast-data-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(const fs::path& file, const Bytes& bytes) {
  write_file(file, std::string(bytes.begin(), bytes.end()));
}

void write_file(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

Dataset tiny_dataset(std::vector<std::int64_t> shape,
                     std::int64_t classes,
                     std::int64_t train_samples,
                     std::int64_t test_samples) {
  Dataset dataset;
  dataset.name = "tiny";
  dataset.title = "Tiny";
  dataset.are_tokens = shape.size() == 1;
  dataset.shape = std::move(shape);
  dataset.classes = classes;
  dataset.train_samples = train_samples;
  dataset.test_samples = test_samples;
  return dataset;
}

Sample sample_of(const DataSource& source,
                 std::int64_t index,
                 std::optional<std::uint64_t> variant) {
  const auto& shape = source.shape();
  const std::int64_t size =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  Sample sample;
  sample.values.resize(static_cast<std::size_t>(size));
  sample.label = source.load(index, variant, sample.values);
  return sample;
}

}  // namespace epochcast::real::tests
