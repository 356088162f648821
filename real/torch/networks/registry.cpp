// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/formats/network.hpp"
#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/scripted_network.hpp"
#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

// Each is defined in the file of its name, or of its family.
KnownNetwork densenet121_network();
KnownNetwork distilbert_network();
KnownNetwork gan_network();
KnownNetwork gru_network();
KnownNetwork lstm_network();
KnownNetwork resnet101_network();
KnownNetwork resnet18_network();
KnownNetwork resnet20_network();
KnownNetwork resnet34_network();
KnownNetwork resnet50_network();
KnownNetwork rnn_network();
KnownNetwork shufflenetv2_network();
KnownNetwork small_cnn_network();
KnownNetwork vgg16_network();
KnownNetwork vit_base_network();
KnownNetwork vit_small_network();
KnownNetwork wide_resnet16_network();
KnownNetwork wide_resnet28_network();

namespace {

using Shape = std::span<const std::int64_t>;

const KnownNetwork& checked_network(const std::string& name, Shape shape, std::int64_t classes) {
  if (name.ends_with(".json"))
    throw UserError("--network: " + name +
                    " describes a network; to train it takes one of ours, or a TorchScript file "
                    "(torch.jit.script(model).save(\"model.pt\"))");
  for (const KnownNetwork& network : known_networks()) {
    if (network.name != name) continue;
    if (!network.requirement.is_met(shape)) {
      throw UserError(name + ": got samples of shape " + shape_text({shape.begin(), shape.end()}) +
                      "; expected " + network.requirement.expected);
    }
    if (classes < 1) {
      throw UserError(name + ": got " + std::to_string(classes) + " classes; expected at least 1");
    }
    return network;
  }
  throw UserError(unknown_network(name, network_names()));
}

}  // namespace

const std::vector<KnownNetwork>& known_networks() {
  static const std::vector<KnownNetwork> kNetworks = {
      small_cnn_network(),
      resnet20_network(),
      shufflenetv2_network(),
      densenet121_network(),
      wide_resnet16_network(),
      resnet18_network(),
      vgg16_network(),
      resnet34_network(),
      vit_small_network(),
      resnet50_network(),
      wide_resnet28_network(),
      resnet101_network(),
      vit_base_network(),
      rnn_network(),
      gru_network(),
      lstm_network(),
      distilbert_network(),
      gan_network(),
  };
  return kNetworks;
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const KnownNetwork& network : known_networks()) names.push_back(network.name);
  return names;
}

void check_network(const std::string& name, Shape shape, std::int64_t classes) {
  if (is_model_file(name)) {
    static_cast<void>(ScriptedNetwork(name, shape, classes));
  } else {
    static_cast<void>(checked_network(name, shape, classes));
  }
}

std::shared_ptr<TorchNetwork> make_network(const std::string& name,
                                           Shape shape,
                                           std::int64_t classes) {
  if (is_model_file(name)) return std::make_shared<ScriptedNetwork>(name, shape, classes);
  return checked_network(name, shape, classes).make(shape, classes);
}

}  // namespace epochcast::real
