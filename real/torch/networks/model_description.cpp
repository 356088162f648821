// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/model_description.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/version.h>

#include "base/error.hpp"
#include "core/formats/network.hpp"
#include "real/torch/libtorch_reason.hpp"
#include "real/torch/networks/operation_meter.hpp"
#include "real/torch/networks/scripted_network.hpp"

namespace epochcast::real {
namespace {

/// Random samples, since zeros are unusual inputs. Of words, those in any vocabulary, or in that of
/// the task.
torch::Tensor samples_for(const Task& task, std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> sizes = {count};
  sizes.insert(sizes.end(), task.shape.begin(), task.shape.end());
  auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  if (!task.are_tokens) return torch::randn(sizes, generator);
  const bool has_vocabulary = task.targets.kind == TargetKind::tokens && task.classes > 0;
  return torch::randint(0, has_vocabulary ? task.classes : 1, sizes, generator);
}

/// The cost of one of so many samples.
ModelDescription described(ScriptedNetwork& network,
                           const Task& task,
                           std::int64_t count,
                           std::uint64_t seed) {
  Meter meter(network, count);
  meter.measure(samples_for(task, count, seed));
  return meter.description();
}

/// The cost of one sample: alone or, if the model needs more than one, of two.
ModelDescription described(ScriptedNetwork& network, const Task& task, std::uint64_t seed) {
  try {
    return described(network, task, 1, seed);
  } catch (const std::exception&) {
    return described(network, task, 2, seed);
  }
}

double forward_flop_of(const ModelDescription& description) {
  double sum = 0;
  for (const NetworkLayer& layer : description.file.variants.front().layers)
    sum += layer.forward_flops;
  return sum;
}

}  // namespace

ModelDescription describe_model(const std::string& file, Task task) {
  task.loss.reset();
  ScriptedNetwork network(file, task);
  network.train();
  ModelDescription description;
  try {  // the constructor has tried the model in evaluation mode
    description = described(network, task, 1);
    description.other_forward_flops = forward_flop_of(described(network, task, 2));
  } catch (const c10::Error& error) {
    throw UserError(file + ": the model does not take samples of " + shape_text(task.shape) +
                    " in training: " + reason_of(error));
  }
  description.forward_flops = forward_flop_of(description);
  const std::string name = network_name(file);
  description.file.name = name;
  description.file.title = name + ", as its model file says";
  description.file.source = {
      .grade = Grade::estimated,
      .method = "epochcast describe: a sample was sent through the model, and what LibTorch " +
                std::string(TORCH_VERSION) + " was asked to do was added up by operation"};
  NetworkVariant& variant = description.file.variants.front();
  variant.input = task.shape;
  if (task.targets.kind == TargetKind::classes) variant.classes = network.scored_classes();
  return description;
}

}  // namespace epochcast::real
