// SPDX-License-Identifier: Apache-2.0
#include "cli/options/rehearsal_options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <thread>

#include "base/error.hpp"
#include "base/files/cache_folder.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/study.hpp"
#include "cli/options/job_options.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace po = boost::program_options;

po::options_description rehearsal_place_options() {
  po::options_description options("Where", 110, 60);
  options.add_options()("folder",
                        po::value<std::string>()->value_name("FOLDER"),
                        "keep rehearsals here, by content; kept ones are not repeated (default: "
                        "~/.cache/epochcast/rehearsals)")(
      "jobs",
      po::value<std::string>()->value_name("COUNT"),
      "rehearsals at a time (default: as many as there are cores, by --threads)")(
      "on",
      po::value<std::string>()->value_name(kStudyPlaces)->default_value("here"),
      kStudyPlaceHelp);
  return options;
}

RehearsalPlace rehearsal_place_from(const po::variables_map& values, const JobConfig& config) {
  const std::string folder = file_from(values, "folder");
  RehearsalPlace place = {
      .program = std::make_shared<RehearsalProgram>(sibling("epochcast-rehearse")),
      .folder = folder.empty() ? cache_folder("rehearsals") : std::filesystem::absolute(folder)};
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  place.parallelism = static_cast<std::size_t>(std::max(1, cores / config.machine.threads));
  if (values.count("jobs") > 0) {
    try {
      place.parallelism =
          static_cast<std::size_t>(parse_small_count(values["jobs"].as<std::string>(), 1));
    } catch (const UserError& error) {
      throw UserError(std::string("--jobs: ") + error.what());
    }
  }
  return place;
}

void start_study(const po::variables_map& values,
                 const std::vector<std::string>& words,
                 RehearsalPlace& place) {
  const StudyPlace study = parse_study_place(values["on"].as<std::string>());
  place.computes = study.kind != StudyPlace::Kind::none;
  place.helpers = start_helpers(study, words, place.folder);
}

RehearsalCallbacks news_for(ProgressBar& progress) {
  return {.share = [&progress](double share) { progress.update(share); },
          .warning = [&progress](
                         const std::string& text) { progress.say("epochcast: warning: " + text); }};
}

}  // namespace epochcast
