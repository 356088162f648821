// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/scripted_network.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/script.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "core/formats/network.hpp"
#include "real/torch/libtorch_reason.hpp"
#include "real/torch/networks/script_file.hpp"

namespace epochcast::real {
namespace {

constexpr double kAuxiliaryWeight = 0.3;
constexpr std::int64_t kTrialSamples = 2;  // BatchNorm needs more than one
constexpr std::int64_t kMostTrialSamples = 64;
constexpr std::uint64_t kTrialSeed = 1;
constexpr const char* kSeveralInputs =
    "(several inputs: save them as one row of numbers for each sample, and script a model that "
    "cuts them out of it, forward(row))";

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

/// The arguments of forward(): the first is for samples.
struct Arguments {
  std::size_t required = 0;  ///< without default
  std::size_t all = 0;
};

Arguments arguments_of(const torch::jit::Module& script) {
  const auto& arguments = script.get_method("forward").function().getSchema().arguments();
  const auto required =
      std::count_if(arguments.begin() + 1, arguments.end(), [](const c10::Argument& argument) {
        return !argument.default_value();
      });
  return {.required = static_cast<std::size_t>(required), .all = arguments.size() - 1};
}

/// The module that is to own a tensor of this name; missing modules are created.
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

/// "2x10 values", "a single value of Long".
std::string made_text(const torch::Tensor& outputs) {
  std::string text =
      outputs.dim() == 0 ? "a single value" : shape_text(outputs.sizes().vec()) + " values";
  if (!outputs.is_floating_point()) text += std::string(" of ") + toString(outputs.scalar_type());
  return text;
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

ScriptedNetwork::ScriptedNetwork(const std::string& file, const Task& task)
    : file_(file), task_(task), script_(load_script(file)) {
  const Arguments arguments = arguments_of(script_);
  if (arguments.required < 1 || arguments.required > 2)
    throw UserError(file_ + ": forward() requires " + std::to_string(arguments.required) +
                    " arguments; expected the samples, or the samples and the targets " +
                    kSeveralInputs);
  if (task_.loss == Loss::model && arguments.all < 2)
    throw UserError(file_ +
                    ": forward() takes the samples alone; expected forward(samples, targets), "
                    "which returns the loss, for --loss model");
  returns_loss_ = arguments.required == 2 || task_.loss == Loss::model;
  const bool may_return_loss =
      arguments.all >= 2 && task_.loss.value_or(Loss::automatic) == Loss::automatic;
  if (returns_loss_ && task_.loss && *task_.loss != Loss::automatic && *task_.loss != Loss::model)
    throw UserError("--loss: got " + to_string(*task_.loss) + "; " + file_ +
                    " requires the targets, and returns its loss");
  if (!returns_loss_ && task_.loss) {
    task_.loss = chosen_loss(*task_.loss, task_.targets, task_.classes, "the data set");
    learn_by(*task_.loss);
  }
  adopt_tensors();
  try_samples(may_return_loss);
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

torch::Tensor ScriptedNetwork::no_targets(std::int64_t samples, torch::Device device) const {
  std::vector<std::int64_t> sizes = {samples};
  sizes.insert(sizes.end(), task_.targets.shape.begin(), task_.targets.shape.end());
  const bool are_values = task_.targets.kind == TargetKind::values;
  return torch::zeros(
      sizes, torch::TensorOptions(are_values ? torch::kFloat32 : torch::kInt64).device(device));
}

std::vector<torch::Tensor> ScriptedNetwork::run_trial(std::int64_t samples) {
  std::vector<std::int64_t> sizes = {samples};
  sizes.insert(sizes.end(), task_.shape.begin(), task_.shape.end());
  const auto word = static_cast<float>(has_vocabulary() ? task_.classes - 1 : 0);
  // Random, since some models divide by their inputs.
  const torch::Tensor trial =
      task_.are_tokens ? torch::full(sizes, word)
                       : torch::rand(sizes, at::make_generator<at::CPUGeneratorImpl>(kTrialSeed));
  return run(trial, no_targets(samples, torch::kCPU));
}

bool ScriptedNetwork::has_vocabulary() const {
  return task_.are_tokens && task_.targets.kind == TargetKind::tokens;
}

std::string ScriptedNetwork::words_text() const {
  if (has_vocabulary()) return " tokens up to " + std::to_string(task_.classes - 1);
  if (!task_.are_tokens) return {};
  return " tokens (whole numbers are words; save array.astype(\"float32\") where they are "
         "quantities)";
}

std::vector<torch::Tensor> ScriptedNetwork::run_first_trial() {
  try {
    return run_trial(kTrialSamples);
  } catch (const c10::Error& error) {
    const std::string reason = reason_of(error);
    for (std::int64_t samples = 1; samples <= kMostTrialSamples; samples *= 2) {
      if (takes(samples)) fail_batch_size(samples, reason);
    }
    throw UserError(file_ + ": the model does not take samples of " + shape_text(task_.shape) +
                    words_text() +
                    (returns_loss_ ? " with their targets " + std::string(kSeveralInputs) : "") +
                    ": " + reason);
  }
}

bool ScriptedNetwork::takes(std::int64_t samples) {
  try {
    return !run_trial(samples).empty();
  } catch (const std::exception&) {
    return false;
  }
}

void ScriptedNetwork::fail_batch_size(std::int64_t samples, const std::string& reason) const {
  throw UserError(file_ + ": the model takes batches of " + std::to_string(samples) +
                  (samples == 1 ? " sample alone: " : " samples alone: ") + reason +
                  "; write it with torch.jit.script, or keep numbers such as int(x.shape[0]) and "
                  "len(x) out of what torch.jit.trace writes down: -1, or x.shape[0] as it is");
}

void ScriptedNetwork::check_batch_sizes(const std::vector<torch::Tensor>& results) {
  std::vector<torch::Tensor> more;
  try {
    more = run_trial(kTrialSamples + 1);
  } catch (const c10::Error& error) {
    fail_batch_size(kTrialSamples, reason_of(error));
  }
  if (returns_loss_ || results.front().dim() == 0) return;
  if (more.front().sizes() == results.front().sizes())
    fail_batch_size(results.front().size(0),
                    "of " + std::to_string(kTrialSamples + 1) + " samples, too, it makes " +
                        made_text(more.front()));
}

void ScriptedNetwork::try_samples(bool may_return_loss) {
  const torch::NoGradGuard no_gradients;
  const bool was_training = is_training();
  eval();  // without dropout, and without updates of BatchNorm's statistics
  std::vector<torch::Tensor> results = run_first_trial();
  if (!returns_loss_ && may_return_loss && !fit(results.front())) {
    returns_loss_ = true;
    results = run_first_trial();
  }
  check_batch_sizes(results);
  train(was_training);
  if (!returns_loss_) {
    if (results.front().dim() == 2) scored_classes_ = results.front().size(1);
    return check_outputs(results.front());
  }
  const auto loss = std::find_if(results.begin(), results.end(), [](const torch::Tensor& result) {
    return result.numel() == 1 && result.is_floating_point();
  });
  if (loss == results.end())
    throw UserError(file_ + ": given samples and targets, forward() returns " +
                    made_text(results.front()) + "; expected the loss, one value " +
                    kSeveralInputs);
  place_of_loss_ = static_cast<std::size_t>(loss - results.begin());
}

bool ScriptedNetwork::fit(const torch::Tensor& outputs) const {
  const bool are_of_tokens = outputs.dim() == 3 && outputs.size(0) == kTrialSamples &&
                             outputs.size(1) == task_.shape.front();
  if (!task_.loss) return task_.targets.kind != TargetKind::tokens || are_of_tokens;
  if (!outputs.is_floating_point()) return false;
  const std::int64_t count = outputs_for(*task_.loss, task_.targets, task_.classes);
  switch (*task_.loss) {
    case Loss::cross_entropy:
      return outputs.dim() == 2 && outputs.size(0) == kTrialSamples && outputs.size(1) >= count;
    case Loss::language_model:
      return are_of_tokens && outputs.size(2) >= count;
    default:
      return are_alike(outputs, no_targets(kTrialSamples, outputs.device()));
  }
}

void ScriptedNetwork::check_outputs(const torch::Tensor& outputs) const {
  if (!task_.loss || fit(outputs)) return;
  const std::int64_t count = outputs_for(*task_.loss, task_.targets, task_.classes);
  const std::string numbers = std::to_string(count);
  std::string expected;
  switch (*task_.loss) {
    case Loss::cross_entropy:
      expected = "scores of " + numbers +
                 " classes each (the data set's: replace the model's last layer" +
                 (count == 2 ? ", or say --loss binary-cross-entropy of one score)" : ")");
      break;
    case Loss::language_model:
      expected = "scores of " + numbers + " tokens for each token";
      break;
    default:
      expected = (task_.targets.shape.size() > 1 ? shape_text(task_.targets.shape) : numbers) +
                 (count == 1 ? " value each" : " values each");
  }
  throw UserError(file_ + ": of " + std::to_string(kTrialSamples) + " samples of " +
                  shape_text(task_.shape) + " the model makes " + made_text(outputs) +
                  "; expected " + expected + ", for --loss " + to_string(*task_.loss));
}

std::vector<torch::Tensor> ScriptedNetwork::run(const torch::Tensor& samples,
                                                const torch::Tensor& targets) {
  std::vector<torch::IValue> arguments = {task_.are_tokens ? samples.to(torch::kInt64) : samples};
  if (returns_loss_) arguments.emplace_back(targets);
  std::vector<torch::Tensor> tensors;
  try {
    add_tensors(script_.forward(std::move(arguments)), tensors);
  } catch (const std::exception& error) {
    throw c10::Error(reason_of(error), {});  // without the calls of the script
  }
  if (tensors.empty())
    throw UserError(file_ + ": forward() returns no tensor" +
                    (is_training() ? " in training" : ""));
  return tensors;
}

void ScriptedNetwork::check_learns(const torch::Tensor& loss) const {
  if (!is_training() || !c10::GradMode::is_enabled() || loss.requires_grad()) return;
  throw UserError(file_ +
                  ": its loss does not depend on its parameters: what it returns was detached, or "
                  "computed under torch.no_grad()");
}

torch::Tensor ScriptedNetwork::forward(torch::Tensor samples) {
  return pass_all_layers(samples).front();
}

std::vector<torch::Tensor> ScriptedNetwork::pass_all_layers(const torch::Tensor& samples) {
  return run(samples, no_targets(samples.size(0), samples.device()));
}

BatchLoss ScriptedNetwork::loss(const torch::Tensor& samples, const torch::Tensor& targets) {
  const std::vector<torch::Tensor> results = run(samples, targets);
  if (returns_loss_) {
    const torch::Tensor loss = results.at(place_of_loss_).reshape({}).to(torch::kFloat32);
    check_learns(loss);
    // The losses of samples are unknown: all are taken as equal.
    return {.loss = loss,
            .sample_losses = loss.detach().expand({samples.size(0)}),
            .correct = torch::full({}, std::numeric_limits<double>::quiet_NaN())};
  }
  BatchLoss loss = loss_of(learns_by(), results.front(), targets);
  check_learns(loss.loss);
  for (std::size_t i = 1; i < results.size() && is_training(); ++i) {
    if (results[i].sizes() == results.front().sizes())
      loss.loss = loss.loss + kAuxiliaryWeight * loss_of(learns_by(), results[i], targets).loss;
  }
  return loss;
}

void ScriptedNetwork::train(bool on) {
  TorchNetwork::train(on);
  script_.train(on);
}

void ScriptedNetwork::to(torch::Device device, bool non_blocking) {
  script_.to(device, non_blocking);
}

}  // namespace epochcast::real
