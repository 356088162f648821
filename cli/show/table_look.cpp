// SPDX-License-Identifier: Apache-2.0
#include "cli/show/table_look.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace epochcast {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::string with_code(const std::string& text, int code) {
  return "\033[" + std::to_string(code) + "m" + text + "\033[0m";
}

}  // namespace

TableLook stdout_look(bool is_wide) {
  if (isatty(STDOUT_FILENO) == 0) return {};
  TableLook look;
  look.has_colours = environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  winsize size{};
  if (!is_wide && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) look.width = size.ws_col;
  return look;
}

std::string bold(const std::string& text) { return with_code(text, 1); }

std::string coloured(const std::string& text, Colour colour) {
  return with_code(text, static_cast<int>(colour));
}

}  // namespace epochcast
