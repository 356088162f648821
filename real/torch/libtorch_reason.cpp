// SPDX-License-Identifier: Apache-2.0
#include "real/torch/libtorch_reason.hpp"

#include <c10/util/Exception.h>

#include <sstream>

namespace epochcast::real {

std::string reason_of(const std::exception& error) {
  const auto* own = dynamic_cast<const c10::Error*>(&error);
  const std::string text = own != nullptr ? own->what_without_backtrace() : error.what();
  const bool is_traceback = text.find("Traceback of TorchScript") != std::string::npos;
  std::istringstream lines(text);
  std::string reason;
  for (std::string line; std::getline(lines, line);) {
    const bool has_text = line.find_first_not_of(" \t^~") != std::string::npos;
    if (has_text && (is_traceback || reason.empty())) reason = line;
  }
  return reason;
}

}  // namespace epochcast::real
