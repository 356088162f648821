// SPDX-License-Identifier: Apache-2.0
// `epochcast-lab forecast` and `ablation`: forecasts of what a validation has kept.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/cli/fake_cluster.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kAdds = 1e8;  // bytes per second

/// A validation of a row that emulates and one that trains, two runs each, in kept/ and v.json. Its
/// cluster reduces 100 MB a second; `more` is measured, too.
class KeptValidation {
 public:
  explicit KeptValidation(const Json& more = Json::array()) {
    Json messages = Json::parse(cluster.folder.read("messages.json"));
    for (const Json& cost : more) messages["costs"].push_back(cost);
    messages["costs"].push_back({{"kind", "reduce"},
                                 {"scope", "all"},
                                 {"bytes", 1 << 22},
                                 {"samples_s", {(1 << 22) / kAdds}}});
    cluster.folder.write("messages.json", messages.dump());
    cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
    cluster.experiment("t.json", "small-cnn", {{"strategy", "sync"}}, "train");
    const Outcome outcome = cluster.validate("e.json t.json", 2);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    cluster.folder.write("v.json", outcome.out);
    static_cast<void>(cluster.calls());
  }

  [[nodiscard]] Json rows() const { return Json::parse(cluster.folder.read("v.json"))["rows"]; }

  [[nodiscard]] Outcome lab(const std::string& arguments) const {
    return cluster.folder.run(arguments, {.program = EPOCHCAST_LAB});
  }

  /// The JSON of `epochcast-lab COMMAND` with these flags, made without the cluster.
  [[nodiscard]] Json json_of(const std::string& command, const std::string& flags = "") const {
    const Outcome outcome = lab(command + " v.json --format json " + flags);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(cluster.calls().empty());
    return Json::parse(outcome.out);
  }

  [[nodiscard]] std::string error(const std::string& flags) const {
    const Outcome outcome = lab(flags);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  }

  FakeCluster cluster;
};

TEST_CASE("forecasts repeated by the same program are equal", "[lab]") {
  const KeptValidation kept;

  const Json again = kept.json_of("forecast");

  CHECK(again["rows"] == kept.rows());
  CHECK(again["provenance"]["command"] ==
        "epochcast validate e.json t.json --folder kept --format json --repetitions 2\n"
        "epochcast-lab forecast v.json --format json");
}

TEST_CASE("messages are calibrated again, regardless of earlier results", "[lab]") {
  const KeptValidation kept;
  for (const auto& entry : fs::directory_iterator(kept.cluster.folder.path() / "kept")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("platform-")) continue;
    Json platform = Json::parse(kept.cluster.folder.read("kept/" + name));
    platform["network"]["bandwidth"] = "1MBps";
    kept.cluster.folder.write("kept/" + name, platform.dump());
  }

  CHECK(kept.json_of("forecast")["rows"] == kept.rows());
}

// In a ring of two each sends half of the gradient twice and reduces it once: a quarter of the
// bytes of both.
TEST_CASE("forecasts without a mechanism equal those from data without it", "[lab]") {
  const KeptValidation kept;

  const Json with = kept.rows()[0]["forecast"];
  const Json without = kept.json_of("forecast", "--without adding")["rows"][0]["forecast"];

  const double adding_s = with["inter_node_bytes"].get<double>() / 4 / kAdds;
  CHECK(with["epoch_s"].get<double>() - without["epoch_s"].get<double>() ==
        Approx(adding_s).epsilon(1e-3));
}

TEST_CASE("a mechanism has no effect on measured exchanges", "[lab]") {
  const KeptValidation kept(Json::array({{{"kind", "all-reduce"},
                                          {"scope", "all"},
                                          {"algorithm", "ring"},
                                          {"bytes", 1 << 20},
                                          {"samples_s", {0.008, 0.008}}}}));

  const double with_s = kept.rows()[0]["forecast"]["epoch_s"];

  const auto without_s = [&](const std::string& mechanisms) {
    const Json json = kept.json_of("forecast", "--without " + mechanisms);
    return json["rows"][0]["forecast"]["epoch_s"].get<double>();
  };
  CHECK(without_s("adding") == Approx(with_s).epsilon(1e-3));
  CHECK(without_s("adding,all-reduces") < 0.8 * with_s);
}

