// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/token_files.hpp"
#include "tests/fuzz/fuzz_file.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

/// The first byte is the length of samples; the rest is the content of train.bin and val.bin.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::int64_t sequence = data[0] + 1;
  const fuzz::InputFile train(data + 1, size - 1, "train.bin");
  const fuzz::InputFile val(data + 1, size - 1, "val.bin");
  try {
    const OwnData texts = open_token_files(train.path().parent_path(), sequence);
    std::vector<float> tokens(static_cast<std::size_t>(sequence));
    fuzz::require(texts.train->size() == texts.dataset.train_samples && texts.train->size() > 0);
    for (std::int64_t i = 0; i < texts.train->size(); ++i) {
      texts.train->read_inputs(i, tokens);
      texts.train->read_targets(i, tokens);
      for (const float token : tokens)
        fuzz::require(token >= 0 && token < static_cast<float>(texts.dataset.classes));
    }
  } catch (const UserError& error) {
    fuzz::check_problems(error);
  }
  return 0;
}
