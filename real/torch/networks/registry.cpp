// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
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
KnownNetwork gpt_char_network();
KnownNetwork gpt2_network();
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

/// Throws if the network's outputs do not fit the targets.
void check_targets(const KnownNetwork& network, const Task& task, Loss loss) {
  const bool has_tokens = task.targets.kind == TargetKind::tokens;
  if (has_tokens != network.scores_tokens)
    throw UserError(
        network.name + ": makes something of each " + (network.scores_tokens ? "token" : "sample") +
        ", and the data have something " + "for each " + (has_tokens ? "token" : "sample"));
  if (loss == Loss::model || (network.has_own_loss && loss != Loss::cross_entropy))
    throw UserError(
        "--loss: got " + to_string(loss) + "; " + network.name +
        (network.has_own_loss ? " has a loss of its own" : " does not return its loss"));
}

const KnownNetwork& checked_network(const std::string& name, const Task& task) {
  if (name.ends_with(".json"))
    throw UserError("--network: " + name +
                    " describes a network; to train it takes one of ours, or a TorchScript file "
                    "(torch.jit.script(model).save(\"model.pt\"))");
  for (const KnownNetwork& network : known_networks()) {
    if (network.name != name) continue;
    const bool takes_tokens = network.described.front().input.size() == 1;
    if (!network.requirement.is_met(task.shape) || takes_tokens != task.are_tokens) {
      throw UserError(name + ": got samples of shape " + shape_text(task.shape) +
                      (task.shape.size() == 1 && !task.are_tokens ? " (numbers, no tokens)" : "") +
                      "; expected " + network.requirement.expected);
    }
    if (task.classes < 1) {
      throw UserError(name + ": got " + std::to_string(task.classes) +
                      " classes; expected at least 1");
    }
    return network;
  }
  throw UserError(unknown_network(name, network_names()));
}

Loss loss_for(const Task& task) {
  return chosen_loss(
      task.loss.value_or(Loss::automatic), task.targets, task.classes, "the data set");
}

}  // namespace

const std::vector<KnownNetwork>& known_networks() {
  static const std::vector<KnownNetwork> kNetworks = {
      small_cnn_network(),     resnet20_network(), shufflenetv2_network(),  densenet121_network(),
      wide_resnet16_network(), resnet18_network(), vgg16_network(),         resnet34_network(),
      vit_small_network(),     resnet50_network(), wide_resnet28_network(), resnet101_network(),
      vit_base_network(),      rnn_network(),      gru_network(),           lstm_network(),
      distilbert_network(),    gpt_char_network(), gpt2_network(),          gan_network(),
  };
  return kNetworks;
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const KnownNetwork& network : known_networks()) names.push_back(network.name);
  return names;
}

void check_network(const std::string& name, const Task& task) {
  if (is_model_file(name)) {
    static_cast<void>(ScriptedNetwork(name, task));
  } else {
    check_targets(checked_network(name, task), task, loss_for(task));
  }
}

std::shared_ptr<TorchNetwork> make_network(const std::string& name, const Task& task) {
  if (is_model_file(name)) return std::make_shared<ScriptedNetwork>(name, task);
  const KnownNetwork& known = checked_network(name, task);
  const Loss loss = loss_for(task);
  check_targets(known, task, loss);
  auto network = known.make(task.shape, outputs_for(loss, task.targets, task.classes));
  network->learn_by(loss);
  return network;
}

}  // namespace epochcast::real
