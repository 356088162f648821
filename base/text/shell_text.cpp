// SPDX-License-Identifier: Apache-2.0
#include "base/text/shell_text.hpp"

namespace epochcast {

std::string shell_text(const std::vector<std::string>& words) {
  // Characters without a meaning in any shell; others are quoted.
  constexpr const char* kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += " ";
    if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) {
      text += word;
      continue;
    }
    text += "'";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    text += "'";
  }
  return text;
}

}  // namespace epochcast
