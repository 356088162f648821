// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/program.hpp"

#include <fcntl.h>

#include <cstdlib>
#include <fstream>
#include <regex>
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

/// The file of the program's stdout; not open: it is captured.
FileDescriptor out_of(const RunOptions& options) {
  if (!options.out_file.empty())
    return FileDescriptor(open(options.out_file.c_str(), O_WRONLY | O_CLOEXEC));
  if (options.is_out_closed) return Pipe().writing;
  return {};
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

std::vector<std::string> messages_of(const Outcome& outcome) {
  static const std::regex progress("[a-z ]+ [0-9]+/[0-9]+, [0-9.]+ [a-z]+ left");
  std::vector<std::string> result;
  for (const std::string& line : lines(outcome.err))
    if (!std::regex_match(line, progress)) result.push_back(line);
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

std::vector<std::string> Folder::command(const std::vector<std::string>& arguments,
                                         const std::string& program,
                                         const std::vector<std::string>& environment) const {
  std::vector<std::string> words = {
      "env", "-C", path_.string(), "EPOCHCAST_DATA=" EPOCHCAST_SOURCE_DIR};
  words.insert(words.end(), environment.begin(), environment.end());
  words.push_back(program.empty() ? EPOCHCAST_PROGRAM : program);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

Outcome Folder::run(const std::vector<std::string>& arguments, const RunOptions& options) const {
  std::vector<std::string> words = command(arguments, options.program);
  if (options.cpu_seconds > 0)
    words.insert(words.begin(), {"prlimit", "--cpu=" + std::to_string(options.cpu_seconds)});
  return run_program(words, out_of(options).number());
}

}  // namespace epochcast::tests
