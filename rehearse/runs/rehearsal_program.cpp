// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearsal_program.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json/json_input.hpp"
#include "strategies/settings.hpp"

namespace epochcast {

namespace fs = std::filesystem;

Child RehearsalProgram::start(const std::vector<std::string>& arguments,
                              int threads,
                              const ChildFiles& files) {
  auto loaded = loaded_.find(threads);
  if (loaded == loaded_.end()) {
    // OpenBLAS reads its environment when it is loaded.
    const std::vector<std::string> words = {
        "env", "OMP_NUM_THREADS=" + std::to_string(threads), path_.string(), "--serve"};
    loaded = loaded_.emplace(threads, words).first;
  }
  return loaded->second.start(arguments, files.out, files.err);
}

std::vector<std::string> rehearsal_arguments(const RehearsalTask& task, const fs::path& state) {
  std::vector<std::string> words;
  for (const SettingText& setting : command_texts(task.config, Command::rehearse))
    words.push_back(word_of(setting));
  words.push_back("--state=" + state.string());
  const auto add = [&](const char* flag, const std::optional<double>& value, const char* unit) {
    if (!value) return;
    std::ostringstream text;
    text.precision(17);
    text << flag << *value << unit;
    words.push_back(text.str());
  };
  add("--stop-after=", task.stop_after_s, "s");
  if (task.stop_at) {
    const std::string flag = "--target-" + std::string(to_string(task.stop_at->metric)) + "=";
    add(flag.c_str(), task.stop_at->value, "");
  }
  return words;
}

std::optional<ReportedEpoch> epoch_in(const std::string& line,
                                      const fs::path& program,
                                      const std::function<void(const std::string&)>& warning) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  if (json.contains("warning")) warning(json.at("warning").get<std::string>());
  if (!json.contains("epoch")) return std::nullopt;
  Problems problems(program.string());
  const ReportedEpoch epoch = {.point = read_curve_point(JsonInput(json, "", problems)),
                               .is_known = json.value("is_known", false)};
  problems.throw_if_any();
  return epoch;
}

Learned learned_in(const std::string& line) {
  const nlohmann::json learning = nlohmann::json::parse(line).at("learning");
  return {.sequence = learning.at("sequence"), .notes = learning.at("notes")};
}

std::string last_line(const std::string& output) {
  const std::size_t end = output.find_last_not_of('\n');
  const std::size_t begin = output.rfind('\n', end);
  return output.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

std::vector<std::string> problems_in(const std::string& messages) {
  std::vector<std::string> problems;
  std::istringstream lines(messages);
  const std::string prefix = "epochcast: ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(prefix)) problems.push_back(line.substr(prefix.size()));
  }
  return problems;
}

}  // namespace epochcast
