// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const std::string kPair = R"({
  "schema": "epochcast.platform/1",
  "name": "pair",
  "title": "Two nodes for tests",
  "source": {"grade": "estimated", "method": "made up"},
  "nodes": [
    {
      "name": "node",
      "count": 2,
      "devices": [
        {"class": "gpu", "model": "test-gpu", "memory": "16GiB", "reduce": "100GBps"},
        {"class": "cpu", "model": "test-cpu", "memory": "64GiB", "reduce": "10GBps", "worker": false}
      ],
      "interconnect": {
        "topology": "pcie", "bandwidth": "10GBps", "latency": "1us",
        "source": {"grade": "estimated", "method": "made up"}
      }
    }
  ],
  "network": {
    "topology": "star", "bandwidth": "1GBps", "latency": "2us",
    "source": {"grade": "estimated", "method": "made up"}
  }
})";

std::string trace_of(const std::string& device, const std::string& seconds) {
  return R"({
  "schema": "epochcast.trace/1", "name": "made-up", "title": "made up",
  "source": {"grade": "estimated", "method": "made up"},
  "device": ")" +
         device + R"(",
  "costs": [{"network": "resnet20", "input": [3, 32, 32],
             "batches": [{"batch": 16, "seconds": )" +
         seconds + R"(}, {"batch": 64, "seconds": [0.5, 0.51, 0.49, 0.52]}]}]
})";
}

std::string all_of(int file) {
  std::string text;
  char buffer[4096];
  lseek(file, 0, SEEK_SET);
  for (ssize_t count = 0; (count = ::read(file, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(file);
  return text;
}

/// A file descriptor for the child's stdout.
int open_out(const RunOptions& options) {
  if (!options.out_file.empty()) return open(options.out_file.c_str(), O_WRONLY);
  if (!options.is_out_closed) return memfd_create("stdout", 0);
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe");
  close(ends[0]);
  return ends[1];
}

}  // namespace

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

std::string pair_with(const std::string& text, const std::string& replacement) {
  std::string result = kPair;
  return result.replace(result.find(text), text.size(), replacement);
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "epochcast-cli-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
  write("pair.json", kPair);
  write("gpu.json", trace_of("test-gpu", "[0.13, 0.14, 0.12, 0.19, 0.11]"));
  write("cpu.json", trace_of("test-cpu", "[0.4, 0.39, 0.41]"));
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
}

std::string Folder::read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(path_ / name, std::ios::binary).rdbuf();
  return text.str();
}

bool Folder::has(const std::string& name) const { return fs::exists(path_ / name); }

Outcome Folder::run(const std::string& arguments, const RunOptions& options) const {
  return run(words(arguments), options);
}

Outcome Folder::run(const std::vector<std::string>& arguments, const RunOptions& options) const {
  std::vector<std::string> command = {options.program.empty() ? EPOCHCAST_PROGRAM
                                                              : options.program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int out = open_out(options);
  const int err = memfd_create("stderr", 0);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    const rlimit limit = {options.cpu_seconds, options.cpu_seconds};
    if (options.cpu_seconds > 0) setrlimit(RLIMIT_CPU, &limit);
    setenv("EPOCHCAST_DATA", EPOCHCAST_SOURCE_DIR, 1);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (chdir(path_.c_str()) == 0) execv(pointers.front(), pointers.data());
    _exit(127);
  }
  int status = 0;
  rusage used = {};
  wait4(child, &status, 0, &used);
  Outcome outcome;
  outcome.peak_bytes = 1024.0 * static_cast<double>(used.ru_maxrss);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  const bool is_captured = options.out_file.empty() && !options.is_out_closed;
  if (is_captured) {
    outcome.out = all_of(out);
  } else {
    close(out);
  }
  outcome.err = all_of(err);
  return outcome;
}

}  // namespace epochcast::tests
