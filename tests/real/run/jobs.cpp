// SPDX-License-Identifier: Apache-2.0
#include "tests/real/run/jobs.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace epochcast::tests {

ShortTraining::ShortTraining() { folder.write("tiny.json", kTinyDataset); }

Outcome ShortTraining::run(const std::string& more) const {
  return folder.run(kTrain + "--set ranks=1 --strategy sync --epochs 1 --augment off " + more);
}

double ShortTraining::test_loss(const std::string& more) const {
  const Outcome outcome = run("--metrics metrics.jsonl " + more);
  if (outcome.status != 0) throw std::runtime_error(outcome.err);
  return metrics_of(folder, "metrics.jsonl").at(0).at("test_loss");
}

std::string weights_file(const std::string& name) {
  return EPOCHCAST_SOURCE_DIR "/tests/real/torch/pretrained/data/" + name;
}

std::vector<nlohmann::json> metrics_of(const Folder& folder, const std::string& file) {
  std::vector<nlohmann::json> all;
  for (const std::string& line : lines(folder.read(file))) {
    all.push_back(nlohmann::json::parse(line));
    all.back().erase("epoch_s");
    all.back().erase("training_s");
  }
  return all;
}

std::vector<pid_t> processes_in(const Folder& folder, const std::string& program) {
  namespace fs = std::filesystem;
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code error;
    const fs::path folder_of = fs::read_symlink(entry.path() / "cwd", error);
    const fs::path file = fs::read_symlink(entry.path() / "exe", error);
    if (!error && folder_of == folder.path() && file.filename() == program)
      found.push_back(std::stoi(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::int64_t serial_of(const Folder& folder) {
  const auto manifest =
      nlohmann::json::parse(folder.read("saved/checkpoint.json"), nullptr, /*exceptions=*/false);
  return manifest.is_object() ? manifest.at("serial").get<std::int64_t>() : 0;
}

Outcome run_and_kill(const Folder& folder,
                     const std::string& arguments,
                     std::size_t victim,
                     const std::function<bool()>& is_time) {
  Outcome outcome;
  std::atomic<bool> has_ended = false;
  std::thread job([&] {
    outcome = folder.run(arguments);
    has_ended = true;
  });
  while (!has_ended) {
    if (!is_time()) continue;
    const std::vector<pid_t> ranks = processes_in(folder, "epochcast-run");
    if (victim < ranks.size()) kill(ranks[victim], SIGKILL);
    if (victim < ranks.size()) break;
  }
  job.join();
  return outcome;
}

}  // namespace epochcast::tests
