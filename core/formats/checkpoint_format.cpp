// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint_format.hpp"

#include <utility>

#include "base/json/json_number.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

constexpr const char* kCheckpointSchema = "epochcast.checkpoint/2";

/// Pairs of numbers that count loops and iterations (Progress::position()).
std::vector<std::int64_t> read_position(const JsonInput& input) {
  std::vector<std::int64_t> position;
  for (const JsonInput& number : input.elements(1)) position.push_back(number.integer(0));
  if (position.size() % 2 != 0) input.fail("two numbers for each loop");
  return position;
}

/// Removes as many bytes from the end of `text`, and returns them.
std::string cut_end(const JsonInput& size, std::string& text) {
  const auto most = static_cast<std::int64_t>(text.size());
  const std::int64_t bytes = size.integer(0);
  if (bytes > most) size.fail("at most the bytes that follow");
  if (bytes > most) return {};
  const auto rest = static_cast<std::size_t>(most - bytes);
  std::string end = text.substr(rest);
  text.resize(rest);
  return end;
}

std::vector<double> read_numbers(const JsonInput& input) {
  std::vector<double> numbers;
  for (const JsonInput& number : input.elements()) numbers.push_back(read_number(number));
  return numbers;
}

}  // namespace

Seal seal_rank_state(const std::filesystem::path& file,
                     std::int64_t serial,
                     int rank,
                     const RankState& state) {
  nlohmann::ordered_json header = {
      {"serial", serial}, {"rank", rank}, {"position", state.position}, {"memory", state.memory}};
  if (!state.compression.empty()) header["compression_bytes"] = state.compression.size();
  if (!state.kept.empty()) header["kept_bytes"] = state.kept.size();
  return seal(kCheckpointSchema, file, header, {state.learner, state.compression, state.kept});
}

RankState read_rank_state(const std::filesystem::path& file,
                          std::string text,
                          const std::string& checksum) {
  SealedFile sealed = unseal(kCheckpointSchema, file, std::move(text));
  Problems problems(file.string());
  JsonInput header(sealed.header, "", problems);
  const std::int64_t serial = header.at("serial").integer(1);
  const std::int64_t rank = header.at("rank").integer(0);
  RankState state = {.position = read_position(header.at("position")),
                     .memory = {},
                     .learner = std::move(sealed.payload)};
  for (const JsonInput& numbers : header.at("memory").members())
    state.memory[numbers.name()] = read_numbers(numbers);
  const auto compression = header.maybe("compression_bytes");
  const auto kept = header.maybe("kept_bytes");
  if (kept) state.kept = cut_end(*kept, state.learner);
  if (compression) state.compression = cut_end(*compression, state.learner);
  problems.throw_if_any();
  if (sealed.checksum != checksum) {
    throw DamagedFile(
        file.string() + ": is not the file that checkpoint.json names, but one of checkpoint " +
        std::to_string(serial) + ", rank " + std::to_string(rank) + ", of this or another job");
  }
  return state;
}

std::string manifest_text(const std::filesystem::path& file, const CheckpointManifest& manifest) {
  nlohmann::ordered_json header = {{"serial", manifest.serial},
                                   {"epoch", manifest.epoch},
                                   {"settings", manifest.settings},
                                   {"checksums", manifest.checksums}};
  if (!manifest.numbers.empty()) header["numbers"] = manifest.numbers;
  return seal(kCheckpointSchema, file, header).line;
}

CheckpointManifest read_manifest(const std::filesystem::path& file, std::string text) {
  const SealedFile sealed = unseal(kCheckpointSchema, file, std::move(text));
  Problems problems(file.string());
  JsonInput header(sealed.header, "", problems);
  CheckpointManifest manifest = {.serial = header.at("serial").integer(1),
                                 .epoch = header.at("epoch").integer(1),
                                 .settings = {},
                                 .checksums = {}};
  for (const JsonInput& setting : header.at("settings").members()) {
    if (!setting.value().is_string()) setting.fail("a text");
    if (setting.value().is_string())
      manifest.settings[setting.name()] = setting.value().get<std::string>();
  }
  for (const JsonInput& checksum : header.at("checksums").elements(1))
    manifest.checksums.push_back(checksum.string());
  if (const auto numbers = header.maybe("numbers")) {
    for (const JsonInput& number : numbers->elements(1))
      manifest.numbers.push_back(static_cast<int>(number.integer(0, kMostSmallCount)));
    if (manifest.numbers.size() != manifest.checksums.size())
      numbers->fail("as many as there are checksums");
  }
  problems.throw_if_any();
  return manifest;
}

}  // namespace epochcast
