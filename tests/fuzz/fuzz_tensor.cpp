// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/torch_tensor.hpp"
#include "tests/fuzz/fuzz_file.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

/// Whatever is read of a tensor lies in its file: the address sanitizer looks on.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::InputFile file(data, size, "input.torch_tensor");
  try {
    fuzz::read_all(open_torch_tensor(file.path()));
  } catch (const UserError& error) {
    fuzz::check_problems(error);
  }
  return 0;
}
