// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/cluster_runner.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>

#include "analysis/forecast/this_machine.hpp"
#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/files/text_file.hpp"
#include "base/process/child.hpp"
#include "base/process/interruption.hpp"
#include "base/process/pipe.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// The words before every command.
std::vector<std::string> launch_words(const ValidationCluster& cluster) {
  std::istringstream text(cluster.launch);
  return {std::istream_iterator<std::string>(text), {}};
}

}  // namespace

ClusterRunner::ClusterRunner(ValidationCluster cluster, fs::path program)
    : cluster_(std::move(cluster)), program_(std::move(program)) {}

std::string ClusterRunner::output_of(const std::vector<std::string>& words,
                                     const fs::path& log) const {
  std::vector<std::string> command = {"env"};
  for (const std::string& word : launch_words(cluster_)) command.push_back(word);
  command.push_back(program_.string());
  command.insert(command.end(), words.begin(), words.end());
  const FileDescriptor log_file(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!log_file.is_open())
    throw RunError(log.string() + ": cannot be written: " + std::strerror(errno));
  const SignalScope signals;
  Pipe pipe;
  Child child = Child::start(command, {.out = pipe.writing.number(), .err = log_file.number()});
  pipe.writing.reset();
  std::string output;
  read_until_end(pipe.reading, [&](const std::string& piece) { output += piece; });
  if (child.wait().ending() == Ending::done) return output;
  std::string said = read_text_file(log, kSamplesFile);
  constexpr std::size_t kMost = 400;
  if (said.size() > kMost) said = "..." + said.substr(said.size() - kMost);
  throw RunError("epochcast " + words.front() + " failed on " + cluster_.name + " (" +
                 log.string() + "): " + said);
}

nlohmann::json ClusterRunner::place(const std::vector<std::string>& programs) const {
  nlohmann::json place = {{"launch", cluster_.launch},
                          {"ranks", cluster_.ranks},
                          {"surroundings", surroundings(launch_words(cluster_))},
                          {"version", program_version()},
                          {"programs", nlohmann::json::object()}};
  for (const std::string& name : programs) {
    const fs::path file = program_.parent_path() / name;
    place["programs"][name] = fs::exists(file) ? checksum(read_text_file(file, kDataFile)) : "";
  }
  return place;
}

}  // namespace epochcast
