// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process/helpers.hpp"
#include "cli/launch/launch.hpp"

namespace epochcast {

/// The values and the help of --on.
inline constexpr const char* kStudyPlaces = "here|slurm[=TASKS]|hosts=HOST,...|none";
inline constexpr const char* kStudyPlaceHelp =
    "who computes: this machine, the tasks of a Slurm job array (4), a process on each host; all "
    "need the same --folder. none: show what is kept";

/// Where the results of a command are computed.
struct StudyPlace {
  enum class Kind {
    here,
    slurm,  ///< the tasks of a job array
    hosts,  ///< machines that mpirun reaches
    none,   ///< what is kept is shown
  };

  Kind kind = Kind::here;
  int tasks = 1;  ///< of the job array
  std::vector<Host> hosts = {};
};

/// Parses "here", "slurm", "slurm=8", "hosts=node1,node2" or "none". Throws a UserError that
/// begins with "--on".
[[nodiscard]] StudyPlace parse_study_place(const std::string& text);

/// The command of a helper: these words of a command line without --on, --html, --save and
/// --folder, which work in `folder`.
[[nodiscard]] std::vector<std::string> helper_words(const std::string& program,
                                                    const std::vector<std::string>& words,
                                                    const std::filesystem::path& folder);

/// The batch script of a job array with so many tasks, which put their messages into `folder`.
[[nodiscard]] std::string array_script(int tasks,
                                       const std::vector<std::string>& words,
                                       const std::filesystem::path& folder);

/// The batch script of one job on so many nodes, which puts its messages into `folder`.
[[nodiscard]] std::string job_script(int nodes,
                                     const std::vector<std::string>& words,
                                     const std::filesystem::path& folder);

/// Starts the helpers; none for `here` and `none`. Those of Slurm stay when this process ends.
/// Throws a RunError when they cannot be started.
[[nodiscard]] std::unique_ptr<Helpers> start_helpers(const StudyPlace& place,
                                                     const std::vector<std::string>& words,
                                                     const std::filesystem::path& folder);

/// Starts one helper that does all of the work: in a Slurm job of so many nodes as it has tasks,
/// or on the only host. The same errors, and a UserError for several hosts.
[[nodiscard]] std::unique_ptr<Helpers> start_one_helper(const StudyPlace& place,
                                                        const std::vector<std::string>& words,
                                                        const std::filesystem::path& folder);

}  // namespace epochcast
