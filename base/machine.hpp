// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace epochcast {

/// This machine for a trace's `source`: "AMD EPYC, 2 cores, KVM".
[[nodiscard]] std::string machine_text();

/// The processor's name without trademarks and clock rate: "Intel Xeon Silver 4215"; "unknown CPU"
/// if the text lacks it. `cpuinfo` is the text of /proc/cpuinfo.
[[nodiscard]] std::string processor_name(std::string_view cpuinfo);

/// The name for a trace's `device` when the user gives none: "amd-epyc-1thread".
[[nodiscard]] std::string device_name(std::string_view processor, int threads);

/// The text of /proc/cpuinfo.
[[nodiscard]] std::string cpuinfo_text();

/// Name and version of an MPI library from the text of MPI_Get_library_version, for a source's
/// `versions`: "openmpi" and "4.1.4", or "mpi" and the whole first line of another library's text.
[[nodiscard]] std::map<std::string, std::string> mpi_version(const std::string& library_text);

/// This command line, quoted for a shell where needed; the program without its folder.
[[nodiscard]] std::string command_text(int argc, const char* const* argv);

}  // namespace epochcast
