// SPDX-License-Identifier: Apache-2.0
#include "base/process/fork_server.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <utility>

#include "base/process/interruption.hpp"
#include "base/process/pipe.hpp"
#include "base/process/system_call.hpp"

namespace epochcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kRunPollInterval = 10ms;
constexpr std::size_t kLongestRequest = 128 * 1024;  // as long as an argument of a program may be

struct SocketPair {
  explicit SocketPair(int type) {
    std::array<int, 2> ends = {-1, -1};
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) fail_call("socketpair");
    ours = FileDescriptor(ends[0]);
    theirs = FileDescriptor(ends[1]);
  }
  FileDescriptor ours;
  FileDescriptor theirs;
};

/// Arguments, and the files of a run: its output, its messages, and the socket for its status.
struct Request {
  static constexpr std::size_t kFiles = 3;
  std::string words;  ///< each followed by a zero byte
  std::array<int, kFiles> files = {-1, -1, -1};
};

/// A message of one request.
class Message {
 public:
  explicit Message(std::string& bytes) : piece_{bytes.data(), bytes.size()} {
    header_.msg_iov = &piece_;
    header_.msg_iovlen = 1;
    header_.msg_control = control_.data();
    header_.msg_controllen = control_.size();
  }
  msghdr* header() { return &header_; }

 private:
  iovec piece_;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(Request::kFiles * sizeof(int))> control_ = {};
  msghdr header_ = {};
};

bool send_request(int socket, Request request) {
  Message message(request.words);
  cmsghdr* files = CMSG_FIRSTHDR(message.header());
  files->cmsg_level = SOL_SOCKET;
  files->cmsg_type = SCM_RIGHTS;
  files->cmsg_len = CMSG_LEN(sizeof request.files);
  std::memcpy(CMSG_DATA(files), request.files.data(), sizeof request.files);
  return sendmsg(socket, message.header(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(request.words.size());
}

/// False at the end of all requests.
bool receive_request(int socket, Request& request) {
  request.words.assign(kLongestRequest, '\0');
  Message message(request.words);
  ssize_t size = -1;
  do {
    size = recvmsg(socket, message.header(), MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < 0) fail_call("recvmsg");
  if (size == 0) return false;
  request.words.resize(static_cast<std::size_t>(size));
  const cmsghdr* files = CMSG_FIRSTHDR(message.header());
  if (files == nullptr || files->cmsg_len != CMSG_LEN(sizeof request.files))
    throw RunError("a request to run a program has no files");
  std::memcpy(request.files.data(), CMSG_DATA(files), sizeof request.files);
  return true;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\0', begin);
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// In a process of its own: runs the program in another one, and sends its status. If the other
/// side is gone before, the run is ended.
int watch_run(const std::function<int()>& run, int status_socket) try {
  const SignalScope signals;
  Child child = Child::fork(run);
  while (!child.has_ended()) {
    if (!wait_for_input({status_socket}, kRunPollInterval).empty())
      return status_of(Ending::failed);
  }
  const int status = child.wait().of_wait();
  return send(status_socket, &status, sizeof status, MSG_NOSIGNAL) == sizeof status
             ? 0
             : status_of(Ending::failed);
} catch (const Interrupted&) {
  return status_of(Ending::failed);
}

/// Ends this process as another one ended.
int end_like(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    std::signal(WTERMSIG(wait_status), SIG_DFL);
    kill(getpid(), WTERMSIG(wait_status));
  }
  return ExitStatus(wait_status).in_shell();
}

void serve_until_end(const std::function<int(const std::vector<std::string>& arguments)>& run) {
  const SignalScope signals;
  std::vector<Child> runs;
  Request request;
  while (true) {
    if (wait_for_input({STDIN_FILENO}).empty()) continue;
    if (!receive_request(STDIN_FILENO, request)) return;
    std::erase_if(runs, [](Child& child) {
      if (!child.has_ended()) return false;
      child.wait();
      return true;
    });
    const FileDescriptor out(request.files[0]);
    const FileDescriptor err(request.files[1]);
    const FileDescriptor status(request.files[2]);
    const auto in_process = [&] {
      dup2(out.number(), STDOUT_FILENO);
      dup2(err.number(), STDERR_FILENO);
      const int ending = run(words_of(request.words));
      std::cout.flush();
      return ending;
    };
    runs.push_back(Child::fork([&] { return watch_run(in_process, status.number()); }));
  }
}

}  // namespace

ForkServer::ForkServer(const std::vector<std::string>& words)
    : program_([&] {
        SocketPair sockets(SOCK_SEQPACKET);
        requests_ = std::move(sockets.ours);
        return Child::start(words, {.in = sockets.theirs.number()});
      }()) {}

Child ForkServer::start(const std::vector<std::string>& arguments, int out, int err) const {
  std::string words;
  for (const std::string& word : arguments) words += word + '\0';
  return Child::fork([&] {
    SocketPair status(SOCK_STREAM);
    int wait_status = 0;
    const bool is_sent =
        send_request(requests_.number(), {words, {out, err, status.theirs.number()}});
    status.theirs.reset();
    if (is_sent && recv(status.ours.number(), &wait_status, sizeof wait_status, MSG_WAITALL) ==
                       sizeof wait_status)
      return end_like(wait_status);
    write_all(err, "epochcast: the program that was to run has ended\n");
    return Child::kNotStarted;
  });
}

void serve_forks(const std::function<int(const std::vector<std::string>& arguments)>& run) {
  try {
    serve_until_end(run);
  } catch (const Interrupted&) {
    // The other side has ended: it says so itself.
  }
}

}  // namespace epochcast
