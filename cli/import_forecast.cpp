// SPDX-License-Identifier: Apache-2.0
#include "cli/import_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <set>
#include <utility>

#include "analysis/calibrate/all_reduce_fit.hpp"
#include "analysis/forecast/sweep.hpp"
#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "base/text/units.hpp"
#include "cli/show/forecast_and_show.hpp"
#include "core/job/device_power.hpp"

namespace epochcast {
namespace {

/// The job's all-reduces, as measurements of exchanges between nodes.
MessageTrace all_reduces_of(const ImportOptions& options, const ImportedJob& job) {
  const AllReduceCosts& all = job.all_reduces;
  const auto refuse = [](const std::string& found, const std::string& instead = "") {
    throw UserError("--forecast: " + found +
                    ", so the cost of exchanges is unknown; expected --platform, for its "
                    "links" +
                    instead);
  };
  if (!job.has_profiles) refuse("tables have no all-reduces");
  if (options.settings.files.size() < 2)
    refuse("got the profile of one rank, whose all-reduces include waiting for others",
           ", or the profiles of all ranks");
  const bool is_any = std::any_of(all.costs.begin(), all.costs.end(), [](const MessageCost& cost) {
    return cost.scope == "all";
  });
  if (!is_any) {
    refuse("the profiles have no all-reduces among all ranks, as DDP makes them",
           all.unsized > 0 ? ", or profiles with their sizes (record_shapes=True)" : "");
  }
  MessageTrace trace = {.file = "the profiles",
                        .name = "cluster of " + options.device,
                        .title = "Nodes like those of a job's profiles",
                        .source = {.grade = Grade::estimated,
                                   .method = "links as the job's own all-reduces show them"},
                        .node_of_rank = all.node_of_rank,
                        .costs = all.costs};
  if (trace.node_count() < 2)
    refuse("all ranks are on one node (--ranks-per-node)", ", or ranks on several nodes");
  return trace;
}

/// A warning about the job's all-reduces, or "": DDP's should be as large as the network's
/// gradients.
std::string warning_of_network(const Network& network, const ImportedJob& job) {
  constexpr double kMostOff = 0.1;  // losses and metrics are exchanged, too
  double bytes = 0;
  for (const MessageCost& cost : job.all_reduces.costs) {
    if (cost.scope == "all")
      bytes += static_cast<double>(cost.bytes) * static_cast<double>(cost.samples_s.size());
  }
  bytes /= static_cast<double>(job.batches.front().total_s.size());
  if (std::abs(bytes / network.gradient_bytes() - 1) <= kMostOff) return {};
  return "the job's all-reduces have " + format_bytes(bytes) + " an iteration, gradients of " +
         network.name + " " + format_bytes(network.gradient_bytes()) +
         ": forecasts are of these, and wrong if another network was profiled";
}

/// The class of devices that use this library for all-reduces.
std::string class_of(const std::string& backend) { return backend == "gloo" ? "cpu" : "gpu"; }

Platform platform_of_job(const ImportOptions& options, const ImportedJob& job, int nodes) {
  const MessageTrace trace = all_reduces_of(options, job);
  Platform platform = platform_of_all_reduces(
      trace, class_of(trace.costs.front().algorithm), options.device, std::max(1, nodes));
  std::vector<std::string>& notes = platform.network->messages->notes;
  if (job.all_reduces.includes_waiting)
    notes.emplace_back("all-reduces include waiting for ranks whose profiles are missing");
  if (std::string warning = warning_of_network(options.network, job); !warning.empty())
    notes.push_back(std::move(warning));
  if (!options.forecast->are_nodes_given) {
    notes.emplace_back(
        "each rank of the profiles is taken for a node of its own (set another number "
        "with --ranks-per-node)");
  }
  return platform;
}

/// The named platform, with the requested number of nodes if these are all alike and in a star.
Platform named_platform(const ImportOptions& options,
                        const std::string& name,
                        int nodes,
                        const Catalog& catalog) {
  Platform platform = platform_in(catalog.find("models/platforms", name, "--platform"));
  if (!platform.simgrid_xml.empty()) return platform;
  std::set<std::string> models;
  for (const NodeGroup& group : platform.nodes) {
    for (const DeviceGroup& device : group.devices) models.insert(device.model);
  }
  if (!models.contains(options.device)) {
    throw UserError("--platform: " + platform.name +
                    " does not have the device that was measured; " +
                    unknown_name("device", options.device, {models.begin(), models.end()}));
  }
  const bool may_grow = platform.nodes.size() == 1 && platform.network &&
                        platform.network->topology == NetworkTopology::star;
  if (may_grow) platform.nodes.front().count = std::max(platform.nodes.front().count, nodes);
  return platform;
}

std::vector<ForecastTask> tasks_of(const ForecastRequest& request, std::int64_t batch) {
  std::vector<SweepAxis> axes;
  for (const std::string& text : request.axes) {
    axes.push_back(parse_axis(text, Command::simulate, "--forecast"));
    const std::string& name = axes.back().name;
    const bool is_of_records =
        name == "network" || name == "dataset" || name == "sequence" || name == "image-size";
    if (is_of_records)
      throw UserError("--forecast " + name + ": the records are of one " + name +
                      "; expected another setting, such as nodes=2,4,8");
  }
  JobConfig config = request.config;
  if (config.batch == 0) config.batch = batch;
  return with_overlapped_sync(expand(config, axes));
}

int most_nodes(const std::vector<ForecastTask>& tasks) {
  int nodes = 0;
  for (const ForecastTask& task : tasks) nodes = std::max(nodes, task.config.nodes.value_or(0));
  return nodes;
}

}  // namespace

void check_forecast(const ImportOptions& options) {
  const std::vector<ForecastTask> tasks = tasks_of(*options.forecast, 1);
  const std::string& platform = tasks.front().config.platform;
  if (!platform.empty())
    static_cast<void>(named_platform(options, platform, 0, Catalog::standard()));
}

void check_records(const ImportOptions& options, const ImportedJob& job) {
  const std::vector<ForecastTask> tasks = tasks_of(*options.forecast, 1);
  if (tasks.front().config.platform.empty())
    static_cast<void>(platform_of_job(options, job, most_nodes(tasks)));
}

void forecast_imported(const ImportOptions& options,
                       const ImportedJob& job,
                       const CostTrace& cost,
                       const std::string& command) {
  const Catalog catalog = Catalog::standard();
  const ForecastRequest& request = *options.forecast;
  const std::vector<ForecastTask> tasks = tasks_of(request, cost.batches.front().batch);
  const int nodes = most_nodes(tasks);
  SharedJobs jobs([&](const JobConfig& config) {
    Job loaded;
    loaded.config = config;
    loaded.platform = config.platform.empty()
                          ? platform_of_job(options, job, nodes)
                          : named_platform(options, config.platform, nodes, catalog);
    add_power(loaded.platform, catalog);
    loaded.dataset = request.dataset;
    if (const auto& samples = config.learning.train_samples)
      loaded.dataset.train_samples = std::min(loaded.dataset.train_samples, *samples);
    loaded.network = options.network;
    load_costs(loaded, catalog);
    loaded.traces.insert(loaded.traces.begin(), cost);
    return loaded;
  });
  const auto writer =
      make_forecast_writer(std::cout, request.format, command, Command::simulate, tasks);
  const Failures failures =
      forecast_and_show(tasks, jobs, {}, *writer, [](const ForecastOutcome&) {});
  std::cout.flush();
  failures.check();
}

}  // namespace epochcast
