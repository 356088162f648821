// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/process/child.hpp"
#include "base/process/pipe.hpp"

namespace epochcast {

/// An HTTP server for the user of this machine, with one forked process for each connection, since
/// a process can have one SimGrid engine; the parent must have no threads. Handlers may take any
/// time, but a second after the client has closed its end, the process and its children are ended.
/// An exception or a crash of a handler ends its connection only. It listens on 127.0.0.1, and
/// answers requests that name it so: another Host may be DNS rebinding, another Origin is a page of
/// another site. Both get 403. While it answers 32 connections, others get 503. Bodies are JSON, of
/// 64 KiB at most, neither chunked nor compressed.
class ForkingServer : public httplib::Server {
 public:
  static constexpr int kAnyPort = 0;  ///< any free port

  /// Binds the first available one of `ports`. Throws a UserError if there is none.
  explicit ForkingServer(const std::vector<int>& ports);

  [[nodiscard]] int port() const { return port_; }
  /// For the parent: `preload` gets the text of each child process after its end.
  void set_receiver(std::function<void(const std::string&)> preload) {
    receive_ = std::move(preload);
  }
  /// For a child process: sends a text to the parent, for later children. The last one counts.
  void send_to_parent(const std::string& text) { message_ = text; }
  /// Answers until the user ends this process. Then throws Interrupted, after all children have
  /// ended.
  void serve();

 private:
  bool process_and_close_socket(socket_t connection) override;
  [[nodiscard]] int answer(socket_t connection, const FileDescriptor& message);
  [[nodiscard]] std::string refusal(const httplib::Request& request) const;

  /// A child process, the file of its text, and its client.
  struct Answering {
    Child child;
    FileDescriptor message;
    FileDescriptor connection;
    std::optional<std::chrono::steady_clock::time_point> hung_up;  ///< time of its detection
  };
  void look_after_answers();
  /// Ends it if its client has hung up; returns whether it has ended.
  [[nodiscard]] static bool is_over(Answering& each);

  int port_ = 0;
  std::vector<Answering> answering_;
  std::function<void(const std::string&)> receive_ = [](const std::string&) {};
  std::string message_;
};

}  // namespace epochcast
