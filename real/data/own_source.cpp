// SPDX-License-Identifier: Apache-2.0
#include "real/data/own_source.hpp"

#include <utility>

#include "base/error.hpp"
#include "core/tensors/own_data.hpp"
#include "core/tensors/token_files.hpp"

namespace epochcast::real {
namespace {

class OwnSource : public DataSource {
 public:
  OwnSource(const Dataset& dataset, std::unique_ptr<OwnSamples> samples)
      : shape_(dataset.shape),
        classes_(dataset.classes),
        are_tokens_(dataset.are_tokens),
        targets_(dataset.targets),
        samples_(std::move(samples)) {}

  [[nodiscard]] std::int64_t size() const override { return samples_->size(); }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t classes() const override { return classes_; }
  [[nodiscard]] bool are_tokens() const override { return are_tokens_; }
  [[nodiscard]] Targets targets() const override { return targets_; }
  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> /*variant*/,
                    std::span<float> sample) const override {
    samples_->read_inputs(index, sample);
    return samples_->label(index);
  }
  void load_targets(std::int64_t index, std::span<float> targets) const override {
    samples_->read_targets(index, targets);
  }

 private:
  std::vector<std::int64_t> shape_;
  std::int64_t classes_;
  bool are_tokens_;
  Targets targets_;
  std::unique_ptr<OwnSamples> samples_;
};

std::string samples_text(const Dataset& dataset) {
  return std::string(dataset.are_tokens ? "texts of " : "samples of ") + shape_text(dataset.shape) +
         (dataset.are_tokens ? " tokens" : "");
}

std::string targets_text(const Dataset& dataset) {
  switch (dataset.targets.kind) {
    case TargetKind::classes:
      return std::to_string(dataset.classes) + " classes";
    case TargetKind::values:
      return shape_text(dataset.targets.shape) + " values";
    case TargetKind::tokens:
      break;
  }
  return "tokens of " + std::to_string(dataset.classes);
}

bool fits(const Dataset& got, const Dataset& wanted) {
  const bool is_counted = got.targets.kind == TargetKind::values;
  return got.targets.kind == wanted.targets.kind && got.targets.shape == wanted.targets.shape &&
         (is_counted || got.classes <= wanted.classes);
}

}  // namespace

DataSplit open_own_source(const Dataset& dataset, const std::filesystem::path& folder) {
  const std::optional<std::int64_t> sequence =
      dataset.shape.size() == 1 ? std::optional(dataset.shape[0]) : std::nullopt;
  if (!sequence && has_token_files(folder)) {
    throw UserError(folder.string() + ": got rows of tokens; " + dataset.name + " has " +
                    samples_text(dataset));
  }
  OwnData data = open_own_data(folder, sequence);
  if (data.dataset.shape != dataset.shape || data.dataset.are_tokens != dataset.are_tokens) {
    throw UserError(folder.string() + ": got " + samples_text(data.dataset) + "; " + dataset.name +
                    " has " + samples_text(dataset));
  }
  if (!fits(data.dataset, dataset)) {
    throw UserError(folder.string() + ": got " + targets_text(data.dataset) + "; " + dataset.name +
                    " has " + targets_text(dataset));
  }
  return {.train = std::make_unique<OwnSource>(dataset, std::move(data.train)),
          .test = std::make_unique<OwnSource>(dataset, std::move(data.test)),
          .title = data.dataset.title};
}

}  // namespace epochcast::real
