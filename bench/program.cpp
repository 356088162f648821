// SPDX-License-Identifier: Apache-2.0
#include "bench/program.hpp"

#include <fcntl.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/error.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/process/child.hpp"

namespace epochcast::bench {
namespace {

const std::string kSource = R"({"grade": "estimated", "method": "made up"})";

/// The cost of a child, from before its start to its end.
Cost cost_of(const std::function<Child()>& started) {
  const auto start = std::chrono::steady_clock::now();
  Child child = started();
  if (child.wait().ending() != Ending::done) throw std::runtime_error("a run has failed");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  constexpr double kKib = 1024;
  const rusage& used = child.used();
  return {.seconds = elapsed.count(),
          .processor_s = seconds(used.ru_utime) + seconds(used.ru_stime),
          .peak_bytes = kKib * static_cast<double>(used.ru_maxrss)};
}

}  // namespace

Cost run_program(const std::string& program, const std::string& arguments) {
  std::vector<std::string> words = {program};
  std::istringstream stream(arguments);
  for (std::string word; stream >> word;) words.push_back(word);
  const FileDescriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  return cost_of(
      [&] { return Child::start(words, {.out = nowhere.number(), .err = nowhere.number()}); });
}

Cost run_forked(const std::function<void()>& work) {
  return cost_of([&] {
    return Child::fork(
        [&] { return exit_status("bench", [&] { return work(), status_of(Ending::done); }); });
  });
}

Inputs::Inputs() {
  std::string name = (std::filesystem::temp_directory_path() / "epochcast-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  folder_ = name;
}

Inputs::~Inputs() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Inputs::platform(int nodes, int devices, const std::string& model) const {
  return write_platform(std::to_string(nodes) + "x" + std::to_string(devices) + "-" + model,
                        nodes,
                        R"({"class": "device", "model": ")" + model + R"(", "count": )" +
                            std::to_string(devices) + R"(, "reduce": "300GBps"})");
}

std::string Inputs::mixed_platform(int nodes) const {
  return write_platform(std::to_string(nodes) + "-mixed",
                        nodes,
                        R"({"class": "gpu", "model": "gpu", "count": 4, "reduce": "300GBps"},
               {"class": "cpu", "model": "cpu", "count": 1, "reduce": "30GBps"})");
}

std::string Inputs::write_platform(const std::string& name,
                                   int nodes,
                                   const std::string& devices) const {
  std::string file = (folder_ / (name + ".json")).string();
  std::ofstream(file) << R"({"schema": "epochcast.platform/1", "name": "bench", "title": "bench",
 "source": )" << kSource
                      << R"(,
 "nodes": [{"name": "node", "count": )"
                      << nodes << R"(,
   "devices": [)" << devices
                      << R"(],
   "interconnect": {"topology": "pcie", "bandwidth": "12GBps", "latency": "1us",
                    "source": )"
                      << kSource << R"(}}],
 "network": {"topology": "star", "bandwidth": "12.5GBps", "latency": "1us", "source": )"
                      << kSource << "}}\n";
  return file;
}

std::string Inputs::dataset(long long samples) const {
  std::string file = (folder_ / (std::to_string(samples) + "-samples.json")).string();
  std::ofstream(file) << R"({"schema": "epochcast.dataset/1", "name": "bench", "title": "bench",
 "source": )" << kSource
                      << R"(, "train_samples": )" << samples
                      << R"(, "test_samples": 1000, "shape": [3, 32, 32],
 "sample": "3072B", "classes": 10})"
                      << '\n';
  return file;
}

}  // namespace epochcast::bench
