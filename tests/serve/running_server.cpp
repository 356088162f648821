// SPDX-License-Identifier: Apache-2.0
#include "tests/serve/running_server.hpp"

#include <arpa/inet.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <stdexcept>

namespace epochcast::tests {
namespace {

std::vector<std::string> words_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {
      "env", "EPOCHCAST_DATA=" EPOCHCAST_SOURCE_DIR, EPOCHCAST_PROGRAM, "serve"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

/// The number of descendants of this process that have not ended.
std::size_t count_below(pid_t process) {
  const std::string tasks = "/proc/" + std::to_string(process) + "/task/";
  std::ifstream children(tasks + std::to_string(process) + "/children");
  std::size_t count = 0;
  for (pid_t child = 0; children >> child;) {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string text;
    std::getline(stat, text);
    const std::size_t state = text.rfind(") ");
    const bool has_ended = state == std::string::npos || text[state + 2] == 'Z';
    count += (has_ended ? 0 : 1) + count_below(child);
  }
  return count;
}

std::string joined_chunks(const std::string& text) {
  std::string body;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t line = text.find("\r\n", at);
    const std::size_t size = std::stoul(text.substr(at, line - at), nullptr, 16);
    if (size == 0) break;
    body += text.substr(line + 2, size);
    at = line + 2 + size + 2;
  }
  return body;
}

}  // namespace

RunningServer::RunningServer(const std::vector<std::string>& arguments)
    : child_(
          Child::start(words_of(arguments), {.out = out_.writing.number(), .err = err_.number()})) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  out_.writing = FileDescriptor();
  std::string printed;
  while (printed.find('\n') == std::string::npos) {
    const std::string piece = read_some(out_.reading);
    if (piece.empty())
      throw std::runtime_error("the server has printed nothing but \"" + printed + "\"");
    printed += piece;
  }
  port_ = std::stoi(printed.substr(printed.rfind(':') + 1));
}

FileDescriptor RunningServer::connection() const {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    throw std::runtime_error("no server at the port");
  return socket;
}

Reply RunningServer::send(const std::string& text) const {
  const FileDescriptor socket = connection();
  // A server that has read enough may have closed its end.
  static_cast<void>(::send(socket.number(), text.data(), text.size(), MSG_NOSIGNAL));
  std::string answer;
  std::array<char, 4096> bytes{};
  for (ssize_t count = 0; (count = recv(socket.number(), bytes.data(), bytes.size(), 0)) > 0;)
    answer.append(bytes.data(), static_cast<std::size_t>(count));
  const std::size_t end = answer.find("\r\n\r\n");
  if (end == std::string::npos) return {};
  Reply reply = {.status = std::stoi(answer.substr(answer.find(' ') + 1)),
                 .headers = answer.substr(0, end),
                 .body = answer.substr(end + 4)};
  if (reply.headers.find("chunked") != std::string::npos) reply.body = joined_chunks(reply.body);
  return reply;
}

Reply RunningServer::get(const std::string& path, const std::string& more) const {
  return send("GET " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n" + more + "\r\n");
}

std::string RunningServer::post_text(const std::string& path,
                                     const std::string& body,
                                     const std::string& more) const {
  return "POST " + path + " HTTP/1.1\r\nHost: " + host() +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + more + "\r\n" + body;
}

Reply RunningServer::post(const std::string& path,
                          const std::string& body,
                          const std::string& more) const {
  return send(post_text(path, body, more));
}

std::size_t RunningServer::working() const {
  return count_below(getpid()) - 1;  // the server itself
}

int RunningServer::end_by(int signal) {
  kill(child_.pid(), signal);
  return child_.wait().in_shell();
}

}  // namespace epochcast::tests
