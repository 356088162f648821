// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/tensor_folder.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "core/tensors/npy.hpp"
#include "core/tensors/torch_tensor.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

using Shape = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

constexpr const char* kInputs = "inputs";
constexpr const char* kTargets = "targets";

/// Files of one kind, by the text between the kind and the ending.
using Files = std::map<std::string, fs::path>;

bool is_tensor_file(const fs::path& file) {
  return file.extension() == ".npy" || file.extension() == ".pt";
}

/// Throws a UserError if two files differ in their endings only, or if the folder cannot be read.
Files files_in(const fs::path& folder, const std::string& kind) {
  Files files;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    const fs::path& file = entry->path();
    const std::string stem = file.stem().string();
    if (!is_tensor_file(file) || !stem.starts_with(kind)) continue;
    const auto [known, is_new] = files.emplace(stem.substr(kind.size()), file);
    if (!is_new) {
      throw UserError(folder.string() + ": has " + stem + ".npy and " + stem +
                      ".pt; expected one of them");
    }
  }
  if (error) throw UserError(folder.string() + ": cannot be read: " + error.message());
  return files;
}

bool has_inputs(const fs::path& folder) {
  std::error_code unknown;
  return fs::is_directory(folder, unknown) && !files_in(folder, kInputs).empty();
}

Tensor open_tensor(const fs::path& file) {
  return file.extension() == ".pt" ? open_torch_tensor(file) : open_npy(file);
}

/// The shape of a sample: all dimensions of the tensor but the first, or a single number.
Shape sample_shape(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  return shape.size() == 1 ? Shape{1} : Shape(shape.begin() + 1, shape.end());
}

/// "1000x3x32x32 of float32"
std::string text_of(const Tensor& tensor) {
  return (tensor.shape().empty() ? "a single number" : shape_text(tensor.shape())) + " of " +
         std::string(to_string(tensor.type()));
}

/// A tensor in a file.
struct Part {
  fs::path file;
  Tensor tensor;
};

/// Inputs and targets of the same samples.
struct Shard {
  Part inputs;
  Part targets;

  [[nodiscard]] std::int64_t samples() const { return inputs.tensor.shape()[0]; }
};

Part open_part(const fs::path& file) {
  Part part = {file, open_tensor(file)};
  const Tensor& tensor = part.tensor;
  if (tensor.shape().empty() || tensor.elements() == 0)
    throw UserError(file.string() + ": is " + text_of(tensor) + "; expected samples");
  return part;
}

void collect(Texts& problems, const UserError& error) {
  problems.insert(problems.end(), error.problems().begin(), error.problems().end());
}

/// The shards of a folder, each readable in itself.
std::vector<Shard> open_shards(const fs::path& folder, Texts& problems) {
  const Files inputs = files_in(folder, kInputs);
  const Files targets = files_in(folder, kTargets);
  std::vector<Shard> shards;
  for (const auto& [ending, file] : inputs) {
    const auto partner = targets.find(ending);
    if (partner == targets.end()) {
      problems.push_back(file.string() + ": has no targets; expected " + kTargets + ending +
                         ".npy (or .pt) beside it");
      continue;
    }
    try {
      Shard shard = {open_part(file), open_part(partner->second)};
      if (shard.targets.tensor.shape()[0] != shard.samples()) {
        throw UserError(partner->second.string() + ": is " + text_of(shard.targets.tensor) +
                        "; expected " + std::to_string(shard.samples()) + " samples, as " +
                        file.string() + " has");
      }
      shards.push_back(std::move(shard));
    } catch (const UserError& error) {
      collect(problems, error);
    }
  }
  for (const auto& [ending, file] : targets) {
    if (!inputs.contains(ending))
      problems.push_back(file.string() + ": has no inputs; expected " + kInputs + ending +
                         ".npy (or .pt) beside it");
  }
  if (inputs.empty())
    problems.push_back(folder.string() + ": has no inputs; expected inputs.npy and targets.npy");
  return shards;
}

