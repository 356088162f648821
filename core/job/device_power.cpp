// SPDX-License-Identifier: Apache-2.0
#include "core/job/device_power.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/device.hpp"
#include "core/job/job.hpp"

namespace epochcast {

void add_power(Platform& platform, const Catalog& catalog) {
  if (!std::filesystem::is_directory(catalog.root() / "models/devices")) return;
  std::map<std::string, std::optional<PowerDraw>> known;  // by model
  const std::vector<std::string> names = catalog.names("models/devices");
  const auto of_model = [&](const std::string& model) {
    const auto [at, is_new] = known.try_emplace(model);
    if (is_new && std::binary_search(names.begin(), names.end(), model))
      at->second = load_device(catalog.find("models/devices", model, "device")).power;
    return at->second;
  };
  for (NodeGroup& group : platform.nodes) {
    for (DeviceGroup& device : group.devices) {
      if (!device.power) device.power = of_model(device.model);
    }
  }
}

}  // namespace epochcast
