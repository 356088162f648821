// SPDX-License-Identifier: Apache-2.0
#include "lab/kept/kept_inputs.hpp"

#include <algorithm>

#include "analysis/forecast/kept_results.hpp"
#include "analysis/validate/cluster_calibration.hpp"
#include "base/error.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

std::vector<MessageTrace> messages_in(const fs::path& folder) {
  std::vector<MessageTrace> messages;
  for (const KeptResult& kept : kept_results(folder, kMessagesPrefix))
    messages.push_back(load_message_trace(kept.folder / kMessagesFile));
  return messages;
}

bool comes_from(const Platform& platform, const Source& source) {
  if (platform.network && platform.network->source == source) return true;
  return std::any_of(platform.nodes.begin(), platform.nodes.end(), [&](const NodeGroup& group) {
    return group.interconnect && group.interconnect->source == source;
  });
}

/// Reads the inputs of one forecast after the other.
class InputReader {
 public:
  InputReader(KeptInputs& inputs, const fs::path& folder, const Catalog& catalog)
      : inputs_(inputs), folder_(folder), catalog_(catalog) {}

  void add(const RunResult& forecast, std::size_t row) {
    inputs_.jobs.push_back(job_of(forecast));
    inputs_.row_of_job.push_back(row);
  }

 private:
  Job job_of(const RunResult& forecast) {
    JobConfig config;
    for (const SettingText& setting : forecast.config)
      all_settings().set(config, setting.name, setting.value, "config: " + setting.name);
    const fs::path then = fs::path(config.platform).parent_path();
    const fs::path now = folder_.empty() ? then : folder_;
    config.platform = (now / fs::path(config.platform).filename()).string();
    for (std::string& trace : config.traces) {
      const fs::path inside = fs::path(trace).lexically_relative(then);
      if (!inside.empty() && *inside.begin() != "..") trace = (now / inside).string();
    }
    if (!fs::is_regular_file(config.platform))
      throw UserError(config.platform +
                      ": no such file in the validation's folder, from which forecasts are made "
                      "again; name its present place with --folder");
    Job job = load_job(config, catalog_);
    if (inputs_.messages.find(config.platform) == inputs_.messages.end()) {
      config.platform_figures.clear();
      inputs_.platforms[config.platform] = load_job(config, catalog_).platform;
      inputs_.messages[config.platform] = messages_behind(inputs_.platforms[config.platform], now);
    }
    return job;
  }

  MessageTrace messages_behind(const Platform& platform, const fs::path& folder) {
    auto [known, is_new] = known_.try_emplace(folder);
    if (is_new) known->second = messages_in(folder);
    std::vector<const MessageTrace*> found;
    for (const MessageTrace& messages : known->second) {
      if (comes_from(platform, messages.source)) found.push_back(&messages);
    }
    if (found.size() != 1)
      throw UserError(platform.path + ": expected the messages that it comes from beside it, in " +
                      (folder / kMessagesPrefix).string() + "-*; there are " +
                      (found.empty() ? "none" : "several"));
    return *found.front();
  }

  KeptInputs& inputs_;
  const fs::path& folder_;
  const Catalog& catalog_;
  std::map<fs::path, std::vector<MessageTrace>> known_;  ///< by folder
};

}  // namespace

KeptInputs kept_inputs(const std::vector<ValidationRow>& rows,
                       const fs::path& folder,
                       const Catalog& catalog) {
  KeptInputs inputs;
  InputReader reader(inputs, folder, catalog);
  std::vector<std::string> problems;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!rows[row].forecast) continue;
    try {
      reader.add(*rows[row].forecast, row);
    } catch (const UserError& error) {
      for (const std::string& problem : error.problems()) {
        if (std::find(problems.begin(), problems.end(), problem) == problems.end())
          problems.push_back(problem);
      }
    }
  }
  if (!problems.empty()) throw UserError(problems);
  return inputs;
}

}  // namespace epochcast
