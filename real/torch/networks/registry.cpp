// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <utility>

#include "core/error.hpp"
#include "core/formats/network.hpp"
#include "core/suggest.hpp"
#include "real/torch/networks/densenet.hpp"
#include "real/torch/networks/distilbert.hpp"
#include "real/torch/networks/gan.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/recurrent.hpp"
#include "real/torch/networks/resnet.hpp"
#include "real/torch/networks/shufflenet.hpp"
#include "real/torch/networks/small_cnn.hpp"
#include "real/torch/networks/torch_network.hpp"
#include "real/torch/networks/vgg.hpp"
#include "real/torch/networks/vision_transformer.hpp"
#include "real/torch/networks/wide_resnet.hpp"

namespace epochcast::real {
namespace {

using Shape = std::span<const std::int64_t>;

/// The shapes of samples that a network takes.
struct Requirement {
  std::string expected;  ///< in words
  std::function<bool(Shape)> is_met;
};

struct Entry {
  std::string name;
  Requirement requirement;
  std::function<std::shared_ptr<TorchNetwork>(Shape, std::int64_t)> make;
};

bool is_image(Shape shape, std::int64_t smallest) {
  return shape.size() == 3 && shape[0] >= 1 && shape[1] >= smallest && shape[2] >= smallest;
}

Requirement image_of_at_least(std::int64_t smallest) {
  const std::string pixels = std::to_string(smallest);
  return {.expected = "images [channels, rows, columns] of at least " + pixels + " x " + pixels +
                      (smallest == 1 ? " pixel" : " pixels"),
          .is_met = [smallest](Shape shape) { return is_image(shape, smallest); }};
}

Requirement image_of_patches() {
  return {.expected =
              "images [channels, rows, columns] whose rows and columns are multiples of 4, "
              "or of 16 with more than 64 rows",
          .is_met = [](Shape shape) {
            return is_image(shape, 1) && shape[1] % patch_size(shape) == 0 &&
                   shape[2] % patch_size(shape) == 0;
          }};
}

Requirement gan_image() {
  return {.expected =
              "images [channels, rows, columns] whose rows and columns are multiples of 4 "
              "and at least 20",
          .is_met = is_gan_image};
}

Requirement short_text() {
  return {.expected = "texts [tokens] of at most " + std::to_string(kDistilBertTokens) + " tokens",
          .is_met = [](Shape shape) {
            return shape.size() == 1 && shape[0] >= 1 && shape[0] <= kDistilBertTokens;
          }};
}

/// Makes a `Network` by its plan, where it has one, the shape and the number of classes.
template <typename Network, typename... Plan>
auto maker(Plan... plan) {
  return [plan...](Shape shape, std::int64_t classes) {
    return std::make_shared<Network>(plan..., shape, classes);
  };
}

std::vector<Entry> make_entries() {
  // Four times, a network halves the rows and columns of an image; VGG-16 does so five times.
  const Requirement image = image_of_at_least(16);
  const Requirement vgg_image = image_of_at_least(32);
  const Requirement rows = image_of_at_least(1);
  return {
      {"small-cnn", image, maker<SmallCnn>()},
      {"resnet20", image, maker<ResNet>(resnet20_plan())},
      {"shufflenetv2-1x", image, maker<ShuffleNetV2>()},
      {"densenet121", image, maker<DenseNet121>()},
      {"wide-resnet-16", image, maker<WideResNet>(wide_resnet16_plan())},
      {"resnet18", image, maker<ResNet>(resnet18_plan())},
      {"vgg16", vgg_image, maker<Vgg16>()},
      {"resnet34", image, maker<ResNet>(resnet34_plan())},
      {"vit-s", image_of_patches(), maker<VisionTransformer>(vit_small_plan())},
      {"resnet50", image, maker<ResNet>(resnet50_plan())},
      {"wide-resnet-28", image, maker<WideResNet>(wide_resnet28_plan())},
      {"resnet101", image, maker<ResNet>(resnet101_plan())},
      {"vit-b", image_of_patches(), maker<VisionTransformer>(vit_base_plan())},
      {"rnn", rows, make_rnn},
      {"gru", rows, make_gru},
      {"lstm", rows, make_lstm},
      {"distilbert", short_text(), maker<DistilBert>()},
      {"gan", gan_image(), maker<Gan>()},
  };
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kEntries = make_entries();
  return kEntries;
}

const Entry& checked_entry(const std::string& name, Shape shape, std::int64_t classes) {
  for (const Entry& entry : entries()) {
    if (entry.name != name) continue;
    if (!entry.requirement.is_met(shape)) {
      throw UserError(name + ": got samples of shape " + shape_text({shape.begin(), shape.end()}) +
                      "; expected " + entry.requirement.expected);
    }
    if (classes < 1) {
      throw UserError(name + ": got " + std::to_string(classes) + " classes; expected at least 1");
    }
    return entry;
  }
  throw UserError(unknown_name("network", name, network_names()));
}

}  // namespace

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    names.push_back(entry.name);
  }
  return names;
}

void check_network(const std::string& name, Shape shape, std::int64_t classes) {
  static_cast<void>(checked_entry(name, shape, classes));
}

std::shared_ptr<TorchNetwork> make_network(const std::string& name,
                                           Shape shape,
                                           std::int64_t classes) {
  return checked_entry(name, shape, classes).make(shape, classes);
}

}  // namespace epochcast::real
