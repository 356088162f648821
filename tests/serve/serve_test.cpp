// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/serve/running_server.hpp"
#include "tests/support/run_program.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;

const std::string kSettings =
    R"({"platform":"deep-est-esb","nodes":"4","network":"resnet50","dataset":"cifar10","strategy":"sync,local-sgd"})";
const std::string kQuestion = R"({"settings":)" + kSettings + R"(,"intervals":false})";

/// The lines of an answer; forecasts, which come as they are finished, in the order of tasks.
std::vector<Json> lines_of(const Reply& reply) {
  std::vector<Json> lines;
  std::istringstream text(reply.body);
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  const auto has_task = [](const Json& line) { return line.contains("task"); };
  const auto first = std::ranges::find_if(lines, has_task);
  std::sort(first,
            std::find_if_not(first, lines.end(), has_task),
            [](const Json& a, const Json& b) { return a["task"] < b["task"]; });
  return lines;
}

std::string problem_of(const Reply& reply) { return Json::parse(reply.body)["problems"][0]; }

/// Temporary folders where the server is started.
class Folders {
 public:
  explicit Folders(std::vector<std::string> names) : names_(std::move(names)) {
    for (const std::string& name : names_) std::filesystem::create_directories(name + "/train/one");
  }
  ~Folders() {
    for (const std::string& name : names_) std::filesystem::remove_all(name);
  }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;

 private:
  std::vector<std::string> names_;
};

TEST_CASE("a server's answer equals the command's output, and has the command") {
  const RunningServer server;
  const Outcome command = run_program({"env",
                                       "EPOCHCAST_DATA=" EPOCHCAST_SOURCE_DIR,
                                       EPOCHCAST_PROGRAM,
                                       "simulate",
                                       "--platform=deep-est-esb",
                                       "--nodes=4",
                                       "--network=resnet50",
                                       "--dataset=cifar10",
                                       "--strategy=sync,local-sgd",
                                       "--deterministic",
                                       "--format=json"});

  const Reply reply = server.post("/api/forecast", kQuestion);

  CHECK(reply.status == 200);
  const std::vector<Json> lines = lines_of(reply);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["tasks"] == 2);
  CHECK(lines[0]["command"] ==
        "epochcast simulate --dataset=cifar10 --network=resnet50 --nodes=4 --platform=deep-est-esb "
        "--strategy=sync,local-sgd --deterministic=true");
  const Json expected = Json::parse(command.out)["runs"];
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(lines[i + 1]["runs"][0]["epoch_s"] == expected[i]["epoch_s"]);
  CHECK(lines[3]["is_done"] == true);
}

TEST_CASE("forecasts come as they are finished, each with the place of its task") {
  const RunningServer server;

  const std::vector<Json> lines = lines_of(server.post(
      "/api/forecast",
      R"({"settings":{"platform":"four-sites","network":"resnet20","dataset":"cifar10","strategy":"ps-async,sync,gssp"},"intervals":false})"));

  REQUIRE(lines.size() == 5);
  for (const auto& [task, strategy] : {std::pair(0, "ps-async"), {1, "sync"}, {2, "gssp"}}) {
    const Json& line = lines[static_cast<std::size_t>(task) + 1];
    CHECK(line["task"] == task);
    CHECK(line["runs"][0]["strategy"] == strategy);
  }
}

TEST_CASE("a server forecasts every point of a sweep") {
  const RunningServer server;

  const Reply reply = server.post(
      "/api/forecast",
      R"({"settings":{"platform":"deep-est-esb","network":"resnet50","dataset":"cifar10","strategy":"sync"},"sweep":{"nodes":[2,"4"]}})");

  const std::vector<Json> lines = lines_of(reply);
  REQUIRE(lines.size() == 4);
  CHECK(lines[1]["runs"][0]["point"] == Json{{"nodes", "2"}});
  CHECK(lines[2]["runs"][0]["nodes"] == 4);
}

