// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/process/child.hpp"
#include "core/process/pipe.hpp"

namespace epochcast {

/// An HTTP server for the user of this machine alone, each connection of which is answered by a
/// process of its own: SimGrid's engine can be made once per process, and no thread must be about
/// when processes are forked. Handlers may take as long as they want, but a second after the client
/// has closed its end, the process is ended, with all that it has started. What they throw ends
/// their connection only, and so does their death.
///
/// It listens on 127.0.0.1, and answers requests that name it so: another Host is a name that
/// somebody else made lead here (DNS rebinding), another Origin a page of somebody else's. Both get
/// 403. Bodies are JSON, of 64 KiB at most, neither in chunks nor packed.
class ForkingServer : public httplib::Server {
 public:
  static constexpr int kAnyPort = 0;  ///< one that is free

  /// Binds the first of `ports` that can be had. Throws a UserError where none can.
  explicit ForkingServer(const std::vector<int>& ports);

  [[nodiscard]] int port() const { return port_; }
  /// Of the process that forks others: gets what each of them has told, once it has ended.
  void set_learner(std::function<void(const std::string&)> learn) { learn_ = std::move(learn); }
  /// Of a process that answers: what the next ones may need. The last one counts.
  void tell(const std::string& text) { told_ = text; }
  /// Answers until the user ends this process. Throws Interrupted then; whoever answers has ended.
  void serve();

 private:
  bool process_and_close_socket(socket_t connection) override;
  [[nodiscard]] int answer(socket_t connection, const FileDescriptor& told);
  [[nodiscard]] std::string refusal(const httplib::Request& request) const;

  /// A process that answers, where it writes what it tells, and its client.
  struct Answering {
    Child child;
    FileDescriptor told;
    FileDescriptor connection;
    std::optional<std::chrono::steady_clock::time_point> hung_up;  ///< when that was seen
  };
  void look_after_answers();
  /// Ends it when its client has hung up; says whether it is over.
  [[nodiscard]] static bool is_over(Answering& each);

  int port_ = 0;
  std::vector<Answering> answering_;
  std::function<void(const std::string&)> learn_ = [](const std::string&) {};
  std::string told_;
};

}  // namespace epochcast
