// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/scripted_network.hpp"

#include <torch/csrc/jit/passes/inliner.h>
#include <torch/script.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "core/error.hpp"
#include "core/formats/network.hpp"

namespace epochcast::real {
namespace {

constexpr double kAuxiliaryWeight = 0.3;
constexpr std::int64_t kTrialSamples = 2;  // BatchNorm wants more than one

/// What LibTorch says, in a line: the first, or, where it tells the calls of a script, the last.
std::string reason_of(const std::exception& error) {
  const auto* own = dynamic_cast<const c10::Error*>(&error);
  const std::string text = own != nullptr ? own->what_without_backtrace() : error.what();
  const bool is_traceback = text.find("Traceback of TorchScript") != std::string::npos;
  std::istringstream lines(text);
  std::string reason;
  for (std::string line; std::getline(lines, line);) {
    const bool says_something = line.find_first_not_of(" \t^~") != std::string::npos;
    if (says_something && (is_traceback || reason.empty())) reason = line;
  }
  return reason;
}

torch::jit::Module loaded(const std::string& file) {
  if (!std::filesystem::exists(file)) throw UserError(file + ": no such file");
  try {
    return torch::jit::load(file, torch::kCPU);
  } catch (const std::exception& error) {
    throw UserError(
        file + ": LibTorch " TORCH_VERSION " cannot load it as TorchScript: " + reason_of(error) +
        "; write it with torch.jit.script(model).save(\"model.pt\") (torch.save writes "
        "Python objects, and torch.export another format)");
  }
}

void add_tensors(const torch::IValue& value, std::vector<torch::Tensor>& tensors) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) tensors.push_back(value.toTensor());
  } else if (value.isTuple()) {
    for (const torch::IValue& element : value.toTupleRef().elements())
      add_tensors(element, tensors);
  } else if (value.isTensorList()) {
    for (const torch::Tensor& tensor : value.toTensorVector()) tensors.push_back(tensor);
  } else if (value.isList()) {
    for (const torch::IValue& element : value.toListRef()) add_tensors(element, tensors);
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) add_tensors(entry.value(), tensors);
  }
}

/// Operations that torch.jit.trace has recorded as they are in evaluation, by their names.
std::set<std::string> traced_for_evaluation(const torch::jit::Module& script) {
  // Where the argument `training` of each lies.
  static const std::map<std::string, std::size_t> kTraining = {
      {"aten::batch_norm", 5}, {"aten::dropout", 2}, {"aten::feature_dropout", 2}};
  std::set<std::string> found;
  const auto graph = script.get_method("forward").graph()->copy();
  torch::jit::Inline(*graph);
  std::vector<torch::jit::Block*> blocks = {graph->block()};
  while (!blocks.empty()) {
    torch::jit::Block* block = blocks.back();
    blocks.pop_back();
    for (torch::jit::Node* node : block->nodes()) {
      for (torch::jit::Block* inner : node->blocks()) blocks.push_back(inner);
      const auto place = kTraining.find(node->kind().toQualString());
      if (place == kTraining.end()) continue;
      const auto training = torch::jit::toIValue(node->input(place->second));
      if (training && training->isBool() && !training->toBool()) found.insert(place->first);
    }
  }
  return found;
}

/// Tensors that forward() cannot do without: the first is for samples.
std::size_t required_arguments(const torch::jit::Module& script) {
  const auto& arguments = script.get_method("forward").function().getSchema().arguments();
  return static_cast<std::size_t>(
      std::count_if(arguments.begin() + 1, arguments.end(), [](const c10::Argument& argument) {
        return !argument.default_value();
      }));
}

/// The module that is to own a tensor of this name, made with those around it where there is none.
torch::nn::Module& owner_of(torch::nn::Module& top, const std::string& name) {
  torch::nn::Module* owner = &top;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t dot = name.find('.', at);
    if (dot == std::string::npos) break;
    const std::string part = name.substr(at, dot - at);
    const auto children = owner->named_children();
    const auto* known = children.find(part);
    owner = known != nullptr
                ? known->get()
                : owner->register_module(part, std::make_shared<torch::nn::Module>(part)).get();
    at = dot + 1;
  }
  return *owner;
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

ScriptedNetwork::ScriptedNetwork(const std::string& file,
                                 std::span<const std::int64_t> shape,
                                 std::int64_t classes)
    : file_(file), script_(loaded(file)), takes_tokens_(shape.size() == 1) {
  if (!script_.find_method("forward")) throw UserError(file_ + ": the model has no forward()");
  if (!script_.hasattr("training"))
    throw UserError(file_ +
                    ": the model is frozen: its parameters have become constants; save it before "
                    "torch.jit.freeze or torch.jit.optimize_for_inference");
  const std::size_t required = required_arguments(script_);
  if (required < 1 || required > 2)
    throw UserError(file_ + ": forward() requires " + std::to_string(required) +
                    " arguments; expected the samples, or the samples and the labels");
  returns_loss_ = required == 2;
  const std::set<std::string> evaluates = traced_for_evaluation(script_);
  if (!evaluates.empty())
    throw UserError(file_ + ": " + *evaluates.begin() +
                    " was traced as it is in evaluation, and would never train; use "
                    "torch.jit.script, or call model.train() before torch.jit.trace");
  adopt_tensors();
  try_samples(shape, classes);
}

