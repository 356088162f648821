// SPDX-License-Identifier: Apache-2.0
#include "serve/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace epochcast {
namespace {

constexpr std::chrono::milliseconds kTimeout(10'000);

bool is_ready(socket_t connection, short events, std::chrono::milliseconds most) {
  pollfd waiting = {.fd = connection, .events = events, .revents = 0};
  int count = 0;
  do {
    count = poll(&waiting, 1, static_cast<int>(most.count()));
  } while (count < 0 && errno == EINTR);
  return count > 0 && (waiting.revents & events) != 0;
}

}  // namespace

bool Connection::is_readable() const {
  return taken_ < read_ahead_.size() || has_something_to_read();
}

// The time limit is for the whole request: a client that sends one byte every few seconds would
// occupy a process for hours.
bool Connection::has_something_to_read() const {
  using std::chrono::milliseconds;
  const auto until = begun_ + kTimeout - std::chrono::steady_clock::now();
  return is_ready(connection_,
                  POLLIN,
                  std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(until)));
}

bool Connection::is_writable() const {
  pollfd state = {.fd = connection_, .events = POLLRDHUP, .revents = 0};
  return poll(&state, 1, 0) == 0;
}

ssize_t Connection::read(char* to, size_t most) {
  if (taken_ == read_ahead_.size()) {
    std::array<char, 4096> bytes{};
    if (!has_something_to_read()) return -1;
    const ssize_t count = recv(connection_, bytes.data(), bytes.size(), 0);
    if (count <= 0) return count;
    read_ahead_.assign(bytes.data(), static_cast<std::size_t>(count));
    taken_ = 0;
  }
  const std::size_t count = std::min(most, read_ahead_.size() - taken_);
  std::copy_n(read_ahead_.data() + taken_, count, to);
  taken_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char* from, size_t count) {
  if (!is_ready(connection_, POLLOUT, kTimeout)) return -1;
  return send(connection_, from, count, MSG_NOSIGNAL);
}

// Clients are on this machine.
void Connection::get_remote_ip_and_port(std::string& address, int& port) const {
  address = "127.0.0.1";
  port = 0;
}

void Connection::get_local_ip_and_port(std::string& address, int& port) const {
  get_remote_ip_and_port(address, port);
}

}  // namespace epochcast
