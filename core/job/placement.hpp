// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/fabric.hpp"
#include "core/formats/platform.hpp"
#include "core/job/job_config.hpp"

namespace epochcast {

/// Which devices of the chosen nodes a strategy puts to work.
enum class Participants {
  workers,              ///< all that train
  fastest_workers,      ///< those of the fastest device model only
  workers_and_servers,  ///< non-CPU devices train, CPUs sum what they push
};

/// Seconds of one batch on a device, used to tell the fastest from the rest.
using BatchSeconds = std::function<double(const WorkerInfo&)>;

/// Every device of the job's nodes, workers or not, node by node; devices keep their index in the
/// node. Throws a UserError when the platform has fewer nodes than asked for.
[[nodiscard]] std::vector<WorkerInfo> all_devices(const Platform& platform,
                                                  const JobConfig& config);

/// Throws a UserError, with the closest name, when --local-steps speaks of neither fast and slow
/// workers nor a class or model of these.
void check_local_steps(const JobConfig& config, std::span<const WorkerInfo> workers);
/// The same for every setting by class, and all devices of the platform: --local-steps,
/// --batch-seconds and --exchange-seconds.
void check_class_settings(const Platform& platform, const JobConfig& config);

/// The job's processes, by rank: node by node, in the order of the platform file; servers after all
/// others. Throws a UserError when nobody would train, or byteps finds no CPU to sum.
[[nodiscard]] std::vector<WorkerInfo> place(const Platform& platform,
                                            const JobConfig& config,
                                            Participants participants,
                                            const BatchSeconds& batch_s);

}  // namespace epochcast
