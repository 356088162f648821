// SPDX-License-Identifier: Apache-2.0
// Writes models/networks/*.json: epochcast-describe-networks FOLDER
#include <filesystem>

#include "core/error.hpp"
#include "core/files/file_draft.hpp"
#include "models/networks/describe/families.hpp"
#include "models/networks/describe/network_text.hpp"

int main(int argc, char** argv) {
  return epochcast::exit_status("epochcast-describe-networks", [&] {
    if (argc != 2) throw epochcast::UserError("usage: epochcast-describe-networks FOLDER");
    const std::filesystem::path folder = argv[1];
    for (const auto& network : epochcast::describe::all_networks()) {
      epochcast::replace_file(folder / (network.name + ".json"),
                              epochcast::describe::network_text(network));
    }
    return 0;
  });
}
