// SPDX-License-Identifier: Apache-2.0
#include "core/costs/roofline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/json/json_file.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "epochcast.roofline/1";
constexpr double kParameterBytes = 4;
constexpr double kPasses = 3;  // forward, gradients of inputs, gradients of weights
constexpr std::int64_t kMostBatch = 4096;

constexpr std::array<std::pair<const char*, ProductKind>, 4> kKinds = {
    {{"convolution", ProductKind::convolution},
     {"grouped_convolution", ProductKind::grouped_convolution},
     {"matrix", ProductKind::matrix},
     {"recurrent", ProductKind::recurrent}}};

double read_share(const JsonInput& input) {
  const nlohmann::json& value = input.value();
  if (value.is_number() && value > 0 && value <= 2) return value.get<double>();
  input.fail("a share above 0, to 2");
  return 1;
}

double read_factor(const JsonInput& input) {
  constexpr double kMost = 1000;
  const nlohmann::json& value = input.value();
  if (value.is_number() && value >= 1 && value <= kMost) return value.get<double>();
  input.fail("a factor from 1 to 1000");
  return 1;
}

Efficiency read_efficiency(JsonInput input) {
  Efficiency efficiency;
  for (const auto& [name, kind] : kKinds) efficiency.of_products[kind] = read_share(input.at(name));
  efficiency.of_memory = read_share(input.at("memory"));
  efficiency.of_cores = read_share(input.at("cores"));
  efficiency.operation_s = input.at("operation").quantity(Dimension::seconds, true);
  efficiency.usual_error = read_factor(input.at("usual_error"));
  efficiency.most_error = read_factor(input.at("most_error"));
  efficiency.usual_scaled_error = read_factor(input.at("usual_scaled_error"));
  efficiency.most_scaled_error = read_factor(input.at("most_scaled_error"));
  efficiency.most_cores_error = read_factor(input.at("most_cores_error"));
  input.finish();
  return efficiency;
}

Json to_json(const Efficiency& efficiency) {
  Json json;
  const auto rounded = [](double value) { return std::stod(fmt::format("{:.3g}", value)); };
  for (const auto& [name, kind] : kKinds) json[name] = rounded(efficiency.of_products.at(kind));
  json["memory"] = rounded(efficiency.of_memory);
  json["cores"] = rounded(efficiency.of_cores);
  json["operation"] = fmt::format("{:.3g}us", 1e6 * efficiency.operation_s);
  json["usual_error"] = rounded(efficiency.usual_error);
  json["most_error"] = rounded(efficiency.most_error);
  json["usual_scaled_error"] = rounded(efficiency.usual_scaled_error);
  json["most_scaled_error"] = rounded(efficiency.most_scaled_error);
  json["most_cores_error"] = rounded(efficiency.most_cores_error);
  return json;
}

std::string error_text(const DeviceSpec& device, const Efficiency& efficiency, bool is_scaled) {
  const std::string cores =
      device.cores > 1 && !is_scaled
          ? fmt::format(", devices of several cores by up to {:.2f}", efficiency.most_cores_error)
          : "";
  // The efficiencies of a CPU include loading, which it does itself.
  const std::string loader = device.device_class == "gpu" ? ", for a loader that keeps up" : "";
  return fmt::format(
      "batches on {} are estimated from its peak rates{}{}: of networks or devices left out, half "
      "were off by a factor of {:.2f} at most, nine of ten by {:.2f}{}; `epochcast measure "
      "batches` "
      "on one replaces the estimate",
      device.name,
      is_scaled ? ", scaled by what another network took there" : "",
      loader,
      is_scaled ? efficiency.usual_scaled_error : efficiency.usual_error,
      is_scaled ? efficiency.most_scaled_error : efficiency.most_error,
      cores);
}

/// The factor that nine of ten estimates are off by at most; of devices of several cores, of which
/// there are few, all.
double error_factor(const DeviceSpec& device, const Efficiency& efficiency, bool is_scaled) {
  if (is_scaled) return efficiency.most_scaled_error;
  return device.cores > 1 ? std::max(efficiency.most_error, efficiency.most_cores_error)
                          : efficiency.most_error;
}

}  // namespace

Roofline parse_roofline(const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, kSchema, problems);
  Roofline roofline;
  roofline.source = read_source(top.at("source"));
  for (JsonInput of_class : top.at("classes").members()) {
    for (const auto& [name, kernels] : kKernels) {
      if (const auto efficiency = of_class.maybe(std::string(name)))
        roofline.by_class[{of_class.name(), kernels}] = read_efficiency(*efficiency);
    }
    of_class.finish();
  }
  top.finish();
  problems.throw_if_any();
  return roofline;
}

