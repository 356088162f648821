// SPDX-License-Identifier: Apache-2.0
#include "real/run/checkpoint.hpp"

#include <algorithm>
#include <numeric>
#include <ostream>

#include "base/error.hpp"
#include "base/files/file_draft.hpp"
#include "base/files/output_file.hpp"
#include "base/files/text_file.hpp"
#include "real/mpi/mpi_call.hpp"

namespace epochcast::real {
namespace {

namespace fs = std::filesystem;

using Settings = std::map<std::string, std::string>;

/// The settings that a resumed job may not change. The number of epochs may grow, unless learning
/// rates depend on it.
Settings essential(Settings settings) {
  const auto schedule = settings.find("schedule");
  if (schedule == settings.end() || schedule->second != "cosine") settings.erase("epochs");
  return settings;
}

/// "--momentum 0.5 was 0.9; --batch was 8"; empty if both jobs are the same.
std::string differences(const Settings& now, const Settings& before) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  for (const auto& [key, value] : now) {
    const auto old = before.find(key);
    if (old == before.end()) add("--" + key + " " + value + " was nothing");
    if (old != before.end() && old->second != value)
      add("--" + key + " " + value + " was " + old->second);
  }
  for (const auto& [key, value] : before)
    if (!now.contains(key)) add("--" + key + " was " + value);
  return text;
}

/// 0, 1, ...
std::vector<int> first_numbers(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// The error about a damaged file, with a remedy.
RunError unusable(const DamagedFile& error) {
  return RunError(std::string(error.what()) +
                  "; bring back a copy of the folder, or train anew in another one");
}

}  // namespace

Checkpoints::Checkpoints(const fs::path& folder,
                         std::vector<SettingText> settings,
                         std::vector<int> numbers,
                         bool continues,
                         MPI_Comm job)
    : folder_(fs::absolute(folder)),
      job_(job),
      numbers_(std::move(numbers)),
      continues_(continues) {
  for (SettingText& setting : settings) settings_[setting.name] = std::move(setting.value);
  check_mpi(MPI_Comm_rank(job_, &rank_), "MPI_Comm_rank");
  int ranks = 1;
  check_mpi(MPI_Comm_size(job_, &ranks), "MPI_Comm_size");
  if (numbers_.empty()) numbers_ = first_numbers(static_cast<std::size_t>(ranks));
}

fs::path Checkpoints::file_of(int number, std::int64_t serial) const {
  std::string digits = std::to_string(number);
  digits.insert(0, digits.size() < 5 ? 5 - digits.size() : 0, '0');
  return folder_ / ("rank-" + digits + (serial % 2 == 0 ? "-a" : "-b") + ".state");
}

void Checkpoints::open(bool resume) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw RunError(folder_.string() + ": cannot be created: " + error.message());
  check_output_folder(folder_);
  lock_.emplace(folder_, job_);
  remove_drafts(folder_);  // of a killed job: no rank writes here before the barrier
  if (!resume && rank_ == 0 && fs::exists(manifest_file())) {
    throw UserError(
        "--checkpoint: " + folder_.string() +
        " holds the checkpoint of a job; add --resume to continue it, or choose another "
        "folder");
  }
  check_mpi(MPI_Barrier(job_), "MPI_Barrier");
}

void Checkpoints::check(const CheckpointManifest& manifest) const {
  const std::string name = manifest_file().string();
  const std::size_t ranks = manifest.checksums.size();
  if (ranks != numbers_.size() && !continues_) {
    throw UserError("--resume: " + name + " is of a job with " + std::to_string(ranks) +
                    " ranks; this one has " + std::to_string(numbers_.size()));
  }
  const std::string different = differences(essential(settings_), essential(manifest.settings));
  if (!different.empty()) throw UserError("--resume: " + name + " is of another job: " + different);
}

std::optional<CheckpointManifest> Checkpoints::load_manifest() const {
  const fs::path file = manifest_file();
  std::string text;
  if (rank_ == 0 && fs::exists(file)) {
    text = read_text_file(file);
    // A damaged manifest throws here; other ranks get an empty text.
    static_cast<void>(read_manifest(file, text));
  }
  text = broadcast_text(text, 0, job_);
  if (!text.empty()) return read_manifest(file, std::move(text));
  // A second file implies that the first checkpoint was complete.
  if (fs::exists(rank_file(2)))
    throw DamagedFile(file.string() + ": is missing beside " + rank_file(2).filename().string());
  return std::nullopt;
}

std::string Checkpoints::text_of_state() const {
  if (!fs::exists(state_file()))
    throw DamagedFile(state_file().string() + ": is missing; checkpoint.json names it");
  return read_text_file(state_file(), kStateFile);
}

RankState Checkpoints::load_state(const CheckpointManifest& manifest) {
  const std::vector<int> saved =
      manifest.numbers.empty() ? first_numbers(manifest.checksums.size()) : manifest.numbers;
  if (!continues_) numbers_ = saved;  // all are there
  const auto place = [&](int number) { return std::find(saved.begin(), saved.end(), number); };
  const auto is_saved = [&](int number) { return place(number) != saved.end(); };
  const auto checksum = [&](int number) {
    return manifest.checksums[static_cast<std::size_t>(place(number) - saved.begin())];
  };
  has_joined_ = !is_saved(number());
  std::string text = has_joined_ ? "" : text_of_state();
  if (std::all_of(numbers_.begin(), numbers_.end(), is_saved))
    return read_rank_state(state_file(), std::move(text), checksum(number()));
  // Workers that join begin with the state of the first one that was there.
  const auto first = std::find_if(numbers_.begin(), numbers_.end(), is_saved);
  if (first == numbers_.end())
    throw UserError("--resume: " + manifest_file().string() + " has none of this job's ranks");
  const auto root = static_cast<int>(first - numbers_.begin());
  const std::string shared = broadcast_text(rank_ == root ? text : std::string(), root, job_);
  return has_joined_ ? read_rank_state(file_of(*first, serial_), shared, checksum(*first))
                     : read_rank_state(state_file(), std::move(text), checksum(number()));
}

std::optional<RankState> Checkpoints::load() {
  try {
    const std::optional<CheckpointManifest> manifest = load_manifest();
    if (!manifest) return std::nullopt;
    check(*manifest);
    serial_ = manifest->serial;
    return load_state(*manifest);
  } catch (const DamagedFile& error) {
    throw unusable(error);
  }
}

void Checkpoints::save(const RankState& state) {
  const std::int64_t serial = serial_ + 1;
  const fs::path file = rank_file(serial);
  const Seal seal = seal_rank_state(file, serial, number(), state);
  replace_file(file, [&](std::ostream& out) {
    out << seal.line << state.learner << state.compression << state.kept;
  });
  // All ranks have written when the first rank has all checksums.
  std::vector<std::string> checksums = gather_texts(seal.checksum, 0, job_);
  if (rank_ == 0) {
    const CheckpointManifest manifest = {
        .serial = serial,
        .epoch = state.position.at(1) + 1,
        .settings = settings_,
        .checksums = std::move(checksums),
        .numbers = numbers_ == first_numbers(numbers_.size()) ? std::vector<int>() : numbers_};
    replace_file(manifest_file(), manifest_text(manifest_file(), manifest));
  }
  // Older files may be overwritten only after the manifest has been replaced.
  check_mpi(MPI_Barrier(job_), "MPI_Barrier");
  serial_ = serial;
}

}  // namespace epochcast::real
