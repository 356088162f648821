// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/process/child.hpp"
#include "base/process/interruption.hpp"
#include "base/process/pipe.hpp"

namespace epochcast::tests {

/// The answer of a server.
struct Reply {
  int status = 0;  ///< 0: no answer
  std::string headers;
  std::string body;  ///< chunks joined
};

/// `epochcast serve`, started on a free port unless `arguments` name one.
class RunningServer {
 public:
  explicit RunningServer(const std::vector<std::string>& arguments = {});

  [[nodiscard]] int port() const { return port_; }
  /// Its output on stderr so far.
  [[nodiscard]] std::string err() const { return text_of(err_); }
  /// "127.0.0.1:PORT"
  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Sends text unchanged, and reads to the end.
  [[nodiscard]] Reply send(const std::string& text) const;
  /// A request in the form of the page; `more`: lines of headers.
  [[nodiscard]] std::string post_text(const std::string& path,
                                      const std::string& body,
                                      const std::string& more = {}) const;
  [[nodiscard]] Reply get(const std::string& path, const std::string& more = {}) const;
  [[nodiscard]] Reply post(const std::string& path,
                           const std::string& body,
                           const std::string& more = {}) const;
  /// The number of its descendants that have not ended, including orphans; valid for one server at
  /// a time.
  [[nodiscard]] std::size_t working() const;
  /// A connected socket.
  [[nodiscard]] FileDescriptor connection() const;
  /// Sends the signal; the exit status in a shell's form.
  int end_by(int signal);

 private:
  SignalScope signals_;
  Pipe out_;
  FileDescriptor err_ = unnamed_file();
  Child child_;
  int port_ = 0;
};

}  // namespace epochcast::tests
