// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/token_files.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "core/tensors/tensor.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// Names of the two files, and the size of tokens by their names.
struct Names {
  const char* train;
  const char* val;
  std::optional<ElementType> type;
};
constexpr std::array<Names, 3> kNames = {
    {{"train.bin", "val.bin", std::nullopt},
     {"train.uint16.bin", "val.uint16.bin", ElementType::uint16},
     {"train.uint32.bin", "val.uint32.bin", ElementType::uint32}}};

const Names* names_in(const fs::path& folder) {
  std::error_code unknown;
  const auto* const found = std::find_if(kNames.begin(), kNames.end(), [&](const Names& names) {
    return fs::exists(folder / names.train, unknown) && fs::exists(folder / names.val, unknown);
  });
  return found == kNames.end() ? nullptr : found;
}

/// A file's tokens, of the type that they are taken for.
Tensor tokens_in(const std::shared_ptr<const MappedFile>& file, ElementType type) {
  const auto count = static_cast<std::int64_t>(file->bytes().size() / bytes_of(type));
  return {type,
          {count},
          file->bytes().substr(0, static_cast<std::size_t>(count) * bytes_of(type)),
          file};
}

/// The largest ones of the first, third, ... and of the other numbers of two bytes.
struct Greatest {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

Greatest greatest_of(const MappedFile& file) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(file.bytes().data());
  Greatest greatest;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  for (std::size_t at = 0; at + 4 <= file.bytes().size(); at += 4) {
    low = std::max<std::uint32_t>(low, bytes[at] | std::uint32_t{bytes[at + 1]} << 8);
    high = std::max<std::uint32_t>(high, bytes[at + 2] | std::uint32_t{bytes[at + 3]} << 8);
  }
  return {.low = low, .high = high};
}

/// Whether both files hold tokens of four bytes.
bool are_long(const MappedFile& train, const MappedFile& val) {
  constexpr std::size_t kLong = 4;
  constexpr std::int64_t kFew = 16;  // vocabularies have less than a million words
  if (train.bytes().size() % kLong != 0 || val.bytes().size() % kLong != 0) return false;
  const Greatest in_train = greatest_of(train);
  const Greatest in_val = greatest_of(val);
  const std::int64_t low = std::max(in_train.low, in_val.low);
  const std::int64_t high = std::max(in_train.high, in_val.high);
  return high == 0 ? low > 0 : high < kFew && low >= kFew * kFew;
}

class TokenRow : public OwnSamples {
 public:
  TokenRow(Tensor tokens, std::int64_t sequence)
      : tokens_(std::move(tokens)), sequence_(sequence) {}

  [[nodiscard]] std::int64_t size() const override {
    return std::max<std::int64_t>(tokens_.elements() - 1, 0) / sequence_;
  }
  void read_inputs(std::int64_t index, std::span<float> inputs) const override {
    assert(index >= 0 && index < size() && std::cmp_equal(inputs.size(), sequence_));
    tokens_.read(index * sequence_, inputs);
  }
  [[nodiscard]] std::int64_t label(std::int64_t /*index*/) const override { return 0; }
  void read_targets(std::int64_t index, std::span<float> targets) const override {
    assert(index >= 0 && index < size() && std::cmp_equal(targets.size(), sequence_));
    tokens_.read(index * sequence_ + 1, targets);
  }

 private:
  Tensor tokens_;
  std::int64_t sequence_;
};

/// The size of the vocabulary: the largest token plus one. Throws if the file has less than one
/// sample, or an impossible token.
std::int64_t words_of(const fs::path& file,
                      const Tensor& tokens,
                      std::size_t bytes,
                      std::int64_t sequence) {
  const std::string name = file.string();
  const std::string type(to_string(tokens.type()));
  if (bytes % bytes_of(tokens.type()) != 0) {
    throw UserError(name + ": has " + std::to_string(bytes) + " bytes; expected tokens of " +
                    std::to_string(bytes_of(tokens.type())) + " bytes each (" + type + ")");
  }
  if (tokens.elements() <= sequence) {
    throw UserError(name + ": has " + std::to_string(tokens.elements()) +
                    " tokens; expected more than --sequence: a sample of " +
                    std::to_string(sequence) + ", and what comes after it");
  }
  const std::int64_t greatest = tokens.range().greatest;
  if (greatest >= kMostOwnTokens) {
    throw UserError(name + ": has the token " + std::to_string(greatest) + ", read as " + type +
                    "; expected tokens below 2^24");
  }
  return greatest + 1;
}

}  // namespace

bool has_token_files(const fs::path& folder) { return names_in(folder) != nullptr; }

OwnData open_token_files(const fs::path& folder, std::optional<std::int64_t> sequence) {
  if (!sequence) {
    throw UserError("--sequence: missing; expected how many tokens of " + folder.string() +
                    " are a sample, such as 1024");
  }
  const Names* const found = names_in(folder);
  if (found == nullptr) throw UserError(folder.string() + ": has no train.bin and val.bin");
  const Names& names = *found;
  const auto train_file = std::make_shared<const MappedFile>(folder / names.train);
  const auto val_file = std::make_shared<const MappedFile>(folder / names.val);
  const ElementType type = names.type.value_or(
      are_long(*train_file, *val_file) ? ElementType::uint32 : ElementType::uint16);
  const Tensor train = tokens_in(train_file, type);
  const Tensor val = tokens_in(val_file, type);
  const std::int64_t in_train =
      words_of(folder / names.train, train, train_file->bytes().size(), *sequence);
  const std::int64_t in_val =
      words_of(folder / names.val, val, val_file->bytes().size(), *sequence);
  OwnData data;
  data.train = std::make_unique<TokenRow>(train, *sequence);
  data.test = std::make_unique<TokenRow>(val, *sequence);
  data.dataset = dataset_of_folder(
      folder,
      "texts of " + std::to_string(*sequence) + " tokens (" + std::string(to_string(type)) + ")");
  Dataset& dataset = data.dataset;
  dataset.train_samples = data.train->size();
  dataset.test_samples = data.test->size();
  dataset.shape = {*sequence};
  dataset.sample_bytes = static_cast<double>(*sequence) * static_cast<double>(bytes_of(type));
  dataset.classes = std::max(in_train, in_val);
  dataset.are_tokens = true;
  dataset.targets = {.kind = TargetKind::tokens, .shape = {*sequence}};
  return data;
}

}  // namespace epochcast
