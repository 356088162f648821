// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"

namespace epochcast {
namespace {

std::string joined(const std::vector<std::string>& problems) {
  std::string text;
  for (const std::string& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem;
  }
  return text;
}

}  // namespace

UserError::UserError(const std::string& problem) : UserError(std::vector<std::string>{problem}) {}

UserError::UserError(std::vector<std::string> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

}  // namespace epochcast
