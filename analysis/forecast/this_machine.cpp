// SPDX-License-Identifier: Apache-2.0
#include "analysis/forecast/this_machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

#include "base/files/checksum.hpp"
#include "base/files/text_file.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool begins_with_one_of(std::string_view text, const auto& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [text](std::string_view beginning) {
    return text.starts_with(beginning);
  });
}

/// Variables that determine the placement of ranks, the transport, and the computing speed.
bool matters(std::string_view variable) {
  constexpr std::array<std::string_view, 14> kBeginnings = {"OMPI_MCA_",
                                                            "PMIX_MCA_",
                                                            "PRTE_MCA_",
                                                            "OMP_",
                                                            "GOMP_",
                                                            "OPENBLAS_",
                                                            "MKL_",
                                                            "ATEN_",
                                                            "SLURM_JOB_NODELIST=",
                                                            "SLURM_NODELIST=",
                                                            "PBS_NODEFILE=",
                                                            "CUDA_VISIBLE_DEVICES=",
                                                            "LD_PRELOAD=",
                                                            "LD_LIBRARY_PATH="};
  return begins_with_one_of(variable, kBeginnings);
}

void add_file(Json& files, const std::string& name) {
  std::error_code unknown;
  if (fs::is_regular_file(name, unknown)) files[name] = checksum(read_text_file(name, kDataFile));
}

}  // namespace

std::string processor_text() {
  constexpr std::array<std::string_view, 7> kBeginnings = {
      "vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU part", "Features"};
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  // The first processor represents all.
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (begins_with_one_of(line, kBeginnings)) text += line + "\n";
  }
  return text;
}

Json surroundings(const std::vector<std::string>& words) {
  Json here = {{"cores", std::thread::hardware_concurrency()},
               {"processor", processor_text()},
               {"environment", Json::array()},
               {"files", Json::object()}};
  utsname name = {};
  if (uname(&name) == 0) here["host"] = name.nodename;
  for (const std::string& word : words) add_file(here["files"], word);
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (matters(*variable)) variables.emplace_back(*variable);
  }
  std::sort(variables.begin(), variables.end());
  for (const std::string& variable : variables) {
    here["environment"].push_back(variable);
    add_file(here["files"], variable.substr(variable.find('=') + 1));
  }
  return here;
}

}  // namespace epochcast