TEST_CASE("a server's find equals the command's") {
  const RunningServer server;
  const std::string settings =
      R"({"platform":"deep-est-esb","nodes":"4","network":"resnet50","dataset":"cifar10","strategy":"sync"})";
  const Outcome command = run_program({"env",
                                       "EPOCHCAST_DATA=" EPOCHCAST_SOURCE_DIR,
                                       EPOCHCAST_PROGRAM,
                                       "find",
                                       "network.bandwidth",
                                       "--where=exposed < 10%",
                                       "--platform=deep-est-esb",
                                       "--nodes=4",
                                       "--network=resnet50",
                                       "--dataset=cifar10",
                                       "--strategy=sync",
                                       "--format=json"});

  const Reply reply = server.post(
      "/api/find",
      R"({"settings":)" + settings + R"(,"find":"network.bandwidth","where":["exposed < 10%"]})");

  CHECK(reply.status == 200);
  const Json found = Json::parse(reply.body);
  CHECK(found["answers"][0]["found"]["text"] ==
        Json::parse(command.out)["answers"][0]["found"]["text"]);
  CHECK(found["provenance"]["command"].get<std::string>().rfind(
            "epochcast find network.bandwidth --where 'exposed < 10%'", 0) == 0);
}

/// The output of a command that a server has shown, as JSON.
Json said_by(const std::string& command) {
  const std::string program = "epochcast ";
  REQUIRE(command.rfind(program, 0) == 0);
  return Json::parse(run_program({"sh",
                                  "-c",
                                  "EPOCHCAST_DATA=" EPOCHCAST_SOURCE_DIR " " EPOCHCAST_PROGRAM " " +
                                      command.substr(program.size()) + " --format=json"})
                         .out);
}

TEST_CASE("the command that a server shows has the same result, also with varying costs") {
  const RunningServer server;
  const std::string settings =
      R"({"settings":{"platform":"epyc-vm-2core","network":"small-cnn","dataset":"cifar10","strategy":"sync","repetitions":"3"})";
  for (const std::string intervals : {"true", "false"}) {
    const std::string end = R"(,"intervals":)" + intervals + "}";

    const std::vector<Json> lines = lines_of(server.post("/api/forecast", settings + end));
    const Json found = Json::parse(
        server.post("/api/find", settings + R"(,"find":"batch","where":["epoch < 60s"])" + end)
            .body);

    REQUIRE(lines.size() == 3);
    const Json run = said_by(lines[0]["command"])["runs"][0];
    CHECK(lines[1]["runs"][0]["epoch_s"] == run["epoch_s"]);
    CHECK(run["epoch_s_interval"].is_null() == (intervals == "false"));
    const Json again = said_by(found["provenance"]["command"])["answers"][0];
    CHECK(found["answers"][0]["found"]["figures"] == again["found"]["figures"]);
    CHECK(found["answers"][0]["bounds"] == again["bounds"]);
    CHECK(again["bounds"].is_null() == (intervals == "false"));
  }
}

TEST_CASE("a timeline is computed from the files that its task names") {
  const RunningServer server;
  const std::string settings =
      R"({"settings":{"platform":"deep-est-esb","nodes":"2","dataset":"cifar10","strategy":"sync")";

  const Json both = Json::parse(
      server.post("/api/timeline", settings + R"(},"sweep":{"network":["resnet50","vgg16"]}})")
          .body);
  const Json second =
      Json::parse(server.post("/api/timeline", settings + R"(,"network":"vgg16"}})").body);

  REQUIRE(both.size() == 2);
  CHECK(both[0]["workers"].size() == 2);
  CHECK(both[0]["events"].size() > 8);
  CHECK(both[0]["events"] != both[1]["events"]);
  CHECK(both[1] == second[0]);
}

TEST_CASE("an invalid find request is reported") {
  const RunningServer server;
  const auto problem = [&](const std::string& question) {
    const Reply reply =
        server.post("/api/find", R"({"settings":)" + kSettings + "," + question + "}");
    CHECK(reply.status == 400);
    return problem_of(reply);
  };

  CHECK(problem(R"("intervals":false)") ==
        "request: /find: missing; expected the name of a setting");
  CHECK(problem(R"("find":"nodes")").find("/where") != std::string::npos);
  CHECK(problem(R"("find":"nodes","where":["exposed < 10%"],"sweep":{"batch":["32","64"]})") ==
        "sweep: a find request is about one job; expected no sweep");
  CHECK(problem(R"("find":"nodes","where":["exposed is small"])").find("exposed is small") !=
        std::string::npos);
  CHECK(problem(R"("find":"colour","where":["exposed < 10%"])").find("colour") !=
        std::string::npos);
}

