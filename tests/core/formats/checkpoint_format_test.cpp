// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint_format.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

constexpr const char* kSchema = "epochcast.checkpoint/2";

const RankState kState = {.position = {0, 2, 0, 7},
                          .memory = {{"batches", {3, 5}}, {"learning curve", {0.1, 96, 1e6}}},
                          .learner = std::string("weights\0and\nmore", 16),
                          .compression = "errors",
                          .kept = "momentum"};

std::string text_of(const RankState& state, const std::string& file, int rank = 1) {
  return seal_rank_state(file, 3, rank, state).line + state.learner + state.compression +
         state.kept;
}

std::string checksum_of(const RankState& state, const std::string& file, int rank = 1) {
  return seal_rank_state(file, 3, rank, state).checksum;
}

/// The error for a rank's file whose header was constructed, with a valid checksum.
std::string complaint_about(const nlohmann::ordered_json& header) {
  const Seal made_up = seal(kSchema, "saved/a.state", header);
  try {
    static_cast<void>(read_rank_state("saved/a.state", made_up.line, made_up.checksum));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("a rank's state is read back unchanged") {
  const RankState read =
      read_rank_state("a.state", text_of(kState, "a.state"), checksum_of(kState, "a.state"));

  CHECK(read == kState);
}

TEST_CASE("a rank without compression or kept vectors has a state without their bytes") {
  RankState state = kState;
  state.compression.clear();
  CHECK(text_of(state, "a.state").find("compression_bytes") == std::string::npos);
  CHECK(read_rank_state("a.state", text_of(state, "a.state"), checksum_of(state, "a.state")) ==
        state);
  state.kept.clear();

  CHECK(text_of(state, "a.state").find("kept_bytes") == std::string::npos);
  CHECK(read_rank_state("a.state", text_of(state, "a.state"), checksum_of(state, "a.state")) ==
        state);
}

TEST_CASE("a state of another rank, checkpoint or job differs from the manifest's") {
  CHECK_THROWS_WITH(
      read_rank_state("a.state", text_of(kState, "a.state"), checksum_of(kState, "a.state", 0)),
      "a.state: is not the file that checkpoint.json names, but one of checkpoint 3, rank 1, of "
      "this or another job");
}

TEST_CASE("an impossible state is refused with a message even if its checksum is right") {
  const nlohmann::ordered_json good = {
      {"serial", 3}, {"rank", 1}, {"position", {0, 2}}, {"memory", nlohmann::json::object()}};
  CHECK(complaint_about(good) == "nothing");
  nlohmann::ordered_json short_of = good;
  short_of["compression_bytes"] = 1;
  CHECK(complaint_about(short_of) ==
        "saved/a.state: /compression_bytes: got 1; expected at most the bytes that follow");
  const auto [key, value, complaint] = GENERATE(table<std::string, std::string, std::string>({
      {"position", "[0, -5]", "/position/1: got -5; expected a whole number of at least 0"},
      {"position", "[]", "/position: got a list of 0; expected a list that is not empty"},
      {"position", "[0, 1, 2]", "/position: got a list of 3; expected two numbers for each loop"},
      {"position", "[0, \"1\"]", "/position/1: got \"1\"; expected a whole number of at least 0"},
      {"position", "[0, 0.5]", "/position/1: got 0.5; expected a whole number of at least 0"},
      {"position", "7", "/position: got 7; expected a list that is not empty"},
      {"memory", "[1]", "/memory: got a list of 1; expected an object"},
      {"memory", "{\"x\": 1}", "/memory/x: got 1; expected a list"},
      {"memory", "{\"x\": [null]}", "/memory/x/0: got null; expected a number"},
      {"serial", "0", "/serial: got 0; expected a whole number of at least 1"},
      {"rank", "-1", "/rank: got -1; expected a whole number of at least 0"},
  }));
  CAPTURE(key, value);

  nlohmann::ordered_json bad = good;
  bad[key] = nlohmann::ordered_json::parse(value);

  CHECK(complaint_about(bad) == "saved/a.state: " + complaint);
  bad.erase(key);
  CHECK(complaint_about(bad) == "saved/a.state: /" + key + ": missing");
}

TEST_CASE("a manifest is JSON and is read back unchanged") {
  const CheckpointManifest manifest = {
      .serial = 4,
      .epoch = 3,
      .settings = {{"batch", "32"}, {"data", ""}},
      .checksums = {"aa", "bb"},
      .numbers = GENERATE(std::vector<int>(), std::vector<int>{0, 2})};

  const std::string text = manifest_text("checkpoint.json", manifest);
  const CheckpointManifest read = read_manifest("checkpoint.json", text);

  CHECK(read == manifest);
  CHECK(nlohmann::json::parse(text).at("serial") == 4);
}

TEST_CASE("an impossible manifest, and one of the first version, is refused with a message") {
  CHECK_THROWS_WITH(read_manifest("saved/checkpoint.json", ""),
                    "saved/checkpoint.json: is empty; expected epochcast.checkpoint/2");
  CHECK_THROWS_WITH(read_manifest("saved/checkpoint.json",
                                  "{\n  \"schema\": \"epochcast.checkpoint/1\",\n  \"serial\": 2}"),
                    "saved/checkpoint.json: is of epochcast.checkpoint/1, which this version does "
                    "not read; expected epochcast.checkpoint/2");
  const Seal made_up = seal(kSchema,
                            "checkpoint.json",
                            {{"serial", "2"},
                             {"epoch", 0},
                             {"settings", {{"batch", 32}}},
                             {"checksums", nlohmann::json::array()}});
  CHECK_THROWS_WITH(
      read_manifest("checkpoint.json", made_up.line),
      "checkpoint.json: /serial: got \"2\"; expected a whole number of at least 1\n"
      "checkpoint.json: /epoch: got 0; expected a whole number of at least 1\n"
      "checkpoint.json: /settings/batch: got 32; expected a text\n"
      "checkpoint.json: /checksums: got a list of 0; expected a list that is not empty");
}

}  // namespace
}  // namespace epochcast::tests
