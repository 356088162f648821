// SPDX-License-Identifier: Apache-2.0
// Every format that is written and read: a written file is read as the same value.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"
#include "base/json/json_text.hpp"
#include "core/formats/checkpoint_format.hpp"
#include "core/formats/cost_trace.hpp"
#include "core/formats/curve_point.hpp"
#include "core/formats/message_trace.hpp"
#include "core/formats/network_file.hpp"
#include "core/formats/platform.hpp"
#include "results/result.hpp"
#include "tests/catch.hpp"
#include "tests/core/formats/random_values.hpp"
#include "tests/models/model_files.hpp"

namespace epochcast::tests {
namespace {

constexpr std::uint64_t kSeeds = 200;
const std::string kAnyFile = "f.json";

TraceFile reread(const TraceFile& trace, const std::string& file) {
  return parse_trace(parse_json(json_text(to_json(trace)), file), file);
}

MessageTrace reread(const MessageTrace& trace, const std::string& file) {
  return parse_message_trace(parse_json(json_text(to_json(trace)), file), file);
}

Platform reread(const Platform& platform, const std::string& file) {
  return parse_platform(parse_json(json_text(to_json(platform)), file), file);
}

NetworkFile reread(const std::string& network) {
  Problems problems(kAnyFile);
  NetworkFile file = read_network_file(parse_json(network, kAnyFile), problems);
  problems.throw_if_any();
  return file;
}

/// Claims to be checked for many values, each with its own dice.
template <typename Claim>
void for_all(Claim claim) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    claim(dice);
  }
}

TEST_CASE("cost traces are the same after they were written and read back") {
  for_all([](Dice& dice) {
    const TraceFile trace = random_trace(dice, kAnyFile);
    CHECK(reread(trace, kAnyFile) == trace);
  });
}

TEST_CASE("our cost traces are the same after they were written and read back", "[long]") {
  for (const std::filesystem::path& file : json_files(EPOCHCAST_SOURCE_DIR "/traces")) {
    if (file_text(file).find("epochcast.trace/1") == std::string::npos) continue;
    CAPTURE(file);
    const TraceFile trace = load_trace(file);
    CHECK(reread(trace, file.string()) == trace);
  }
}

TEST_CASE("message traces are the same after they were written and read back") {
  for_all([](Dice& dice) {
    const MessageTrace trace = random_message_trace(dice, kAnyFile);
    CHECK(reread(trace, kAnyFile) == trace);
  });
}

TEST_CASE("platforms are the same after they were written and read back") {
  for (const std::filesystem::path& file : json_files(models_folder("platforms"))) {
    CAPTURE(file);
    const Platform platform = load_platform(file);
    CHECK(reread(platform, file.string()) == platform);
  }
  for_all([](Dice& dice) {
    const Platform platform = random_platform_of_file(dice, kAnyFile);
    CHECK(reread(platform, kAnyFile) == platform);
    CHECK_NOTHROW(check_platform(platform, kAnyFile));
  });
}

TEST_CASE("networks are the same after they were written and read back") {
  for (const std::filesystem::path& file : json_files(models_folder("networks"))) {
    CAPTURE(file);
    CHECK(network_text(reread(file_text(file))) == file_text(file));
  }
  for_all([](Dice& dice) {
    const NetworkFile network = random_network(dice);
    CHECK(reread(network_text(network)) == network);
  });
}

TEST_CASE("runs are the same after they were written and read back") {
  for_all([](Dice& dice) {
    const RunResult run = random_run(dice);
    const auto json = nlohmann::ordered_json::parse(to_json(run).dump());
    Problems problems(kAnyFile);
    CHECK(read_run(json, "/run", problems) == run);
    CHECK_NOTHROW(problems.throw_if_any());
    CHECK(run_from_json(json) == run);
  });
}

TEST_CASE("learning curves are the same after they were written and read back") {
  for_all([](Dice& dice) {
    const Curve curve = random_curve(dice);
    const nlohmann::json json = parse_json(to_json(curve).dump(), kAnyFile);
    Problems problems(kAnyFile);
    CHECK(read_curve(JsonInput(json, "/curve", problems)) == curve);
    CHECK_NOTHROW(problems.throw_if_any());
  });
}

TEST_CASE("checkpoints are the same after they were written and read back") {
  for_all([](Dice& dice) {
    RankState state = {.position = {dice.between(0, 9), dice.between(0, 1 << 30)},
                       .memory = {{random_text(dice), random_samples(dice, dice.between(0, 9))}},
                       .learner = std::string(static_cast<std::size_t>(dice.between(0, 9)), '\0'),
                       .compression = random_text(dice)};
    const Seal seal = seal_rank_state(kAnyFile, dice.between(1, 9), dice.between(0, 9), state);
    CHECK(read_rank_state(kAnyFile, seal.line + state.learner + state.compression, seal.checksum) ==
          state);

    const CheckpointManifest manifest = {.serial = dice.between(1, 1 << 30),
                                         .epoch = dice.between(1, 1000),
                                         .settings = {{random_text(dice), random_text(dice)}},
                                         .checksums = {seal.checksum, random_text(dice)}};
    CHECK(read_manifest(kAnyFile, manifest_text(kAnyFile, manifest)) == manifest);
  });
}

}  // namespace
}  // namespace epochcast::tests
