// SPDX-License-Identifier: Apache-2.0
#include "core/job/cost_estimates.hpp"

#include <utility>

#include "base/error.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/job/described_model.hpp"
#include "core/job/job.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

/// The network that a trace of --calibrate-on measures: the job's own model file if the trace has
/// its name, else one of the catalogue.
Network network_of(const CostTrace& cost, const JobConfig& config, const Catalog& catalog) {
  const Dataset dataset = dataset_of_shape(cost.input);
  if (is_model_file(config.network) && network_name(config.network) == cost.network)
    return network_in(config.network, dataset);
  const std::string origin = "--calibrate-on: " + cost.file;
  std::filesystem::path file;
  try {
    file = catalog.find("models/networks", cost.network, origin);
  } catch (const UserError& error) {
    throw UserError(std::string(error.what()) +
                    "; a model of one's own is to be described first: `epochcast describe "
                    "MODEL.pt --input " +
                    shape_text(cost.input) + " --output models/networks/" + cost.network +
                    ".json`");
  }
  return load_network(file, dataset);
}

}  // namespace

CostEstimates::CostEstimates(Roofline roofline, std::map<std::string, DeviceSpec> devices)
    : roofline_(std::move(roofline)), devices_(std::move(devices)) {}

const DeviceSpec* CostEstimates::device(const std::string& model) const {
  const auto found = devices_.find(model);
  return found == devices_.end() ? nullptr : &found->second;
}

const Efficiency* CostEstimates::efficiency_of(const DeviceSpec& device, Kernels kernels) const {
  const auto found = roofline_.by_class.find({device.device_class, kernels});
  return found == roofline_.by_class.end() ? nullptr : &found->second;
}

std::optional<CostTrace> CostEstimates::of(const std::string& model,
                                           const Network& network,
                                           std::int64_t batch,
                                           Precision precision,
                                           std::optional<Kernels> kernels) const {
  const DeviceSpec* spec = device(model);
  if (spec == nullptr) return std::nullopt;
  const Efficiency* efficiency = efficiency_of(*spec, kernels.value_or(Kernels::plain));
  if (efficiency == nullptr && kernels) {
    throw UserError("--kernels: there are no efficiencies of " + show_name(*kernels, kKernels) +
                    " kernels on devices of class " + spec->device_class + ", such as " + model);
  }
  if (efficiency == nullptr) {
    throw UserError("no trace of " + network.name + " on " + model +
                    ", and there are no efficiencies for devices of class " + spec->device_class +
                    "; measure it (`epochcast measure batches`), or give --batch-seconds");
  }
  if (spec->rate(precision) == 0) {
    std::string known;
    for (const auto& [name, each] : kPrecisions) {
      if (spec->flops_per_s.contains(each))
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw UserError("--precision: " + model + " does not compute in " +
                    show_name(precision, kPrecisions) + "; it does in " + known);
  }
  const auto scales = scales_.find(model);
  const double scale = scales == scales_.end() ? 1 : median_of(scales->second);
  return estimated_cost(network, *spec, precision, *efficiency, batch, scale);
}

std::vector<std::string> CostEstimates::scaled() const {
  std::vector<std::string> devices;
  devices.reserve(scales_.size());
  for (const auto& [device, scales] : scales_) devices.push_back(device);
  return devices;
}

void CostEstimates::scale(const CostTrace& measured, const Network& network) {
  const DeviceSpec* spec = device(measured.device);
  const Efficiency* efficiency = spec == nullptr ? nullptr : efficiency_of(*spec, Kernels::plain);
  if (efficiency == nullptr) {
    throw UserError("--calibrate-on: " + measured.file + ": measures " + measured.device +
                    ", of which there is no description; `epochcast list devices` shows those that "
                    "there are");
  }
  const BatchCost cost(measured);
  std::vector<double> ratios;
  for (const std::int64_t batch : cost.measured_batches()) {
    const BatchWork work = work_of(network, batch, measured.precision);
    ratios.push_back(cost.median(batch).total_s() /
                     seconds_of(work, *spec, measured.precision, *efficiency));
  }
  scales_[measured.device].push_back(median_of(std::move(ratios)));
}

CostEstimates load_estimates(const JobConfig& config, const Catalog& catalog) {
  if (!std::filesystem::exists(catalog.root() / "models/roofline.json")) return {};
  std::vector<std::filesystem::path> files = {catalog.find("models", "roofline", "efficiencies")};
  std::map<std::string, DeviceSpec> devices;
  for (const std::string& name : catalog.names("models/devices")) {
    files.push_back(catalog.find("models/devices", name, "device"));
    DeviceSpec device = load_device(files.back());
    devices[device.name] = std::move(device);
  }
  CostEstimates estimates(load_roofline(files.front()), std::move(devices));
  for (const std::string& name : config.calibrate_on) {
    files.push_back(catalog.find("traces", name, "--calibrate-on"));
    for (const CostTrace& cost : load_trace(files.back()).costs) {
      estimates.scale(cost, network_of(cost, config, catalog));
    }
  }
  for (std::filesystem::path& file : files) estimates.add_file(std::move(file));
  return estimates;
}

}  // namespace epochcast