void ScriptedNetwork::adopt_tensors() {
  std::set<const at::TensorImpl*> known;
  std::vector<std::string> problems;
  const auto adopt = [&](const std::string& name, const torch::Tensor& tensor, bool is_trained) {
    if (!known.insert(tensor.unsafeGetTensorImpl()).second) return;
    torch::nn::Module& owner = owner_of(*this, name);
    if (is_trained) {
      owner.register_parameter(last_part(name), tensor, true);
    } else {
      owner.register_buffer(last_part(name), tensor);
    }
  };
  for (const auto& parameter : script_.named_parameters()) {
    if (parameter.value.scalar_type() != torch::kFloat32)
      problems.push_back(file_ + ": " + parameter.name + " is " +
                         toString(parameter.value.scalar_type()) +
                         "; expected float32 (model.float() before it is scripted)");
    if (!parameter.value.is_leaf())
      problems.push_back(file_ + ": " + parameter.name + " is computed");
    adopt(parameter.name, parameter.value, parameter.value.requires_grad());
  }
  for (const auto& buffer : script_.named_buffers()) adopt(buffer.name, buffer.value, false);
  if (parameters().empty())
    problems.push_back(file_ + ": no parameter of the model requires a gradient");
  if (!problems.empty()) throw UserError(problems);
}

void ScriptedNetwork::try_samples(std::span<const std::int64_t> shape, std::int64_t classes) {
  const torch::NoGradGuard no_gradients;
  std::vector<std::int64_t> sizes = {kTrialSamples};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  const std::string what = "samples of " + shape_text({shape.begin(), shape.end()});
  const bool was_training = is_training();
  eval();  // draws nothing, and leaves BatchNorm's statistics alone
  std::vector<torch::Tensor> results;
  try {
    results = run(torch::zeros(sizes), torch::zeros({kTrialSamples}, torch::kInt64));
  } catch (const std::exception& error) {
    throw UserError(file_ + ": the model does not take " + what + ": " + reason_of(error));
  }
  train(was_training);
  if (results.empty()) throw UserError(file_ + ": forward() returns no tensor");
  const torch::Tensor& first = results.front();
  if (returns_loss_) {
    if (first.numel() != 1)
      throw UserError(file_ + ": given samples and labels, forward() returns " +
                      shape_text(first.sizes().vec()) + " values; expected the loss, one value");
    return;
  }
  if (first.dim() != 2 || first.size(0) != kTrialSamples || first.size(1) < classes)
    throw UserError(file_ + ": of " + std::to_string(kTrialSamples) + " " + what +
                    " the model makes " + shape_text(first.sizes().vec()) +
                    " values; expected scores of " + std::to_string(classes) +
                    " classes each (the data set's: replace the model's last layer)");
}

std::vector<torch::Tensor> ScriptedNetwork::run(const torch::Tensor& samples,
                                                const torch::Tensor& labels) {
  std::vector<torch::IValue> arguments = {takes_tokens_ ? samples.to(torch::kInt64) : samples};
  if (returns_loss_) arguments.emplace_back(labels);
  std::vector<torch::Tensor> tensors;
  add_tensors(script_.forward(std::move(arguments)), tensors);
  return tensors;
}

torch::Tensor ScriptedNetwork::forward(torch::Tensor samples) {
  return run(samples, torch::zeros({samples.size(0)}, samples.options().dtype(torch::kInt64)))
      .front();
}

std::vector<torch::Tensor> ScriptedNetwork::pass_all_layers(const torch::Tensor& samples) {
  return run(samples, torch::zeros({samples.size(0)}, samples.options().dtype(torch::kInt64)));
}

BatchLoss ScriptedNetwork::loss(const torch::Tensor& samples, const torch::Tensor& labels) {
  const std::vector<torch::Tensor> results = run(samples, labels);
  if (returns_loss_) {
    const torch::Tensor loss = results.front().reshape({});
    // What each sample adds is not told: all are taken to be alike.
    return {.loss = loss,
            .sample_losses = loss.detach().expand({samples.size(0)}),
            .correct = torch::zeros({}, labels.options())};
  }
  namespace F = torch::nn::functional;
  const torch::Tensor& scores = results.front();
  torch::Tensor sample_losses =
      F::cross_entropy(scores, labels, F::CrossEntropyFuncOptions().reduction(torch::kNone));
  torch::Tensor loss = sample_losses.mean();
  for (std::size_t i = 1; i < results.size() && is_training(); ++i) {
    if (results[i].sizes() == scores.sizes())
      loss = loss + kAuxiliaryWeight * F::cross_entropy(results[i], labels);
  }
  return {.loss = loss,
          .sample_losses = sample_losses.detach(),
          .correct = (scores.detach().argmax(1) == labels).sum()};
}

void ScriptedNetwork::train(bool on) {
  TorchNetwork::train(on);
  script_.train(on);
}

void ScriptedNetwork::to(torch::Device device, bool non_blocking) {
  script_.to(device, non_blocking);
}

}  // namespace epochcast::real
