// SPDX-License-Identifier: Apache-2.0
// The state of a TorchLearner, to continue bit for bit, as one LibTorch archive, without a checksum
// (see base/files/sealed_file.hpp).
#include <ATen/Context.h>

#include "base/error.hpp"
#include "real/torch/libtorch_reason.hpp"
#include "real/torch/torch_learner.hpp"

namespace epochcast::real {
namespace {

template <typename Number>
torch::Tensor tensor_of(const std::vector<Number>& values, torch::ScalarType type) {
  // The archive keeps a reference, not a copy.
  return torch::from_blob(
             const_cast<Number*>(values.data()), {static_cast<std::int64_t>(values.size())}, type)
      .clone();
}

template <typename Number>
void copy_into(std::vector<Number>& values, const torch::Tensor& tensor) {
  const auto* begin = tensor.data_ptr<Number>();
  values.assign(begin, begin + tensor.numel());
}

torch::Tensor read(torch::serialize::InputArchive& archive, const char* name) {
  torch::Tensor tensor;
  archive.read(name, tensor);
  return tensor;
}

/// Indices out of range would read outside of the data.
void check_samples(const torch::Tensor& indices, std::int64_t samples) {
  if (indices.numel() == 0) return;
  if (indices.min().item<std::int64_t>() < 0 || indices.max().item<std::int64_t>() >= samples)
    throw RunError("it names samples that the data does not have");
}

at::Generator generator_of(torch::Device device) {
  return at::globalContext().defaultGenerator(device);
}

/// Buffers that are not averaged, such as BatchNorm's counters.
std::vector<torch::Tensor> counters(const TorchNetwork& network) {
  std::vector<torch::Tensor> found;
  for (const torch::Tensor& buffer : network.buffers()) {
    if (!is_averaged(buffer)) found.push_back(buffer);
  }
  return found;
}

}  // namespace

void TorchLearner::restore_generators() {
  if (draws_ == false) return;
  for (std::size_t i = 0; i < random_states_.size(); ++i)
    generator_of(i == 0 ? torch::Device(torch::kCPU) : model_.device())
        .set_state(random_states_[i]);
}

void TorchLearner::see_draws() {
  if (draws_ || !settings_.shares_process) return;
  // A file of the user's may draw later.
  const bool is_scripted = model_.network().is_scripted();
  const std::vector<torch::Tensor> before = random_states_;
  save_generators();
  draws_ =
      is_scripted || !std::ranges::equal(before, random_states_, [](const auto& a, const auto& b) {
        return torch::equal(a, b);
      });
}

bool TorchLearner::is_independent() const {
  return draws_ == false && !scaler_ && model_.device().is_cpu();
}

void TorchLearner::save_generators() {
  if (!settings_.shares_process || draws_ == false) return;
  random_states_ = {generator_of(torch::kCPU).get_state()};
  if (!model_.device().is_cpu())
    random_states_.push_back(generator_of(model_.device()).get_state());
}

std::string TorchLearner::save() {
  const torch::NoGradGuard no_gradients;
  restore_generators();
  refresh_state();
  torch::serialize::OutputArchive archive;
  archive.write("state", model_.state().cpu());
  std::size_t number = 0;
  for (const torch::Tensor& counter : counters(model_.network()))
    archive.write("counter" + std::to_string(number++), counter.cpu());
  std::vector<std::int64_t> optimized;
  for (std::size_t i = 0; i < optimizers_.size(); ++i) {
    torch::serialize::OutputArchive optimizer(archive.compilation_unit());
    optimizers_[i]->save(optimizer);
    archive.write("optimizer" + std::to_string(i), optimizer);
    optimized.insert(optimized.end(), {optimized_[i].begin, optimized_[i].end});
  }
  archive.write("optimized", tensor_of(optimized, torch::kInt64));
  if (scaler_) {
    const LossScaler::State scaler = scaler_->state();
    archive.write(
        "loss_scaler",
        torch::tensor({static_cast<double>(scaler.scale), static_cast<double>(scaler.finite_steps)},
                      torch::kFloat64));
  }
  archive.write("random_cpu", generator_of(torch::kCPU).get_state());
  if (!model_.device().is_cpu())
    archive.write("random_device", generator_of(model_.device()).get_state());
  archive.write("order", tensor_of(order_, torch::kInt64));
  const LossRecords::State records = records_.state();
  archive.write("recorded", tensor_of(records.recorded, torch::kUInt8));
  archive.write("drawn", tensor_of(records.drawn, torch::kInt64));
  archive.write("losses", tensor_of(records.losses, torch::kFloat32));
  archive.write("numbers",
                torch::tensor({static_cast<double>(epoch_),
                               static_cast<double>(next_),
                               learning_rate_,
                               trained_.loss_sum,
                               trained_.correct,
                               trained_.samples,
                               trained_.discriminator_loss_sum,
                               trained_.generator_loss_sum,
                               static_cast<double>(samples_),
                               static_cast<double>(steps_),
                               static_cast<double>(share_.count),
                               stepped_share_,
                               share_.epoch_begin,
                               share_.epoch_end},
                              torch::kFloat64));
  std::string bytes;
  archive.save_to([&](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
    return size;
  });
  return bytes;
}

void TorchLearner::load(const std::string& bytes, Generators generators) {
  const torch::NoGradGuard no_gradients;
  try {
    torch::serialize::InputArchive archive;
    archive.load_from(bytes.data(), bytes.size());
    const torch::Tensor state = read(archive, "state");
    const torch::Tensor numbers = read(archive, "numbers");
    constexpr std::int64_t kNumbers = 14;
    if (numbers.numel() != kNumbers) throw RunError("it is of another version");
    const auto* at = numbers.data_ptr<double>();
    const auto samples = static_cast<std::int64_t>(at[8]);
    if (state.numel() != model_.state().numel() || samples != samples_) {
      throw RunError("it is of a network with " + std::to_string(state.numel()) +
                     " numbers and of " + std::to_string(samples) + " samples; this job has " +
                     std::to_string(model_.state().numel()) + " and " + std::to_string(samples_));
    }
    model_.state().copy_(state);
    is_state_out_ = false;
    std::size_t number = 0;
    for (torch::Tensor& counter : counters(model_.network()))
      counter.copy_(read(archive, ("counter" + std::to_string(number++)).c_str()));
    std::vector<std::int64_t> optimized;
    copy_into(optimized, read(archive, "optimized"));
    std::vector<FlatModel::Range> ranges;
    for (std::size_t i = 0; i + 1 < optimized.size(); i += 2) {
      ranges.push_back({.begin = optimized[i], .end = optimized[i + 1]});
      if (ranges.back().begin < 0 || ranges.back().begin > ranges.back().end ||
          ranges.back().end > model_.gradients().numel())
        throw RunError("it has an optimizer of parameters that the network lacks");
    }
    if (ranges != optimized_) optimize(ranges);
    for (std::size_t i = 0; i < optimizers_.size(); ++i) {
      torch::serialize::InputArchive optimizer;
      archive.read("optimizer" + std::to_string(i), optimizer);
      optimizers_[i]->load(optimizer);
    }
    if (scaler_) {
      const torch::Tensor scaler = read(archive, "loss_scaler");
      if (scaler.numel() != 2) throw RunError("it has no scale of the loss");
      scaler_ = LossScaler(
          {.scale = scaler[0].item<float>(), .finite_steps = scaler[1].item<std::int64_t>()});
    }
    if (generators == Generators::saved) {
      generator_of(torch::kCPU).set_state(read(archive, "random_cpu"));
      if (!model_.device().is_cpu())
        generator_of(model_.device()).set_state(read(archive, "random_device"));
      save_generators();
    }
    const torch::Tensor order = read(archive, "order");
    check_samples(order, samples_);
    const torch::Tensor drawn = read(archive, "drawn");
    check_samples(drawn, samples_);
    copy_into(order_, order);
    LossRecords::State records;
    copy_into(records.recorded, read(archive, "recorded"));
    copy_into(records.drawn, drawn);
    const torch::Tensor losses = read(archive, "losses");
    if (losses.numel() != 0 && losses.numel() != samples_) throw RunError("it lacks losses");
    copy_into(records.losses, losses);
    records_.restore(std::move(records));
    epoch_ = static_cast<std::int64_t>(at[0]);
    next_ = static_cast<std::int64_t>(at[1]);
    learning_rate_ = at[2];
    steps_ = static_cast<std::int64_t>(at[9]);
    share_ = {
        .count = static_cast<std::int64_t>(at[10]), .epoch_begin = at[12], .epoch_end = at[13]};
    stepped_share_ = at[11];
    trained_ = {.loss_sum = at[3],
                .correct = at[4],
                .samples = at[5],
                .discriminator_loss_sum = at[6],
                .generator_loss_sum = at[7]};
    if (epoch_ < 0 || next_ < 0 || next_ > static_cast<std::int64_t>(order_.size()))
      throw RunError("it stands at no place of an epoch");
  } catch (const RunError&) {
    throw;
  } catch (const std::exception& error) {
    throw RunError("LibTorch cannot read it: " + reason_of(error));
  }
}

}  // namespace epochcast::real
