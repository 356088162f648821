// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "core/tensors/own_data.hpp"
#include "real/data/ag_news.hpp"
#include "real/data/cifar.hpp"
#include "real/data/data_source.hpp"
#include "real/data/idx.hpp"
#include "real/data/image_folder.hpp"
#include "real/data/own_source.hpp"

namespace epochcast::real {
namespace {

namespace fs = std::filesystem;

struct Format {
  const char* title;
  const char* layout;                ///< the folder's layout, as text
  std::array<const char*, 2> signs;  ///< files or folders by which the format is recognised
  DataSplit (*open)(const Dataset& dataset, const fs::path& folder);
};

/// In the order in which they are tried: AG News has train.csv, image folders have train/.
constexpr std::array kFormats = {
    Format{.title = "IDX (MNIST)",
           .layout = "train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte, "
                     "t10k-labels-idx1-ubyte",
           .signs = {"train-images-idx3-ubyte", "t10k-images-idx3-ubyte"},
           .open = &open_idx},
    Format{.title = "CIFAR-10 binary",
           .layout = "data_batch_1.bin to data_batch_5.bin, test_batch.bin",
           .signs = {"data_batch_1.bin", "test_batch.bin"},
           .open = &open_cifar10},
    Format{.title = "CIFAR-100 binary",
           .layout = "train.bin, test.bin",
           .signs = {"train.bin", "test.bin"},
           .open = &open_cifar100},
    Format{.title = "AG News",
           .layout = "train.csv, test.csv",
           .signs = {"train.csv", "test.csv"},
           .open = &open_ag_news},
    Format{.title = "image folders",
           .layout = "train/CLASS/*.jpg, val/CLASS/*.jpg (or test/)",
           .signs = {"train", "train"},
           .open = &open_image_folder},
};

}  // namespace

DataSplit open_data(const Dataset& dataset, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw UserError(folder.string() + ": " +
                    (error ? error.message() : std::string("not a folder")) +
                    "; expected the folder of " + dataset.title);
  }
  if (is_own_data(folder)) return open_own_source(dataset, folder);
  for (const Format& format : kFormats) {
    for (const char* sign : format.signs) {
      if (fs::exists(folder / sign, error)) return format.open(dataset, folder);
    }
  }
  std::string problem = folder.string() + ": got none of the files of a known format; expected ";
  for (const Format& format : kFormats) {
    if (&format != kFormats.data()) problem += "; or ";
    problem += std::string(format.title) + ": " + format.layout;
  }
  problem += std::string("; or ") + kOwnDataLayouts;
  throw UserError(problem);
}

}  // namespace epochcast::real
