// SPDX-License-Identifier: Apache-2.0
#include "base/process/pipe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/process/interruption.hpp"
#include "base/process/system_call.hpp"

namespace epochcast {

Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_call("pipe");
  reading = FileDescriptor(ends[0]);
  writing = FileDescriptor(ends[1]);
}

FileDescriptor unnamed_file(const std::string& text) {
  FileDescriptor file(memfd_create("epochcast", MFD_CLOEXEC));
  if (!file.is_open()) fail_call("memfd_create");
  write_all(file.number(), text);
  lseek(file.number(), 0, SEEK_SET);
  return file;
}

std::string text_of(const FileDescriptor& unnamed_file) {
  std::string text;
  lseek(unnamed_file.number(), 0, SEEK_SET);
  for (std::string piece; !(piece = read_some(unnamed_file)).empty();) text += piece;
  return text;
}

void write_all(int file, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_call("write");
    written += static_cast<std::size_t>(count);
  }
}

std::string read_some(const FileDescriptor& file) {
  std::string piece(65536, '\0');
  ssize_t size = -1;
  do {
    size = read(file.number(), piece.data(), piece.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) fail_call("read");
  piece.resize(static_cast<std::size_t>(size));
  return piece;
}

void read_until_end(const FileDescriptor& file,
                    const std::function<void(const std::string&)>& piece) {
  while (true) {
    if (wait_for_input({file.number()}).empty()) continue;
    const std::string text = read_some(file);
    if (text.empty()) return;
    piece(text);
  }
}

std::vector<std::size_t> wait_for_input(const std::vector<int>& files,
                                        std::optional<std::chrono::milliseconds> time) {
  std::vector<pollfd> polls;
  polls.reserve(files.size() + 1);
  for (const int file : files) polls.push_back({.fd = file, .events = POLLIN, .revents = 0});
  polls.push_back({.fd = SignalScope::descriptor(), .events = POLLIN, .revents = 0});
  const int most_ms = time ? static_cast<int>(time->count()) : -1;
  int count = -1;
  while (count < 0) {
    SignalScope::check();
    count = poll(polls.data(), polls.size(), most_ms);
    if (count < 0 && errno != EINTR) fail_call("poll");
  }
  SignalScope::check();
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (polls[i].revents != 0) ready.push_back(i);
  }
  return ready;
}

}  // namespace epochcast
