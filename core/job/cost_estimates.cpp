// SPDX-License-Identifier: Apache-2.0
#include "core/job/cost_estimates.hpp"

#include <functional>
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

/// The precision in which the device computes if this one is asked for.
Precision computed_in(const DeviceSpec& device, Precision precision) {
  const bool lacks_tf32 = !device.flops_per_s.contains(Precision::tf32);
  return precision == Precision::tf32 && lacks_tf32 ? Precision::float32 : precision;
}

/// "float32, float16"
std::string names_of(const std::function<bool(Precision)>& is_meant) {
  std::string names;
  for (const auto& [name, precision] : kPrecisions) {
    if (is_meant(precision)) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
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
    throw UserError("--precision: " + model + " does not compute in " +
                    show_name(precision, kPrecisions) + "; it does in " +
                    names_of([&](Precision each) { return spec->flops_per_s.contains(each); }));
  }
  double scale = 1;
  if (const auto scales = scales_.find(model); scales != scales_.end()) {
    const auto own = scales->second.find(computed_in(*spec, precision));
    const std::string wanted = show_name(precision, kPrecisions);
    if (own == scales->second.end())
      throw UserError("--calibrate-on: was measured on " + model + " in " +
                      names_of([&](Precision each) { return scales->second.contains(each); }) +
                      ", and the job computes in " + wanted +
                      "; measure it with `epochcast measure batches --precision " + wanted + "`");
    scale = median_of(own->second);
  }
  return estimated_cost(network, *spec, precision, *efficiency, batch, scale);
}

std::vector<std::string> CostEstimates::scaled() const {
  std::vector<std::string> devices;
  devices.reserve(scales_.size());
  for (const auto& [device, scales] : scales_) devices.push_back(device);
  return devices;
}

bool CostEstimates::is_scaled_in(const std::string& model, Precision precision) const {
  const auto scales = scales_.find(model);
  const DeviceSpec* spec = device(model);
  return scales == scales_.end() || spec == nullptr ||
         scales->second.contains(computed_in(*spec, precision));
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
  scales_[measured.device][computed_in(*spec, measured.precision)].push_back(
      median_of(std::move(ratios)));
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
