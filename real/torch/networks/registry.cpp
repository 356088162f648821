// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <utility>

#include "core/error.hpp"
#include "core/network.hpp"
#include "core/suggest.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/resnet.hpp"
#include "real/torch/networks/small_cnn.hpp"
#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {
namespace {

using Shape = std::span<const std::int64_t>;

struct Entry {
  std::string name;
  std::function<std::shared_ptr<TorchNetwork>(Shape, std::int64_t)> make;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kEntries = {
      {"small-cnn",
       [](Shape shape, std::int64_t classes) {
         return std::make_shared<SmallCnn>(shape, classes);
       }},
      {"resnet20",
       [](Shape shape, std::int64_t classes) {
         return std::make_shared<ResNet>(resnet20_plan(), shape, classes);
       }},
      {"resnet18",
       [](Shape shape, std::int64_t classes) {
         return std::make_shared<ResNet>(resnet18_plan(), shape, classes);
       }},
      {"resnet34",
       [](Shape shape, std::int64_t classes) {
         return std::make_shared<ResNet>(resnet34_plan(), shape, classes);
       }},
      {"resnet50",
       [](Shape shape, std::int64_t classes) {
         return std::make_shared<ResNet>(resnet50_plan(), shape, classes);
       }},
      {"resnet101",
       [](Shape shape, std::int64_t classes) {
         return std::make_shared<ResNet>(resnet101_plan(), shape, classes);
       }},
  };
  return kEntries;
}

void check_image(const std::string& name, Shape shape, std::int64_t classes) {
  constexpr std::int64_t kSmallest = 16;  // every network here halves an image up to four times
  const bool is_image =
      shape.size() == 3 && shape[0] >= 1 && shape[1] >= kSmallest && shape[2] >= kSmallest;
  if (!is_image) {
    throw UserError(name + ": got samples of shape " + shape_text({shape.begin(), shape.end()}) +
                    "; expected images [channels, rows, columns] of at least 16 x 16 pixels");
  }
  if (classes < 1) {
    throw UserError(name + ": got " + std::to_string(classes) + " classes; expected at least 1");
  }
}

}  // namespace

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    names.push_back(entry.name);
  }
  return names;
}

std::shared_ptr<TorchNetwork> make_network(const std::string& name,
                                           Shape shape,
                                           std::int64_t classes) {
  for (const Entry& entry : entries()) {
    if (entry.name == name) {
      check_image(name, shape, classes);
      return entry.make(shape, classes);
    }
  }
  throw UserError(unknown_name("network", name, network_names()));
}

}  // namespace epochcast::real
