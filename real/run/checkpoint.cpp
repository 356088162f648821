// SPDX-License-Identifier: Apache-2.0
#include "real/run/checkpoint.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "core/error.hpp"
#include "core/file_draft.hpp"
#include "core/json_input.hpp"
#include "core/output_file.hpp"
#include "core/text_file.hpp"
#include "real/mpi/mpi_call.hpp"

namespace epochcast::real {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "epochcast.checkpoint/1";

nlohmann::json settings_json(const std::vector<SettingText>& settings) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, value] : settings) json[name] = value;
  return json;
}

}  // namespace

Checkpoints::Checkpoints(const fs::path& folder, std::vector<SettingText> settings, MPI_Comm job)
    : folder_(fs::absolute(folder)), settings_(std::move(settings)), job_(job) {
  check_mpi(MPI_Comm_rank(job_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(job_, &ranks_), "MPI_Comm_size");
}

fs::path Checkpoints::rank_file(std::int64_t serial) const {
  std::string number = std::to_string(rank_);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, '0');
  return folder_ / ("rank-" + number + (serial % 2 == 0 ? "-a" : "-b") + ".state");
}

void Checkpoints::open(bool resume) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw RunError(folder_.string() + ": cannot be created: " + error.message());
  check_output_folder(folder_);
  lock_.emplace(folder_, job_);
  if (rank_ == 0) remove_drafts(folder_);  // a killed job's; nobody else writes here now
  if (!resume && rank_ == 0 && fs::exists(manifest_file())) {
    throw UserError(
        "--checkpoint: " + folder_.string() +
        " holds the checkpoint of a job; add --resume to go on with it, or choose another "
        "folder");
  }
  check_mpi(MPI_Barrier(job_), "MPI_Barrier");
}

void Checkpoints::check(const std::string& manifest) const {
  const nlohmann::json json = parse_json(manifest, manifest_file().string());
  const std::string name = manifest_file().string();
  if (!json.is_object() || json.value("schema", "") != kSchema)
    throw RunError(name + ": is no manifest of " + kSchema);
  if (json.at("ranks") != ranks_) {
    throw UserError("--resume: " + name + " is of a job with " + json.at("ranks").dump() +
                    " ranks; this one has " + std::to_string(ranks_));
  }
  nlohmann::json before = json.at("settings");
  nlohmann::json now = settings_json(settings_);
  for (nlohmann::json* settings : {&before, &now}) {
    // A job may be made longer, unless its learning rates depend on the length.
    if (settings->value("schedule", "") != "cosine") settings->erase("epochs");
  }
  std::string differences;
  for (const auto& [key, value] : now.items()) {
    if (before.contains(key) && before[key] == value) continue;
    const std::string old = before.contains(key) ? before[key].get<std::string>() : "nothing";
    differences += (differences.empty() ? "" : "; ") + ("--" + key) + " " +
                   value.get<std::string>() + " was " + old;
  }
  for (const auto& [key, value] : before.items()) {
    if (!now.contains(key)) {
      differences +=
          (differences.empty() ? "" : "; ") + ("--" + key) + " was " + value.get<std::string>();
    }
  }
  if (!differences.empty())
    throw UserError("--resume: " + name + " is of another job: " + differences);
}

std::optional<RankState> Checkpoints::load() {
  std::string manifest;
  if (rank_ == 0 && fs::exists(manifest_file())) manifest = read_text_file(manifest_file());
  manifest = broadcast_text(manifest, 0, job_);
  if (manifest.empty()) return std::nullopt;
  check(manifest);
  serial_ = nlohmann::json::parse(manifest).at("serial");
  const fs::path file = rank_file(serial_);
  const std::string bytes = read_text_file(file, kStateFile);
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const nlohmann::json header =
      nlohmann::json::parse(bytes.substr(0, end), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object() || header.value("schema", "") != kSchema ||
      header.value("serial", std::int64_t{-1}) != serial_ || header.value("rank", -1) != rank_ ||
      header.value("bytes", std::size_t{0}) != bytes.size() - end - 1) {
    throw RunError(file.string() + ": is damaged, or not of checkpoint " + std::to_string(serial_));
  }
  return RankState{.position = header.at("position"),
                   .memory = header.at("memory"),
                   .learner = bytes.substr(end + 1)};
}

void Checkpoints::save(const RankState& state) {
  const std::int64_t serial = serial_ + 1;
  const nlohmann::json header = {{"schema", kSchema},
                                 {"serial", serial},
                                 {"rank", rank_},
                                 {"position", state.position},
                                 {"memory", state.memory},
                                 {"bytes", state.learner.size()}};
  replace_file(rank_file(serial), [&](std::ostream& out) {
    out << header.dump() << '\n' << state.learner;
  });
  check_mpi(MPI_Barrier(job_), "MPI_Barrier");
  if (rank_ == 0) {
    const nlohmann::json manifest = {{"schema", kSchema},
                                     {"serial", serial},
                                     {"ranks", ranks_},
                                     {"epoch", state.position.at(1) + 1},
                                     {"settings", settings_json(settings_)}};
    replace_file(manifest_file(), manifest.dump(2) + "\n");
  }
  // Nobody may overwrite the older files before the manifest has let go of them.
  check_mpi(MPI_Barrier(job_), "MPI_Barrier");
  serial_ = serial;
}

}  // namespace epochcast::real
