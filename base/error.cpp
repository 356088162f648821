// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <csignal>
#include <iostream>

#include "base/process/ending.hpp"
#include "base/text/plain_text.hpp"
#include "base/text/printable_stream.hpp"

namespace epochcast {
namespace {

std::vector<std::string> printable(std::vector<std::string> problems) {
  for (std::string& problem : problems) problem = epochcast::printable(problem);
  return problems;
}

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
    : std::runtime_error(joined(printable(problems))), problems_(printable(std::move(problems))) {}

int exit_status(const std::string& program, const std::function<int()>& work) {
  std::signal(SIGXFSZ, SIG_IGN);  // writing too large a file then fails with EFBIG
  const PrintableStream out(std::cout, Repaint::none);
  const PrintableStream err(std::cerr, Repaint::line);
  try {
    return work();
  } catch (const std::exception& error) {
    for (const std::string& problem : problems_of(error))
      std::cerr << program << ": " << problem << '\n';
    return status_of(error);
  }
}

}  // namespace epochcast
