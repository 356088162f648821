// SPDX-License-Identifier: Apache-2.0
#include "core/formats/device.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"

namespace epochcast {
namespace {

constexpr int kMostCores = 100'000;

}  // namespace

double DeviceSpec::rate(Precision precision) const {
  const auto found = flops_per_s.find(precision);
  if (found != flops_per_s.end()) return found->second;
  return precision == Precision::tf32 ? rate(Precision::float32) : 0;
}

double DeviceSpec::bytes_per_value(Precision precision) {
  return precision == Precision::float16 || precision == Precision::bfloat16 ? 2 : 4;
}

DeviceSpec parse_device(const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.device/1", problems);
  DeviceSpec device;
  device.name = top.at("name").identifier();
  device.title = top.at("title").string();
  device.device_class = top.at("class").identifier();
  device.source = read_source(top.at("source"));
  JsonInput peak = top.at("peak");
  for (const auto& [name, precision] : kPrecisions) {
    if (const auto rate = peak.maybe(std::string(name)))
      device.flops_per_s[precision] = rate->quantity(Dimension::flops_per_s);
  }
  peak.finish();
  if (!device.flops_per_s.contains(Precision::float32))
    peak.problem("lacks float32; expected such as \"float32\": \"19.5Tflops\"");
  device.memory_bytes = top.at("memory").quantity(Dimension::bytes);
  device.memory_bytes_per_s = top.at("bandwidth").quantity(Dimension::bytes_per_s);
  if (const auto cores = top.maybe("cores"))
    device.cores = static_cast<int>(cores->integer(1, kMostCores));
  device.power = read_power(top);
  top.finish();
  problems.throw_if_any();
  return device;
}

DeviceSpec load_device(const std::filesystem::path& file) {
  return parse_device(read_json_file(file), file.string());
}

}  // namespace epochcast