TEST_CASE("a platform's figures are settings of a page, and of the command that it shows") {
  const RunningServer server;

  const Reply reply = server.post(
      "/api/forecast",
      R"({"settings":{"platform":"deep-est-esb","nodes":"4","network":"resnet50","dataset":"cifar10","strategy":"sync","network.bandwidth":"1Gbps"},"intervals":false})");

  const std::vector<Json> lines = lines_of(reply);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["command"].get<std::string>().find("--set=network.bandwidth=1Gbps") !=
        std::string::npos);
  CHECK(lines[1]["runs"][0]["config"]["network.bandwidth"] == "125MBps");
}

TEST_CASE("files that change are read again") {
  const std::string folder = "serve-files";
  std::filesystem::create_directories(folder + "/models/platforms");
  const std::string file = folder + "/models/platforms/mine.json";
  const Json original =
      Json::parse(std::ifstream(EPOCHCAST_SOURCE_DIR "/models/platforms/deep-est-dam.json"));
  const auto write = [&](const std::string& bandwidth) {
    Json platform = original;
    platform["name"] = "mine";
    platform["network"]["bandwidth"] = bandwidth;
    std::ofstream(file) << platform;
  };
  write("100Gbps");
  const RunningServer server({"--set", "platform=" + file});
  const auto epoch_s = [&] {
    const Reply reply = server.post(
        "/api/forecast",
        R"({"settings":{"platform":")" + file +
            R"(","nodes":"4","network":"resnet50","dataset":"cifar10","strategy":"sync"},"intervals":false})");
    return lines_of(reply).at(1)["runs"][0]["epoch_s"].get<double>();
  };

  const double before_s = epoch_s();
  CHECK(epoch_s() == before_s);
  write("1Gbps");

  CHECK(epoch_s() > before_s);
  std::filesystem::remove_all(folder);
}

TEST_CASE("problems of a request are reported with the command's messages") {
  const RunningServer server;
  const auto problem = [&](const std::string& settings) {
    const Reply reply = server.post("/api/forecast", R"({"settings":)" + settings + "}");
    CHECK(reply.status == 400);
    return problem_of(reply);
  };

  CHECK(problem(R"({"node":"4"})").find("did you mean \"nodes\"?") != std::string::npos);
  CHECK(problem(R"({"nodes":"many"})").rfind("nodes: got \"many\"", 0) == 0);
  CHECK(problem(R"({"ranks":"4"})").rfind("ranks: ", 0) == 0);
  CHECK(problem(R"({"network":"/tmp/model.pt"})").find("expected a name in the catalogue") !=
        std::string::npos);
  CHECK(problem(R"({"trace":"../x.json"})").find("expected a name in the catalogue") !=
        std::string::npos);
  CHECK(problem(R"({"nodes":[]})").rfind("request: /settings/nodes", 0) == 0);
  CHECK(problem_of(server.post("/api/forecast", "{")).rfind("request:1:", 0) == 0);
  CHECK(
      problem_of(server.post("/api/forecast", R"({"settings":{},"sweeps":{}})")).find("/sweeps") !=
      std::string::npos);
}

TEST_CASE("a local folder is no data set of a page") {
  const Folders folders({"serve-images", "cifar10"});
  const RunningServer server;
  const auto reply_for = [&](const std::string& dataset) {
    return server.post(
        "/api/forecast",
        R"({"settings":{"platform":"deep-est-esb","nodes":"4","network":"resnet50","strategy":"sync","dataset":")" +
            dataset + R"("},"intervals":false})");
  };

  CHECK(problem_of(reply_for("serve-images"))
            .rfind("dataset: got \"serve-images\"; expected a name in the catalogue", 0) == 0);
  CHECK(lines_of(reply_for("cifar10")).back()["is_done"] == true);
}

TEST_CASE("strategies that cannot be forecast are reported with the others") {
  const RunningServer server;

  const Reply reply = server.post(
      "/api/forecast",
      R"({"settings":{"platform":"deep-est-esb","nodes":"32","network":"resnet50","dataset":"cifar10","strategy":"sync,local-sgd","local-steps":"32"},"intervals":false})");

  const std::vector<Json> lines = lines_of(reply);
  REQUIRE(lines.size() == 4);
  CHECK(lines[1]["runs"].size() == 1);
  CHECK(lines[2]["not_forecast"][0]["strategy"] == "local-sgd");
}

