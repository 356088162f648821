// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/npy.hpp"
#include "tests/fuzz/fuzz_file.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

/// Whatever is read of an array lies in its file: the address sanitizer looks on.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::InputFile file(data, size, "input.npy");
  try {
    fuzz::read_all(open_npy(file.path()));
  } catch (const UserError& error) {
    fuzz::check_problems(error);
  }
  return 0;
}