/// Throws if a file's samples differ in shape or type from the first file's.
void check_alike(const Part& first, const Part& other) {
  if (sample_shape(other.tensor) == sample_shape(first.tensor) &&
      other.tensor.type() == first.tensor.type())
    return;
  throw UserError(other.file.string() + ": is " + text_of(other.tensor) +
                  "; expected samples as in " + first.file.string() + ", which is " +
                  text_of(first.tensor));
}

bool are_tokens(const Tensor& inputs) {
  return inputs.shape().size() == 2 && !is_floating(inputs.type()) &&
         inputs.type() != ElementType::uint8 && inputs.type() != ElementType::boolean;
}

/// The kind of the targets. Throws if they cannot be learned.
Targets kind_of(const Shard& shard) {
  const Tensor& targets = shard.targets.tensor;
  const Shape shape = sample_shape(targets);
  if (is_floating(targets.type())) return {.kind = TargetKind::values, .shape = shape};
  if (shape == Shape{1}) return {};
  if (are_tokens(shard.inputs.tensor) && shape == sample_shape(shard.inputs.tensor))
    return {.kind = TargetKind::tokens, .shape = shape};
  throw UserError(shard.targets.file.string() + ": is " + text_of(targets) +
                  "; expected a class for each sample [" + std::to_string(shard.samples()) +
                  "], a token for each of its own, or values of a floating-point type");
}

/// One more than the largest number of the file: labels or tokens.
std::int64_t words_of(const Part& part, const char* what) {
  const Tensor& tensor = part.tensor;
  const Tensor::Range range = tensor.range();
  if (range.least < 0) {
    std::int64_t index = 0;
    while (tensor.integer(index) >= 0) ++index;
    const std::int64_t row = tensor.elements() / tensor.shape()[0];
    throw UserError(part.file.string() + ": sample " + std::to_string(index / row) + ": got " +
                    what + " " + std::to_string(tensor.integer(index)) + "; expected 0 and more");
  }
  if (range.greatest >= kMostOwnTokens) {
    throw UserError(part.file.string() + ": has the " + what + " " +
                    std::to_string(range.greatest) + "; expected less than 2^24");
  }
  return range.greatest + 1;
}

/// Samples of some shards, from one of them to another.
class TensorSamples : public OwnSamples {
 public:
  TensorSamples(std::shared_ptr<const std::vector<Shard>> shards,
                std::int64_t begin,
                std::int64_t end,
                TargetKind kind)
      : shards_(std::move(shards)), begin_(begin), end_(end), kind_(kind) {
    std::int64_t samples = 0;
    for (const Shard& shard : *shards_)
      starts_.push_back(std::exchange(samples, samples + shard.samples()));
  }

  [[nodiscard]] std::int64_t size() const override { return end_ - begin_; }
  void read_inputs(std::int64_t index, std::span<float> inputs) const override {
    const Place place = place_of(index);
    read_row(place.shard.inputs.tensor, place.row, inputs);
  }
  [[nodiscard]] std::int64_t label(std::int64_t index) const override {
    if (kind_ != TargetKind::classes) return 0;
    const Place place = place_of(index);
    return place.shard.targets.tensor.integer(place.row);
  }
  void read_targets(std::int64_t index, std::span<float> targets) const override {
    if (kind_ == TargetKind::classes) return;
    const Place place = place_of(index);
    read_row(place.shard.targets.tensor, place.row, targets);
  }

 private:
  struct Place {
    const Shard& shard;
    std::int64_t row;
  };
  [[nodiscard]] Place place_of(std::int64_t index) const {
    assert(index >= 0 && index < size());
    const std::int64_t sample = begin_ + index;
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), sample);
    const auto number = static_cast<std::size_t>(next - starts_.begin() - 1);
    return {(*shards_)[number], sample - starts_[number]};
  }
  static void read_row(const Tensor& tensor, std::int64_t row, std::span<float> numbers) {
    assert(std::cmp_equal(numbers.size(), tensor.elements() / tensor.shape()[0]));
    tensor.read(row * static_cast<std::int64_t>(numbers.size()), numbers);
  }

  std::shared_ptr<const std::vector<Shard>> shards_;
  std::vector<std::int64_t> starts_;  ///< sample that each shard begins with
  std::int64_t begin_;
  std::int64_t end_;
  TargetKind kind_;
};

