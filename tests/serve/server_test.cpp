// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "base/process/pipe.hpp"
#include "tests/base/process/processes.hpp"
#include "tests/catch.hpp"
#include "tests/serve/running_server.hpp"
#include "tests/support/run_program.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a server answers requests to its own host name from its own pages only") {
  const RunningServer server;
  const auto status = [&](const std::string& host, const std::string& more) {
    return server.send("GET /api/about HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n").status;
  };
  const std::string port = std::to_string(server.port());

  CHECK(status("127.0.0.1:" + port, "") == 200);
  CHECK(status("localhost:" + port, "Origin: http://localhost:" + port + "\r\n") == 200);
  CHECK(status("evil.example:" + port, "") == 403);
  CHECK(status("127.0.0.1", "") == 403);
  CHECK(status("127.0.0.1:1", "") == 403);
  CHECK(status(server.host(), "Origin: https://evil.example\r\n") == 403);
  CHECK(status(server.host(), "Origin: null\r\n") == 403);
  CHECK(status(server.host(), "Origin: http://127.0.0.1:1\r\n") == 403);
  CHECK(server.send("GET / HTTP/1.1\r\n\r\n").status == 403);
}

TEST_CASE("a page of another site cannot send a plain form") {
  const RunningServer server;

  const Reply reply = server.send("POST /api/forecast HTTP/1.1\r\nHost: " + server.host() +
                                  "\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}");

  CHECK(reply.status == 403);
}

TEST_CASE("a page may load its own files only") {
  const RunningServer server;

  const Reply page = server.get("/");

  CHECK(page.headers.find("Content-Security-Policy: default-src 'none'; script-src 'self'") !=
        std::string::npos);
  CHECK(page.headers.find("X-Frame-Options: DENY") != std::string::npos);
  CHECK(page.body.find("http://") == std::string::npos);
  CHECK(page.body.find("https://") == std::string::npos);
  for (std::size_t at = 0; (at = page.body.find(" src=\"", at)) != std::string::npos; ++at) {
    const std::size_t begin = at + 6;
    const std::string file = page.body.substr(begin, page.body.find('"', begin) - begin);
    CAPTURE(file);
    CHECK(server.get(file).status == 200);
  }
}

TEST_CASE("a server answers while other connections are silent") {
  const RunningServer server;
  std::vector<FileDescriptor> silent;
  for (int i = 0; i < 4; ++i) silent.push_back(server.connection());

  CHECK(server.get("/api/about").status == 200);
}

TEST_CASE("a server that answers 32 connections refuses others with 503") {
  constexpr std::size_t kMost = 32;
  const RunningServer server;
  std::vector<FileDescriptor> silent;
  while (silent.size() < kMost) silent.push_back(server.connection());
  REQUIRE(soon([&] { return server.working() == kMost; }));

  const Reply reply = server.get("/api/nothing");

  CHECK(reply.status == 503);
  CHECK(reply.body ==
        R"({"problems":["the server is answering 32 requests already; ask again later"]})");
  silent.clear();
  CHECK(soon([&] { return server.get("/api/nothing").status == 404; }));
}

TEST_CASE("Ctrl-C ends a server, its port is free at once") {
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningServer server;
    const FileDescriptor waiting = server.connection();
    const std::string port = std::to_string(server.port());

    CHECK(server.end_by(signal) == 128 + signal);

    RunningServer next({"--port", port});
    CHECK(next.get("/").status == 200);
    CHECK(next.end_by(signal) == 128 + signal);
  }
}

// A forecast of this number of batches takes minutes.
const std::string kLong =
    R"("settings":{"platform":"deep-est-esb","network":"resnet50","dataset":"imagenet",)"
    R"("strategy":"dlb","epochs":"3000","exact":"true")";

TEST_CASE("a client that hangs up ends its forecasts") {
  const RunningServer server;
  const auto [path, question] = GENERATE(
      std::pair("/api/forecast", "{" + kLong + R"(,"nodes":"4"}})"),
      std::pair("/api/find", "{" + kLong + R"(},"find":"nodes","where":["efficiency > 50%"]})"));
  CAPTURE(path);
  {
    const FileDescriptor connection = server.connection();
    write_all(connection.number(), server.post_text(path, question));
    // One process answers, others simulate.
    REQUIRE(soon([&] { return server.working() >= 2; }));
  }

  CHECK(soon([&] { return server.working() == 0; }));
}

TEST_CASE("a client that only ends its request gets a short answer") {
  const RunningServer server;
  const FileDescriptor connection = server.connection();
  write_all(connection.number(),
            "GET /api/nothing HTTP/1.1\r\nHost: " + server.host() + "\r\n\r\n");

  shutdown(connection.number(), SHUT_WR);

  std::string answer;
  for (std::string piece; !(piece = read_some(connection)).empty();) answer += piece;
  CHECK(answer.starts_with("HTTP/1.1 404"));
}

TEST_CASE("a port in use is reported") {
  const RunningServer server;
  const std::string port = std::to_string(server.port());

  const Outcome other = run_program({EPOCHCAST_PROGRAM, "serve", "--port", port});

  CHECK(other.status == 2);
  CHECK(other.err == "epochcast: --port: got " + port +
                         "; port in use or not permitted; without --port, a free one is "
                         "chosen\n");
}

TEST_CASE("servers use the default port if it is free, and report otherwise") {
  const RunningServer first;
  const RunningServer second;
  const RunningServer any({"--port", "0"});

  CHECK((first.port() == 8417) == first.err().empty());
  CHECK(second.port() != 8417);
  CHECK(second.err() ==
        "epochcast: port 8417 is in use; links to this page open while this server "
        "runs\n");
  CHECK(any.err().empty());
}

}  // namespace
}  // namespace epochcast::tests
