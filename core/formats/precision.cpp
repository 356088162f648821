// SPDX-License-Identifier: Apache-2.0
#include "core/formats/precision.hpp"

namespace epochcast {
namespace {

template <typename Value, std::size_t N>
Value read_name(const JsonInput& input,
                const std::array<std::pair<std::string_view, Value>, N>& names) {
  const std::string text = input.string();
  std::string expected;
  for (const auto& [name, value] : names) {
    if (text == name) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(name);
  }
  input.fail(expected);
  return {};
}

}  // namespace

Precision read_precision(const JsonInput& input) { return read_name(input, kPrecisions); }

Kernels read_kernels(const JsonInput& input) { return read_name(input, kKernels); }

}  // namespace epochcast
