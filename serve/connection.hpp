// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <chrono>
#include <string>

namespace epochcast {

/// A connection to a client, as httplib reads and writes it. A client that needs more than some
/// seconds for its request, or to read a part of the answer, counts as gone.
class Connection : public httplib::Stream {
 public:
  explicit Connection(socket_t connection) : connection_(connection) {}

  [[nodiscard]] bool is_readable() const override;
  /// Whether the client can be written to.
  [[nodiscard]] bool is_writable() const override;
  ssize_t read(char* to, size_t most) override;
  ssize_t write(const char* from, size_t count) override;
  void get_remote_ip_and_port(std::string& address, int& port) const override;
  void get_local_ip_and_port(std::string& address, int& port) const override;
  [[nodiscard]] socket_t socket() const override { return connection_; }

 private:
  [[nodiscard]] bool has_something_to_read() const;

  socket_t connection_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::string read_ahead_;  ///< buffer: httplib reads single bytes
  std::size_t taken_ = 0;   ///< consumed bytes of it
};

}  // namespace epochcast
