// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/pickle.hpp"
#include "core/tensors/zip_archive.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

namespace {

/// Weights are a pickle in an archive: the same bytes are tried as either.
void open_archive(std::string_view bytes) {
  try {
    const ZipArchive archive(bytes);
    fuzz::require(archive.record("data.pkl").size() <= bytes.size());
  } catch (const ZipError& error) {
    fuzz::require(error.what()[0] != '\0');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  open_archive(bytes);
  try {
    for (const PickledMember& member : read_pickled_dictionary(bytes)) {
      fuzz::require(member.tensor.has_value() == (member.kind == "a tensor"));
      if (member.tensor)
        fuzz::require(member.tensor->shape.size() == member.tensor->strides.size());
    }
  } catch (const PickleError& error) {
    fuzz::require(error.what()[0] != '\0');
  }
  return 0;
}