Roofline load_roofline(const std::filesystem::path& file) {
  return parse_roofline(read_json_file(file), file.string());
}

nlohmann::ordered_json to_json(const Roofline& roofline) {
  Json json = {
      {"schema", kSchema}, {"source", to_json(roofline.source)}, {"classes", Json::object()}};
  for (const auto& [key, efficiency] : roofline.by_class)
    json["classes"][key.first][show_name(key.second, kKernels)] = to_json(efficiency);
  return json;
}

BatchWork& BatchWork::operator+=(const BatchWork& more) {
  for (const auto& [kind, count] : more.flops) flops[kind] += count;
  bytes += more.bytes;
  operations += more.operations;
  return *this;
}

BatchWork work_of(const Layer& layer, std::int64_t batch, Precision precision) {
  const double value_bytes = DeviceSpec::bytes_per_value(precision);
  const auto samples = static_cast<double>(batch);
  BatchWork work;
  work.flops[layer.kind] = kPasses * samples * layer.product_flops;
  // Moved bytes are those of float32; each pass reads the parameters, or writes their gradients.
  const double moved = samples * layer.moved_bytes / kParameterBytes;
  work.bytes = kPasses * value_bytes * (moved + static_cast<double>(layer.parameters));
  work.operations = kPasses * layer.operations;
  return work;
}

BatchWork step_work(const Network& network) {
  constexpr double kReadAndWritten = 5;
  return {.flops = {},
          .bytes = kReadAndWritten * kParameterBytes * static_cast<double>(network.parameters()),
          .operations = 1};
}

BatchWork work_of(const Network& network, std::int64_t batch, Precision precision) {
  BatchWork work = step_work(network);
  for (const Layer& layer : network.layers) work += work_of(layer, batch, precision);
  return work;
}

double seconds_of(const BatchWork& work,
                  const DeviceSpec& device,
                  Precision precision,
                  const Efficiency& efficiency) {
  const double of_cores = device.cores > 1 ? efficiency.of_cores : 1;
  double seconds = work.bytes / (efficiency.of_memory * device.memory_bytes_per_s) +
                   work.operations * efficiency.operation_s;
  for (const auto& [kind, flops] : work.flops)
    seconds += flops / (efficiency.of_products.at(kind) * of_cores * device.rate(precision));
  return seconds;
}

CostTrace estimated_cost(const Network& network,
                         const DeviceSpec& device,
                         Precision precision,
                         const Efficiency& efficiency,
                         std::int64_t batch,
                         double scale) {
  CostTrace trace;
  trace.file = device.name + ", estimated";
  trace.device = device.name;
  trace.network = network.name;
  trace.input = network.input;
  trace.precision = precision;
  trace.source = {.grade = Grade::estimated,
                  .method = "roofline in " + show_name(precision, kPrecisions) +
                            ": operations, bytes moved "
                            "and " +
                            device.title + "'s peak rates"};
  trace.error_note = error_text(device, efficiency, scale != 1);
  trace.error_factor = error_factor(device, efficiency, scale != 1);
  std::set<std::int64_t> sizes = {batch};
  for (std::int64_t size = 1; size <= kMostBatch; size *= 2) sizes.insert(size);
  const auto scaled = [&](const BatchWork& work) {
    return scale * seconds_of(work, device, precision, efficiency);
  };
  const double step_s = scaled(step_work(network));
  for (const std::int64_t size : sizes) {
    const double passes_s = scaled(work_of(network, size, precision)) - step_s;
    BatchSamples samples;
    samples.batch = size;
    samples.total_s = {passes_s + step_s};
    samples.load_s = {0};
    samples.forward_s = {passes_s / kPasses};
    samples.backward_s = {passes_s * (kPasses - 1) / kPasses};
    samples.step_s = {step_s};
    trace.batches.push_back(std::move(samples));
  }
  double layers_s = 0;
  for (const Layer& layer : network.layers) {
    const double seconds = scaled(work_of(layer, batch, precision));
    trace.backward_layers.push_back({.name = layer.name, .share = seconds});
    layers_s += seconds;
  }
  for (LayerShare& layer : trace.backward_layers) layer.share /= layers_s;
  return trace;
}

}  // namespace epochcast
