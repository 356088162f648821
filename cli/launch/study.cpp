// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/study.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <regex>
#include <sstream>

#include "base/error.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/files/text_file.hpp"
#include "base/process/child.hpp"
#include "base/process/interruption.hpp"
#include "base/process/pipe.hpp"
#include "base/text/shell_text.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kUsualTasks = 4;

/// The text that a program prints, and its status.
struct Answer {
  int status = 0;
  std::string text;
};

Answer ask(const std::vector<std::string>& words, const std::string& input = {}) {
  const SignalScope signals;
  const FileDescriptor in = unnamed_file(input);
  FileDescriptor out = unnamed_file();
  const int status =
      Child::start(words, {.in = in.number(), .out = out.number()}).wait().in_shell();
  return {.status = status, .text = text_of(out)};
}

/// A job, or the tasks of a job array. It outlives this process: whoever calls again finds what it
/// did.
class SlurmJob : public Helpers {
 public:
  SlurmJob(const std::string& script, fs::path folder) : folder_(std::move(folder)) {
    const Answer answer = ask({"sbatch", "--parsable"}, script);
    std::smatch number;
    if (answer.status != 0 || !std::regex_search(answer.text, number, std::regex("^[0-9]+")))
      throw RunError(answer.status == Child::kNotStarted
                         ? "--on slurm: there is no sbatch here; call on a machine that submits "
                           "jobs, or choose --on hosts=..."
                         : "--on slurm: sbatch did not take the job; see above");
    job_ = number.str();
    std::cerr << "epochcast: Slurm job " << job_ << " works in " << folder_.string()
              << "; it continues if you end this command, and the same command resumes\n";
  }

  void check() override {
    if (Clock::now() < next_) return;
    next_ = Clock::now() + kInterval;
    const Answer answer = ask({"squeue", "--noheader", "--jobs=" + job_, "--format=%T"});
    if (answer.status == 0 && !answer.text.empty()) {
      missed_ = 0;
      return;
    }
    // squeue also fails while slurmctld restarts.
    if (++missed_ < kMostMissed) return;
    throw RunError("Slurm job " + job_ + " is over, but not all is computed; its messages are in " +
                   (folder_ / ("slurm-" + job_ + "*.log")).string() + last_message() +
                   "; the same command continues");
  }

 private:
  /// " (the last one: ...)"
  [[nodiscard]] std::string last_message() const {
    std::string last;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name != "slurm-" + job_ + ".log" && !name.starts_with("slurm-" + job_ + "_")) continue;
      std::istringstream lines(read_text_file(entry.path()));
      for (std::string line; std::getline(lines, line);)
        if (line.starts_with("epochcast: ")) last = line.substr(line.find(' ') + 1);
    }
    return last.empty() ? "" : " (the last one: " + last + ")";
  }

  static constexpr std::chrono::seconds kInterval{2};
  static constexpr int kMostMissed = 3;

  fs::path folder_;
  std::string job_;
  Clock::time_point next_ = {};
  int missed_ = 0;
};

/// mpirun with a process on each host. It ends with this process.
class HostProcesses : public Helpers {
 public:
  explicit HostProcesses(const std::vector<std::string>& words)
      : out_(unnamed_file()), child_(Child::start(words, {.out = out_.number()})) {}

  void check() override {
    if (!child_.has_ended()) return;
    throw RunError(
        "the processes on the hosts have ended, but not all is computed; see above; the same "
        "command continues");
  }

 private:
  SignalScope signals_;
  FileDescriptor out_;
  Child child_;
};

