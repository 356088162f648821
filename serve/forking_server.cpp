// SPDX-License-Identifier: Apache-2.0
#include "serve/forking_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/process/interruption.hpp"
#include "serve/connection.hpp"

namespace epochcast {
namespace {

constexpr const char* kAddress = "127.0.0.1";
constexpr std::size_t kMostBody = 65536;      // bytes
constexpr std::size_t kMostConnections = 32;  // at a time
constexpr time_t kPollInterval_us = 100'000;  // between polls for signals and connections

using namespace std::chrono_literals;
/// After a client's end of stream: time for a short answer, since the client may have shut down
/// only its writing side.
constexpr auto kHangUpTimeout = 1s;
/// Then from SIGTERM to SIGKILL.
constexpr auto kGrace = 5s;

/// Runs each connection's work at once, in this thread; checks for signals between them.
class InPlace : public httplib::TaskQueue {
 public:
  InPlace(httplib::Server& server, std::function<void()> look)
      : server_(server), look_(std::move(look)) {}
  void enqueue(std::function<void()> work) override {
    work();
    on_idle();
  }
  void shutdown() override {}
  void on_idle() override {
    look_();
    try {
      SignalScope::check();
    } catch (const Interrupted&) {
      server_.stop();  // serve() rethrows it, outside of the library
    }
  }

 private:
  httplib::Server& server_;
  std::function<void()> look_;
};

/// Whether the client has closed its end, or shut down writing, which cannot be distinguished.
bool has_hung_up(const FileDescriptor& connection) {
  pollfd state = {.fd = connection.number(), .events = POLLRDHUP, .revents = 0};
  return poll(&state, 1, 0) > 0;
}

std::string text_of_problems(const std::vector<std::string>& problems) {
  return nlohmann::json{{"problems", problems}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Answers 503 in this process. The request is read first: to close a socket with unread bytes
/// resets the connection.
void refuse(const FileDescriptor& connection) {
  constexpr int kPatience_ms = 100;
  pollfd state = {.fd = connection.number(), .events = POLLIN, .revents = 0};
  static_cast<void>(poll(&state, 1, kPatience_ms));
  std::array<char, 4096> bytes{};
  while (recv(connection.number(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
  }
  const std::string body =
      text_of_problems({"the server is answering " + std::to_string(kMostConnections) +
                        " requests already; ask again later"});
  const std::string answer =
      "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: "
      "application/json\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  static_cast<void>(
      send(connection.number(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

void say(httplib::Response& response, int status, const std::vector<std::string>& problems) {
  response.status = status;
  response.set_content(text_of_problems(problems), "application/json");
}

}  // namespace

ForkingServer::ForkingServer(const std::vector<int>& ports) {
  // The library's default would share the port with other processes.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    fcntl(socket, F_SETFD, FD_CLOEXEC);
  });
  set_payload_max_length(kMostBody);
  set_idle_interval(0, kPollInterval_us);
  set_tcp_nodelay(true);
  new_task_queue = [this] { return new InPlace(*this, [this] { look_after_answers(); }); };
  set_default_headers({{"Cache-Control", "no-store"},
                       {"Cross-Origin-Resource-Policy", "same-origin"},
                       {"Referrer-Policy", "no-referrer"},
                       {"X-Content-Type-Options", "nosniff"},
                       {"X-Frame-Options", "DENY"}});
  set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    const std::string reason = refusal(request);
    if (!reason.empty()) {
      say(response, 403, {reason});
      return HandlerResponse::Handled;
    }
    // The library limits only a length stated by the request.
    if (request.has_header("Transfer-Encoding") || request.has_header("Content-Encoding")) {
      say(response, 400, {"expected a body as it is, with its Content-Length"});
      return HandlerResponse::Handled;
    }
    return HandlerResponse::Unhandled;
  });
  set_exception_handler(
      [](const httplib::Request&, httplib::Response& response, const std::exception_ptr& thrown) {
        try {
          std::rethrow_exception(thrown);
        } catch (const UserError& error) {
          say(response, 400, error.problems());
        } catch (const std::exception& error) {
          say(response, 500, {error.what()});
        }
      });
  set_error_handler([](const httplib::Request& request, httplib::Response& response) {
    if (!response.body.empty()) return;
    say(response,
        response.status,
        {response.status == 404   ? "there is no " + request.path
         : response.status == 413 ? "more than 64 KiB were sent"
                                  : "the request was not understood"});
  });
  for (const int port : ports) {
    if (port == kAnyPort) port_ = bind_to_any_port(kAddress);
    if (port != kAnyPort && bind_to_port(kAddress, port)) port_ = port;
    if (port_ > 0) return;
  }
  throw UserError("--port: got " + std::to_string(ports.back()) +
                  "; port in use or not permitted; without --port, a free one is chosen");
}

void ForkingServer::serve() {
  const SignalScope signals;
  listen_after_bind();
  for (Answering& each : answering_) each.child.ask_to_end();
  answering_.clear();
  SignalScope::check();
  throw RunError("the server stopped listening");
}

void ForkingServer::look_after_answers() {
  std::erase_if(answering_, [this](Answering& each) {
    if (!is_over(each)) return false;
    receive_(text_of(each.message));
    return true;
  });
}

bool ForkingServer::is_over(Answering& each) {
  if (each.child.has_ended()) return true;
  const auto now = std::chrono::steady_clock::now();
  if (!each.hung_up && has_hung_up(each.connection)) each.hung_up = now;
  if (!each.hung_up || now < *each.hung_up + kHangUpTimeout) return false;
  each.child.ask_to_end();
  return now > *each.hung_up + kHangUpTimeout + kGrace;  // its destructor kills it
}

bool ForkingServer::process_and_close_socket(socket_t socket) {
  FileDescriptor connection(socket);
  if (answering_.size() >= kMostConnections) {
    refuse(connection);
  } else {
    FileDescriptor message = unnamed_file();
    Child child = Child::fork([&] { return answer(socket, message); });
    answering_.push_back({.child = std::move(child),
                          .message = std::move(message),
                          .connection = std::move(connection),
                          .hung_up = {}});
  }
  return true;
}

int ForkingServer::answer(socket_t connection, const FileDescriptor& message) {
  std::signal(SIGPIPE, SIG_IGN);
  close(svr_sock_);
  for (Answering& other : answering_) other.connection.reset();
  Connection stream(connection);
  bool is_closed = false;
  process_request(stream, true, is_closed, nullptr);
  shutdown(connection, SHUT_RDWR);
  write_all(message.number(), message_);
  return status_of(Ending::done);
}

std::string ForkingServer::refusal(const httplib::Request& request) const {
  const std::string here = ":" + std::to_string(port_);
  const std::string host = request.get_header_value("Host");
  if (host != kAddress + here && host != "localhost" + here)
    return "this server is called 127.0.0.1" + here + ", not " + host;
  const std::string origin = request.get_header_value("Origin");
  if (!origin.empty() && origin != "http://" + host)
    return "pages of " + origin + " may not ask this server";
  const bool is_json = request.get_header_value("Content-Type").rfind("application/json", 0) == 0;
  if (request.method == "POST" && !is_json) return "expected a body of application/json";
  return {};
}

}  // namespace epochcast
