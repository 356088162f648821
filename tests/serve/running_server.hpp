// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/process/child.hpp"
#include "core/process/interruption.hpp"
#include "core/process/pipe.hpp"

namespace epochcast::tests {

/// What a server has answered.
struct Reply {
  int status = 0;  ///< 0: nothing came
  std::string headers;
  std::string body;  ///< chunks joined
};

/// `epochcast serve`, started, on a port that was free unless `arguments` name one.
class RunningServer {
 public:
  explicit RunningServer(const std::vector<std::string>& arguments = {});

  [[nodiscard]] int port() const { return port_; }
  /// What it has said on stderr so far.
  [[nodiscard]] std::string err() const { return text_of(err_); }
  /// "127.0.0.1:PORT"
  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Sends text as it is, and reads to the end.
  [[nodiscard]] Reply send(const std::string& text) const;
  /// A request as the page sends it; `more`: lines of headers.
  [[nodiscard]] std::string post_text(const std::string& path,
                                      const std::string& body,
                                      const std::string& more = {}) const;
  [[nodiscard]] Reply get(const std::string& path, const std::string& more = {}) const;
  [[nodiscard]] Reply post(const std::string& path,
                           const std::string& body,
                           const std::string& more = {}) const;
  /// How many processes it has started that have not ended, directly or not, orphans included;
  /// while there is one server.
  [[nodiscard]] std::size_t working() const;
  /// A socket that is connected to it.
  [[nodiscard]] FileDescriptor connection() const;
  /// Sends the signal; the exit status as a shell shows it.
  int end_by(int signal);

 private:
  SignalScope signals_;
  Pipe out_;
  FileDescriptor err_ = unnamed_file();
  Child child_;
  int port_ = 0;
};

}  // namespace epochcast::tests