std::int64_t samples_of(const std::vector<Shard>& shards) {
  std::int64_t samples = 0;
  for (const Shard& shard : shards) samples += shard.samples();
  return samples;
}

/// Fills in all of the data set but its sizes.
void describe(Dataset& dataset, const std::vector<const Shard*>& shards, Texts& problems) {
  const Shard& first = *shards.front();
  const Tensor& inputs = first.inputs.tensor;
  dataset.shape = sample_shape(inputs);
  dataset.are_tokens = are_tokens(inputs);
  dataset.sample_bytes = static_cast<double>(Tensor::elements_of(dataset.shape)) *
                         static_cast<double>(bytes_of(inputs.type()));
  dataset.targets = kind_of(first);
  const TargetKind kind = dataset.targets.kind;
  if (kind == TargetKind::values) dataset.classes = Tensor::elements_of(dataset.targets.shape);
  for (const Shard* shard : shards) {
    try {
      check_alike(first.inputs, shard->inputs);
      check_alike(first.targets, shard->targets);
      const std::int64_t words = dataset.are_tokens ? words_of(shard->inputs, "token") : 0;
      if (kind == TargetKind::tokens) dataset.classes = std::max(dataset.classes, words);
      if (kind == TargetKind::values) continue;
      const char* what = kind == TargetKind::tokens ? "token" : "label";
      dataset.classes = std::max(dataset.classes, words_of(shard->targets, what));
    } catch (const UserError& error) {
      collect(problems, error);
    }
  }
}

/// The folder of tests beside `train`.
fs::path test_folder(const fs::path& folder) {
  std::error_code unknown;
  for (const char* name : {"val", "test"}) {
    if (fs::is_directory(folder / name, unknown)) return folder / name;
  }
  throw UserError(folder.string() + ": got train, but neither val nor test; expected one of them");
}

}  // namespace

bool has_tensors(const fs::path& folder) {
  return has_inputs(folder) || has_inputs(folder / "train");
}

OwnData open_tensor_folder(const fs::path& folder) {
  const bool is_split = !has_inputs(folder);
  if (!is_split && has_inputs(folder / "train")) {
    throw UserError(folder.string() +
                    ": has inputs, and a folder train with inputs; expected one of them");
  }
  Texts problems;
  auto shards = std::make_shared<std::vector<Shard>>(
      open_shards(is_split ? folder / "train" : folder, problems));
  auto tests = shards;
  if (is_split) {
    tests = std::make_shared<std::vector<Shard>>(open_shards(test_folder(folder), problems));
  } else if (problems.empty() && samples_of(*shards) < 2) {
    problems.push_back(folder.string() +
                       ": has a single sample; expected one to train on, and one for tests");
  }
  if (!problems.empty()) throw UserError(problems);
  std::vector<const Shard*> all;
  for (const Shard& shard : *shards) all.push_back(&shard);
  if (is_split) {
    for (const Shard& shard : *tests) all.push_back(&shard);
  }
  OwnData data;
  data.dataset = dataset_of_folder(
      folder, is_split ? "tensors" : "tensors, the last tenth of which is for tests,");
  describe(data.dataset, all, problems);
  if (!problems.empty()) throw UserError(problems);
  constexpr std::int64_t kOneOf = 10;
  const std::int64_t samples = samples_of(*shards);
  const std::int64_t held_back = is_split ? 0 : std::max<std::int64_t>(samples / kOneOf, 1);
  const TargetKind kind = data.dataset.targets.kind;
  data.train = std::make_unique<TensorSamples>(shards, 0, samples - held_back, kind);
  data.test = std::make_unique<TensorSamples>(
      tests, is_split ? 0 : samples - held_back, samples_of(*tests), kind);
  data.dataset.train_samples = data.train->size();
  data.dataset.test_samples = data.test->size();
  return data;
}

}  // namespace epochcast