std::vector<std::string> mpirun_words(const std::vector<Host>& hosts,
                                      const std::vector<std::string>& helper) {
  std::vector<std::string> words = {"mpirun"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  for (const char* word : {"--oversubscribe", "--bind-to", "none", "--host"})
    words.emplace_back(word);
  words.push_back(hosts_text(hosts));
  words.insert(words.end(), helper.begin(), helper.end());
  return words;
}

std::string output_flag(const fs::path& file) { return "--output=\"" + file.string() + "\""; }

/// A script with these options of sbatch.
std::string batch_script(const std::vector<std::string>& options,
                         const std::string& comment,
                         const std::vector<std::string>& words) {
  std::ostringstream script;
  script << "#!/bin/bash\n#SBATCH --job-name=epochcast-study\n";
  for (const std::string& option : options) script << "#SBATCH " << option << "\n";
  script << "#SBATCH --requeue\n"
         << "#SBATCH --open-mode=append\n\n"
         << "# " << comment << "\n"
         << "exec " << shell_text(words) << "\n";
  return script.str();
}

bool is_flag(const std::string& word, std::string_view flag) {
  return word == flag || word.starts_with(std::string(flag) + "=");
}

}  // namespace

StudyPlace parse_study_place(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const bool has_value = equals != std::string::npos;
  if (name == "here" && !has_value) return {};
  if (name == "none" && !has_value) return {.kind = StudyPlace::Kind::none};
  if (name == "slurm")
    return {.kind = StudyPlace::Kind::slurm,
            .tasks = has_value ? parse_ranks("--on slurm", value) : kUsualTasks};
  if (name == "hosts" && !value.empty())
    return {.kind = StudyPlace::Kind::hosts, .hosts = parse_hosts(value, 1)};
  throw UserError("--on: got \"" + text +
                  "\"; expected here, slurm, slurm=TASKS, hosts=HOST,HOST,... or none");
}

std::vector<std::string> helper_words(const std::string& program,
                                      const std::vector<std::string>& words,
                                      const fs::path& folder) {
  static constexpr std::array<std::string_view, 4> kOwn = {"--on", "--html", "--folder", "--save"};
  std::vector<std::string> helper = {program};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto own =
        std::ranges::find_if(kOwn, [&](std::string_view flag) { return is_flag(words[i], flag); });
    if (own == kOwn.end()) {
      helper.push_back(words[i]);
    } else if (words[i] == *own) {
      ++i;  // its value
    }
  }
  helper.push_back("--folder=" + folder.string());
  return helper;
}

std::string array_script(int tasks, const std::vector<std::string>& words, const fs::path& folder) {
  return batch_script(
      {"--array=1-" + std::to_string(tasks), output_flag(folder / "slurm-%A_%a.log")},
      "Tasks share the folder: each result is computed by one of them.",
      words);
}

std::string job_script(int nodes, const std::vector<std::string>& words, const fs::path& folder) {
  return batch_script(
      {"--nodes=" + std::to_string(nodes), "--exclusive", output_flag(folder / "slurm-%j.log")},
      "Times are measured: nothing else may run on its nodes.",
      words);
}

std::unique_ptr<Helpers> start_helpers(const StudyPlace& place,
                                       const std::vector<std::string>& words,
                                       const fs::path& folder) {
  const std::vector<std::string> helper = helper_words(sibling("epochcast"), words, folder);
  if (place.kind == StudyPlace::Kind::slurm) {
    fs::create_directories(folder);
    return std::make_unique<SlurmJob>(array_script(place.tasks, helper, folder), folder);
  }
  if (place.kind == StudyPlace::Kind::hosts)
    return std::make_unique<HostProcesses>(mpirun_words(place.hosts, helper));
  return nullptr;
}

std::unique_ptr<Helpers> start_one_helper(const StudyPlace& place,
                                          const std::vector<std::string>& words,
                                          const fs::path& folder) {
  if (place.hosts.size() > 1)
    throw UserError("--on: got " + std::to_string(place.hosts.size()) +
                    " hosts; one of them measures and runs, and reaches others by the \"launch\" "
                    "of the experiment; expected one");
  if (place.kind != StudyPlace::Kind::slurm) return start_helpers(place, words, folder);
  const std::vector<std::string> helper = helper_words(sibling("epochcast"), words, folder);
  return std::make_unique<SlurmJob>(job_script(place.tasks, helper, folder), folder);
}

}  // namespace epochcast
