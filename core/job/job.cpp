// SPDX-License-Identifier: Apache-2.0
#include "core/job/job.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/files/text_file.hpp"
#include "base/json/json_file.hpp"
#include "base/text/suggest.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/described_model.hpp"
#include "core/job/device_power.hpp"
#include "core/job/fitting_datasets.hpp"
#include "core/job/given_platform.hpp"
#include "core/job/platform_figures.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTraceSchema = "epochcast.trace/1";

/// The traces to choose from: those named, or the whole catalogue.
std::vector<TraceFile> chosen_traces(const JobConfig& config,
                                     const Catalog& catalog,
                                     const std::string& network) {
  if (config.traces.empty()) return catalog_traces(catalog, network);
  std::vector<TraceFile> chosen;
  for (const std::string& name : config.traces) {
    chosen.push_back(load_trace(catalog.find("traces", name, "--trace")));
  }
  return chosen;
}

/// The cost to one of several workers that share a device in time; the cost is estimated if the
/// device is faster than the measured one.
CostTrace paid_by(const WorkerInfo& worker, CostTrace trace) {
  if (worker.speed != 1)
    trace.source = {.grade = Grade::estimated,
                    .method = shortest(worker.speed) + " times as fast as measured"};
  const double times = worker.sharers / worker.speed;
  if (times == 1) return trace;
  for (BatchSamples& batch : trace.batches) {
    for (auto part : {&BatchSamples::total_s,
                      &BatchSamples::load_s,
                      &BatchSamples::forward_s,
                      &BatchSamples::backward_s,
                      &BatchSamples::step_s}) {
      for (double& seconds : batch.*part) seconds *= times;
    }
  }
  return trace;
}

/// Whether a trace belongs to this catalogue and measures the catalogue's network of that name: a
/// model file of the same name is another one. Traces that users add do not belong to it.
bool is_of_ours(const CostTrace& cost, const Catalog& catalog) {
  std::error_code unknown;
  return fs::equivalent(fs::path(cost.file).parent_path(), catalog.root() / "traces", unknown) &&
         fs::exists(catalog.root() / "models/networks" / (cost.network + ".json"));
}

/// Throws a UserError if --calibrate-on names a device that the job lacks, or one whose batches
/// were measured.
void check_scaled(const Job& job) {
  if (!job.platform.simgrid_xml.empty()) return;
  for (const std::string& scaled : job.estimates.scaled()) {
    const bool is_there = std::any_of(
        job.platform.nodes.begin(), job.platform.nodes.end(), [&](const NodeGroup& node) {
          return std::any_of(node.devices.begin(), node.devices.end(), [&](const auto& device) {
            return device.model == scaled;
          });
        });
    if (!is_there)
      throw UserError("--calibrate-on: measures " + scaled + ", which " + job.platform.name +
                      " does not have");
    const auto precision = job.chosen_precision();
    const CostTrace* trace = precision ? job.trace_of(scaled, *precision) : nullptr;
    if (trace != nullptr)
      throw UserError("--calibrate-on: nothing is estimated on " + scaled + ": " + trace->file +
                      " has the cost of " + job.network.name + " there");
  }
}

/// Runs `part`; adds what a UserError says.
void add_problems(std::vector<std::string>& problems, const std::function<void()>& part) {
  try {
    part();
  } catch (const UserError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  }
}

/// The job on the platform that `read` gives; `problems`: those found so far.
Job job_on(const std::function<Platform()>& read,
           const JobConfig& config,
           const Catalog& catalog,
           std::vector<std::string> problems) {
  fs::path network;
  Dataset dataset;
  add_problems(problems,
               [&] { network = catalog.find("models/networks", config.network, "--network"); });
  add_problems(problems, [&] { dataset = chosen_dataset(config, catalog); });
  if (!problems.empty()) throw UserError(problems);
  Job job;
  job.platform = read();
  add_power(job.platform, catalog);
  job.dataset = std::move(dataset);
  if (config.learning.train_samples) {
    job.dataset.train_samples = std::min(job.dataset.train_samples, *config.learning.train_samples);
  }
  if (!is_model_file(network)) check_takes(network, job.dataset, config, catalog);
  job.network = network_in(network, job.dataset);
  set_config(job, config);
  load_costs(job, catalog);
  if (config.curves.empty() != !config.target)
    throw UserError(config.target ? "--target: needs --curves with what was learned elsewhere"
                                  : "--curves: need --target, such as accuracy=75%");
  for (const std::string& file : config.curves) job.curves.push_back(load_measured_curves(file));
  return job;
}

}  // namespace

