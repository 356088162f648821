// SPDX-License-Identifier: Apache-2.0
// Writes models/networks/*.json: epochcast-describe-networks FOLDER
#include <filesystem>
#include <fstream>
#include <iostream>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/network_text.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: epochcast-describe-networks FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  if (!std::filesystem::is_directory(folder)) {
    std::cerr << folder.string() << ": got no folder; expected an existing one\n";
    return 2;
  }
  for (const auto& network : epochcast::describe::all_networks()) {
    const std::filesystem::path path = folder / (network.name + ".json");
    std::ofstream file(path, std::ios::binary);
    file << epochcast::describe::network_text(network);
    file.close();
    if (!file) {
      std::cerr << path.string() << ": cannot be written\n";
      return 1;
    }
  }
  return 0;
}
