// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/costs/batch_cost.hpp"
#include "core/formats/measured_curves.hpp"
#include "core/formats/network.hpp"
#include "core/formats/platform.hpp"
#include "core/job/cost_estimates.hpp"
#include "core/job/job_config.hpp"
#include "core/job/placement.hpp"

namespace epochcast {

/// Files that are known by name: models/platforms, models/networks, models/datasets, traces. Those
/// that come with Epochcast, and the user's own, which are searched first.
class Catalog {
 public:
  /// `root` holds models/ and traces/; each folder of `own` may hold some of them. Throws a
  /// UserError if `root` lacks them.
  explicit Catalog(std::filesystem::path root, std::vector<std::filesystem::path> own = {});
  /// The folder named by EPOCHCAST_DATA, else the folder that this program was built from or
  /// installed with. The user's own are the folders that EPOCHCAST_PATH lists, with colons between
  /// them, and then the one where the program was started. Throws a UserError if EPOCHCAST_PATH
  /// names anything but folders.
  [[nodiscard]] static Catalog standard();

  /// Names in a folder such as "models/platforms", sorted.
  [[nodiscard]] std::vector<std::string> names(const std::string& folder) const;
  /// The file for a name or a path (anything with a slash or an extension is a path).
  /// Throws a UserError with the closest name; `origin` begins the message.
  [[nodiscard]] std::filesystem::path find(const std::string& folder,
                                           const std::string& name,
                                           const std::string& origin) const;
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  /// The user's own folders, those searched first before others.
  [[nodiscard]] const std::vector<std::filesystem::path>& own() const { return own_; }

 private:
  std::filesystem::path root_;
  std::vector<std::filesystem::path> own_;
};

/// Everything a run needs, read and checked.
struct Job {
  JobConfig config;
  Platform platform;
  Dataset dataset;
  Network network;
  std::vector<CostTrace> traces;       ///< of this network and sample shape; best grade first
  CostEstimates estimates;             ///< for devices without a trace
  std::vector<MeasuredCurves> curves;  ///< of this and other jobs

  /// The batch cost of this worker's device in the job's precision, from --batch-seconds, the best
  /// trace or an estimate. Throws a UserError that says what to add if there is none for the
  /// device.
  [[nodiscard]] BatchCost cost_of(const WorkerInfo& worker) const;
  /// The precision of batches: --precision; without it, that of the traces if each device that
  /// trains has a measured or published one; else that of --calibrate-on; else bfloat16 if each
  /// device has it; else tf32, named float32 if no device has tf32. None if --batch-seconds gives
  /// the cost.
  [[nodiscard]] std::optional<Precision> chosen_precision() const;
  /// The best trace of the device in this precision; nullptr if there is none.
  [[nodiscard]] const CostTrace* trace_of(const std::string& model, Precision precision) const;

 private:
  /// tf32 by the name that it has on these devices: float32 if none of them has it.
  [[nodiscard]] Precision named(Precision precision, const std::set<std::string>& models) const;
};

/// Reads the files that the configuration names. Throws UserError.
[[nodiscard]] Job load_job(const JobConfig& config, const Catalog& catalog);

/// Reads a platform, as JSON or for SimGrid to read as XML. Throws UserError.
[[nodiscard]] Platform platform_in(const std::filesystem::path& file);

/// Gives a loaded job another configuration that names the same files, with its figures of the
/// platform and bytes of a gradient. Throws UserError.
void set_config(Job& job, const JobConfig& config);

/// Adds traces and estimates, as configured, to a job that has everything else. Throws UserError.
void load_costs(Job& job, const Catalog& catalog);

/// Reads every trace file of the catalogue's traces/ that mentions `network` (empty: all). Ignores
/// files of other schemas.
[[nodiscard]] std::vector<TraceFile> catalog_traces(const Catalog& catalog,
                                                    const std::string& network = {});

}  // namespace epochcast