TEST_CASE("a sweep of too many points is refused before its points are made") {
  const RunningServer server;
  std::string values = "1";
  for (int i = 2; i <= 316; ++i) values += "," + std::to_string(i);

  const Reply many = server.post("/api/forecast",
                                 R"({"settings":)" + kSettings + R"(,"sweep":{"batch":[)" + values +
                                     R"(],"seed":[)" + values + "]}}");

  CHECK(lines_of(many).back()["problems"][0] ==
        "sweep: at least 99856 forecasts are more than the 600 that a page asks for; run the "
        "command instead");
}

TEST_CASE("a server refuses requests larger than a page sends") {
  const RunningServer server;

  const Reply huge = server.post("/api/forecast", std::string(70'000, ' '));
  const Reply many = server.post(
      "/api/forecast", R"({"settings":)" + kSettings + R"(,"sweep":{"batch":[)" + [] {
        std::string values = "1";
        for (int i = 2; i <= 400; ++i) values += "," + std::to_string(i);
        return values;
      }() + "]}}");

  CHECK(huge.status == 413);
  CHECK(problem_of(huge) == "more than 64 KiB were sent");
  CHECK(lines_of(many).back()["problems"][0].get<std::string>().find(
            "800 forecasts are more than the 600") != std::string::npos);
  CHECK(server.get("/" + std::string(20'000, 'x')).status != 200);
  CHECK(server.send("nonsense\r\n\r\n").status != 200);
  CHECK(server.get("/api/nothing").status == 404);
  CHECK(server.get("/../README.md").status == 404);
  CHECK(server.get("/api/about").status == 200);
}

TEST_CASE("a body that does not give its length is refused before it is read") {
  const RunningServer server;
  const std::string head = "POST /api/forecast HTTP/1.1\r\nHost: " + server.host() +
                           "\r\nContent-Type: application/json\r\n";

  // 16 MiB are announced, but not sent.
  const Reply chunks = server.send(head + "Transfer-Encoding: chunked\r\n\r\n1000000\r\n{");
  const Reply packed = server.post("/api/forecast", kQuestion, "Content-Encoding: gzip\r\n");

  for (const Reply& reply : {chunks, packed}) {
    CHECK(reply.status == 400);
    CHECK(problem_of(reply) == "expected a body as it is, with its Content-Length");
  }
}

TEST_CASE("a server lists all choices, and the accuracy of forecasts") {
  const RunningServer server({"--platform", "deep-est-dam", "--nodes", "2"});

  const Json about = Json::parse(server.get("/api/about").body);

  CHECK(about["start"]["platform"] == "deep-est-dam");
  CHECK(about["start"]["nodes"] == "2");
  CHECK(about["strategies"].size() > 10);
  CHECK(about["platforms"][0].contains("nodes"));
  const Json& fidelity = about["fidelity"];
  REQUIRE(fidelity.size() > 2);
  CHECK_THAT(fidelity.front().get<std::string>(), Catch::StartsWith("Same cluster, "));
  CHECK_THAT(fidelity.front().get<std::string>(), Catch::Contains(": median "));
  const std::string last_row = fidelity[fidelity.size() - 2];
  CHECK_THAT(last_row, Catch::StartsWith("Extrapolated, "));
  CHECK_THAT(last_row, Catch::Contains(", worst "));
  // Unmeasured cases are mentioned, too; the page shows no Markdown.
  const std::string paragraph = fidelity.back();
  CHECK_THAT(paragraph, Catch::StartsWith("No cluster of several machines was ever measured"));
  CHECK_THAT(paragraph, Catch::EndsWith("."));
  for (const Json& line : fidelity) CHECK(line.get<std::string>().find("](") == std::string::npos);
}

TEST_CASE("files named on the command line may be used in requests") {
  const std::string file = EPOCHCAST_SOURCE_DIR "/models/platforms/deep-est-dam.json";
  const RunningServer server({"--platform", file});

  const Reply reply = server.post(
      "/api/forecast",
      R"({"settings":{"platform":")" + file +
          R"(","nodes":"2","network":"resnet50","dataset":"cifar10","strategy":"sync"},"intervals":false})");

  CHECK(reply.status == 200);
  CHECK(lines_of(reply).back()["is_done"] == true);
}

}  // namespace
}  // namespace epochcast::tests