TEST_CASE("an ablation shows the effect of each mechanism", "[lab]") {
  const KeptValidation kept;

  const Json json = kept.json_of("ablation", "--without adding,uplink,noise");

  REQUIRE(json["left_out"].size() == 4);
  CHECK(json["left_out"][0]["concerned"] == std::vector<int>{0, 1});
  CHECK(json["left_out"][1]["concerned"].empty());
  CHECK(json["left_out"][2]["concerned"] == std::vector<int>{1});
  CHECK(json["left_out"][3]["name"] == "all of these");
  CHECK(json["rows"][0]["error"] == kept.rows()[0]["findings"]["error"]);
  CHECK(json["rows"][1]["errors_without"]["uplink"] == kept.rows()[1]["findings"]["error"]);
  CHECK(json["provenance"]["command"].get<std::string>().ends_with(
      "\nepochcast-lab ablation v.json --format json --without adding,uplink,noise"));

  const Outcome table = kept.lab("ablation v.json");
  CHECK(table.status == 0);
  CHECK(lines(table.out)[0].starts_with("left out"));
  CHECK(lines(table.out)[2].starts_with("nothing"));
  const auto rows_concerned = [&](const std::string& mechanism) {
    for (const std::string& line : lines(table.out)) {
      std::istringstream words(line);
      std::string name;
      std::string count;
      if (words >> name >> count && name == mechanism) return count;
    }
    return std::string();
  };
  CHECK(rows_concerned("adding") == "2");
  CHECK(rows_concerned("uplink") == "0");
  CHECK(table.out.find("  every node has the slowest node's link\n") != std::string::npos);
  CHECK(table.out.find("\n2 configurations.\n") != std::string::npos);
}

TEST_CASE("a validation's folder may have been moved", "[lab]") {
  const KeptValidation kept;
  const fs::path& folder = kept.cluster.folder.path();
  const Json rows = kept.rows();
  const std::string first = rows[0]["forecast"]["config"]["platform"];
  const std::string second = rows[1]["forecast"]["config"]["platform"];
  fs::rename(folder / "kept", folder / "moved");

  const std::string expected =
      ": no such file in the validation's folder, from which forecasts are made again; name its "
      "present place with --folder\n";
  CHECK(kept.error("forecast v.json") ==
        "epochcast-lab: " + first + expected + "epochcast-lab: " + second + expected);
  const Json again = kept.json_of("forecast", "--folder moved");
  CHECK(again["rows"][0]["findings"] == rows[0]["findings"]);
  CHECK(again["rows"][1]["findings"] == rows[1]["findings"]);
}

TEST_CASE("data that a folder lacks for new forecasts are reported", "[lab]") {
  const KeptValidation kept;
  const fs::path folder = kept.cluster.folder.path() / "kept";
  const Json config = kept.rows()[0]["forecast"]["config"];

  SECTION("messages") {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with("messages-"))
        fs::remove(entry.path() / "messages.json");
    }
    CHECK(lines(kept.error("forecast v.json"))[0] ==
          "epochcast-lab: " + config["platform"].get<std::string>() +
              ": expected the messages that it comes from beside it, in " + folder.string() +
              "/messages-*; there are none");
  }
  SECTION("batches") {
    const std::string trace = kept.rows()[1]["forecast"]["config"]["trace"];
    fs::remove(trace);
    CHECK(kept.error("forecast v.json").find(trace) != std::string::npos);
  }
}

TEST_CASE("a row without a forecast remains unchanged", "[lab]") {
  const KeptValidation kept;
  Json json = Json::parse(kept.cluster.folder.read("v.json"));
  Json failed = json["rows"][0];
  failed["point"] = "dlb";
  failed["forecast"] = nullptr;
  failed["problems"] = {"mpirun was killed"};
  json["rows"].push_back(failed);
  kept.cluster.folder.write("v.json", json.dump());

  const Json again = kept.json_of("forecast", "--without noise");

  CHECK(again["rows"][2]["forecast"].is_null());
  CHECK(again["rows"][2]["problems"] == failed["problems"]);
  CHECK_FALSE(again["rows"][0]["forecast"].is_null());
}

TEST_CASE("mistakes in the request for new forecasts are reported before the work", "[lab]") {
  const KeptValidation kept;

  CHECK(kept.error("ablation v.json --without uplnk,loading,loading") ==
        "epochcast-lab: --without: unknown mechanism \"uplnk\"; did you mean \"uplink\"?\n"
        "epochcast-lab: --without: duplicate mechanism \"loading\"\n");
  CHECK(kept.error("ablation") ==
        "epochcast-lab: ablation: expected results of validate, or a folder with them\n");
  CHECK(kept.error("ablation kept") ==
        "epochcast-lab: kept: has no result of validate; expected a file that --save has "
        "written\n");
}

TEST_CASE("a folder stands for the results in it and its measurements", "[lab]") {
  const KeptValidation kept;
  const fs::path& folder = kept.cluster.folder.path();
  fs::rename(folder / "kept", folder / "moved");
  fs::rename(folder / "v.json", folder / "moved/v.json");

  const Outcome outcome = kept.lab("ablation moved --without noise --format json");

  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(Json::parse(outcome.out)["rows"].size() == 2);
}

}  // namespace
}  // namespace epochcast::tests
