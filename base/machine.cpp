// SPDX-License-Identifier: Apache-2.0
#include "base/machine.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cctype>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <thread>
#include <vector>

#include "base/text/shell_text.hpp"

namespace epochcast {
namespace {

/// "KVM", another hypervisor's name, or "" on bare metal.
std::string hypervisor_name(std::string_view cpuinfo) {
  if (cpuinfo.find(" hypervisor") == std::string_view::npos) return "";
#if defined(__x86_64__)
  constexpr unsigned kVendorLeaf = 0x40000000;
  unsigned eax = 0;
  unsigned vendor[3] = {};
  __cpuid(kVendorLeaf, eax, vendor[0], vendor[1], vendor[2]);
  const std::string name(reinterpret_cast<const char*>(vendor), sizeof vendor);
  if (name.rfind("KVM", 0) == 0) return "KVM";
  if (name.rfind("Microsoft Hv", 0) == 0) return "Hyper-V";
  if (name.rfind("VMware", 0) == 0) return "VMware";
  if (name.rfind("Xen", 0) == 0) return "Xen";
#endif
  return "virtual machine";
}

}  // namespace

std::string cpuinfo_text() {
  std::ifstream file("/proc/cpuinfo");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string processor_name(std::string_view cpuinfo) {
  std::istringstream lines{std::string(cpuinfo)};
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) != 0 || colon == std::string::npos) continue;
    std::string name = line.substr(colon + 2);
    name = std::regex_replace(name, std::regex(R"(\((R|TM|r|tm)\))"), "");
    name = std::regex_replace(name, std::regex(R"( *@.*| *\d+-Core| Processor| CPU)"), "");
    name = std::regex_replace(name, std::regex(R"( +)"), " ");
    return name;
  }
  return "unknown CPU";
}

std::string machine_text() {
  const std::string cpuinfo = cpuinfo_text();
  const unsigned cores = std::thread::hardware_concurrency();
  std::string text =
      processor_name(cpuinfo) + ", " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
  const std::string hypervisor = hypervisor_name(cpuinfo);
  return hypervisor.empty() ? text : text + ", " + hypervisor;
}

std::string device_name(std::string_view processor, int threads) {
  std::string name;
  for (const char c : processor) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (!name.empty() && name.back() != '-') name += '-';
  return name + std::to_string(threads) + (threads == 1 ? "thread" : "threads");
}

std::map<std::string, std::string> mpi_version(const std::string& library_text) {
  const std::string open_mpi = "Open MPI v";
  if (library_text.rfind(open_mpi, 0) == 0) {
    const std::string rest = library_text.substr(open_mpi.size());
    return {{"openmpi", rest.substr(0, rest.find_first_of(", \n"))}};
  }
  return {{"mpi", library_text.substr(0, library_text.find('\n'))}};
}

std::string command_text(int argc, const char* const* argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (!words.empty()) words[0] = std::filesystem::path(words[0]).filename().string();
  return shell_text(words);
}

}  // namespace epochcast