std::vector<TraceFile> catalog_traces(const Catalog& catalog, const std::string& network) {
  std::vector<TraceFile> files;
  for (const std::string& name : catalog.names("traces")) {
    const fs::path file = catalog.find("traces", name, "--trace");
    // The user's own folders may hold traces of other programs, of any size.
    if (fs::file_size(file) > kSamplesFile.most_bytes) continue;
    const std::string text = read_text_file(file, kSamplesFile);
    // Searching the text takes a thousandth of the time of parsing samples.
    if (text.find('"' + network) == std::string::npos || text.find(kTraceSchema) == text.npos)
      continue;
    const nlohmann::json document = parse_json(text, file.string());
    if (document.is_object() && document.contains("schema") && document["schema"] == kTraceSchema) {
      files.push_back(parse_trace(document, file.string()));
    }
  }
  return files;
}

Platform platform_in(const fs::path& file) {
  if (file.extension() != ".xml") return load_platform(file);
  static_cast<void>(open_input(file, kModelFile));
  Platform platform;  // SimGrid reads it, in the process that simulates
  platform.path = platform.simgrid_xml = file.string();
  return platform;
}

Job load_job(const JobConfig& config, const Catalog& catalog) {
  std::vector<std::string> problems;
  fs::path file;
  add_problems(problems,
               [&] { file = catalog.find("models/platforms", config.platform, "--platform"); });
  return job_on([&] { return platform_in(file); }, config, catalog, std::move(problems));
}

Job load_job(const JobConfig& config, const Platform& platform, const Catalog& catalog) {
  return job_on([&] { return platform; }, config, catalog, {});
}

void set_config(Job& job, const JobConfig& config) {
  job.config = config;
  apply_figures(job.platform, config);
  job.network.bytes_per_gradient = config.gradient_bytes;
}

void load_costs(Job& job, const Catalog& catalog) {
  const JobConfig& config = job.config;
  if (!config.calibrate_on.empty() && !(config.batch_seconds.empty() && config.traces.empty())) {
    throw UserError("--calibrate-on: scales estimates, and there are none with " +
                    std::string(config.traces.empty() ? "--batch-seconds" : "--trace"));
  }
  if (!config.batch_seconds.empty()) {
    job.estimates = load_estimates(config, catalog);  // for the devices' memory
    return;
  }
  const bool is_another = config.traces.empty() && is_model_file(config.network);
  for (TraceFile& file : chosen_traces(config, catalog, job.network.name)) {
    for (CostTrace& cost : file.costs) {
      if (is_another && is_of_ours(cost, catalog)) continue;
      if (cost.network == job.network.name && cost.input == job.network.input)
        job.traces.push_back(std::move(cost));
    }
  }
  std::stable_sort(
      job.traces.begin(), job.traces.end(), [](const CostTrace& a, const CostTrace& b) {
        return a.source.grade < b.source.grade;
      });
  // Traces that the user names are not mixed with estimates.
  if (config.traces.empty()) job.estimates = load_estimates(config, catalog);
  check_scaled(job);
}

std::optional<Precision> Job::chosen_precision() const {
  if (!config.batch_seconds.empty()) return std::nullopt;
  std::set<std::string> models;
  for (const std::string& model : training_models(platform, config)) models.insert(model);
  if (models.empty()) {
    for (const CostTrace& trace : traces) models.insert(trace.device);
  }
  if (config.precision) return named(*config.precision, models);
  const auto every = [&](const auto& has) {
    return !models.empty() && std::all_of(models.begin(), models.end(), has);
  };
  constexpr std::array kInOrder = {
      Precision::tf32, Precision::bfloat16, Precision::float16, Precision::float32};
  for (const Precision precision : kInOrder) {
    const bool is_measured = every([&](const std::string& model) {
      const CostTrace* trace = trace_of(model, precision);
      return trace != nullptr && (trace->source.grade < Grade::estimated || !config.traces.empty());
    });
    if (is_measured) return named(precision, models);
  }
  const std::vector<std::string> scaled = estimates.scaled();
  const bool is_scaled = std::any_of(scaled.begin(), scaled.end(), [&](const std::string& model) {
    return models.contains(model);
  });
  for (const Precision precision : kInOrder) {
    const auto fits = [&](const std::string& model) {
      return estimates.is_scaled_in(model, precision);
    };
    if (is_scaled && every(fits)) return named(precision, models);
  }
  const bool has_bfloat16 = every([&](const std::string& model) {
    const DeviceSpec* device = estimates.device(model);
    return device != nullptr && device->rate(Precision::bfloat16) > 0;
  });
  return has_bfloat16 ? Precision::bfloat16 : named(Precision::tf32, models);
}

