// SPDX-License-Identifier: Apache-2.0
// Writes models/networks/*.json: epochcast-describe-networks FOLDER
#include <filesystem>

#include "base/error.hpp"
#include "base/files/file_draft.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/network_text.hpp"

int main(int argc, char** argv) {
  return epochcast::exit_status("epochcast-describe-networks", [&] {
    if (argc != 2) throw epochcast::UserError("usage: epochcast-describe-networks FOLDER");
    const std::filesystem::path folder = argv[1];
    for (const std::string& name : epochcast::real::network_names()) {
      epochcast::replace_file(folder / (name + ".json"), epochcast::real::network_text(name));
    }
    return 0;
  });
}
