// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/iteration_table.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const IterationRow& row : parse_iteration_table(text, "input", {}).rows)
      fuzz::require(row.seconds > 0 && row.batch >= 0 && row.rank >= 0);
  } catch (const UserError& error) {
    fuzz::check_problems(error);
  }
  return 0;
}