Precision Job::named(Precision precision, const std::set<std::string>& models) const {
  if (precision != Precision::tf32) return precision;
  const bool has_tf32 = std::any_of(models.begin(), models.end(), [&](const std::string& model) {
    const DeviceSpec* device = estimates.device(model);
    if (device != nullptr && device->flops_per_s.contains(Precision::tf32)) return true;
    return std::any_of(traces.begin(), traces.end(), [&](const CostTrace& trace) {
      return trace.device == model && trace.precision == Precision::tf32;
    });
  });
  return has_tf32 ? Precision::tf32 : Precision::float32;
}

const CostTrace* Job::trace_of(const std::string& model, Precision precision) const {
  const DeviceSpec* device = estimates.device(model);
  for (const CostTrace& trace : traces) {
    if (trace.device != model) continue;
    const bool has_no_tf32 = device == nullptr || !device->flops_per_s.contains(Precision::tf32);
    const bool is_like =
        trace.precision == precision ||
        (has_no_tf32 && precision == Precision::tf32 && trace.precision == Precision::float32);
    if (is_like) return &trace;
  }
  return nullptr;
}

BatchCost Job::cost_of(const WorkerInfo& worker) const {
  if (!config.batch_seconds.empty()) {
    for (const auto& [name, is_given] : {std::pair("--precision", config.precision.has_value()),
                                         std::pair("--kernels", config.kernels.has_value())}) {
      if (is_given)
        throw UserError(std::string(name) +
                        ": has no effect with --batch-seconds, which gives the cost of batches");
    }
    for (const std::string& key : {worker.model, worker.device_class}) {
      const auto found = config.batch_seconds.find(key);
      if (found != config.batch_seconds.end()) return {found->second / worker.speed, config.batch};
    }
    throw UserError("--batch-seconds: no value for " + worker.model + "; add " +
                    worker.device_class + "=TIME");
  }
  const Precision precision = chosen_precision().value_or(Precision::float32);
  if (const CostTrace* trace = trace_of(worker.model, precision)) {
    if (config.kernels) {
      throw UserError("--kernels: has no effect on " + worker.model + ", whose batches " +
                      trace->file + " has in " + show_name(precision, kPrecisions));
    }
    return BatchCost(paid_by(worker, *trace));
  }
  if (const auto estimate =
          estimates.of(worker.model, network, config.batch, precision, config.kernels))
    return BatchCost(paid_by(worker, *estimate));
  const std::string wanted = show_name(precision, kPrecisions);
  for (const CostTrace& trace : traces) {
    if (trace.device != worker.model) continue;
    throw UserError("--precision: " + trace.file + " has the cost of " + network.name + " on " +
                    worker.model + " in " + show_name(trace.precision, kPrecisions) +
                    ", and the job computes in " + wanted +
                    " on all devices; measure it with `epochcast measure batches --precision " +
                    wanted + "`" + (config.precision ? ", or leave --precision out" : ""));
  }
  std::string where = config.traces.empty() ? "no trace of the catalogue" : "--trace: none of";
  for (const std::string& name : config.traces) where += " " + name;
  throw UserError(where + " has costs of " + network.name + " with " + shape_text(network.input) +
                  " samples on device " + worker.model + "; add a trace that does" +
                  (config.traces.empty()
                       ? ", a description of the device (`epochcast list devices` "
                         "shows those that there are)"
                       : "") +
                  ", or --batch-seconds " + worker.device_class + "=TIME");
}

}  // namespace epochcast
