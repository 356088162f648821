// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/gan.hpp"

#include <algorithm>
#include <vector>

namespace epochcast::real {
namespace {

constexpr std::int64_t kGanNoise = 100;
constexpr double kGanLeak = 0.2;

/// A map's width and height double from level to level, as its channels become fewer.
struct GanPlan {
  std::int64_t pixels = 0;                ///< rows and columns of the images
  std::int64_t smallest = 0;              ///< rows and columns of the first level's map
  std::vector<std::int64_t> widths = {};  ///< channels of each level but the last, the images
};

const std::vector<GanPlan>& gan_plans() {
  static const std::vector<GanPlan> kPlans = {
      {.pixels = 28, .smallest = 7, .widths = {128, 64}},
      {.pixels = 32, .smallest = 4, .widths = {256, 128, 64}},
  };
  return kPlans;
}

const GanPlan* find_gan_plan(std::span<const std::int64_t> shape) {
  const auto plan =
      std::find_if(gan_plans().begin(), gan_plans().end(), [&](const GanPlan& candidate) {
        return shape[1] == candidate.pixels && shape[2] == candidate.pixels;
      });
  return plan == gan_plans().end() ? nullptr : &*plan;
}

/// Noise [batch, kGanNoise, 1, 1] to images.
torch::nn::Sequential generator_layers(const GanPlan& plan, std::int64_t image_channels) {
  torch::nn::Sequential layers;
  std::int64_t channels = kGanNoise;
  const auto add = [&](std::int64_t width, std::int64_t kernel, std::int64_t stride) {
    auto options = torch::nn::ConvTranspose2dOptions(channels, width, kernel);
    options.stride(stride).padding(stride / 2).bias(false);
    layers->push_back(torch::nn::ConvTranspose2d(options));
    channels = width;
  };
  for (const std::int64_t width : plan.widths) {
    const bool is_first = channels == kGanNoise;
    add(width, is_first ? plan.smallest : 4, is_first ? 1 : 2);
    layers->push_back(torch::nn::BatchNorm2d(width));
    layers->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
  }
  add(image_channels, 4, 2);
  layers->push_back(torch::nn::Tanh());
  return layers;
}

/// Images to scores [batch, 1, 1, 1]. The logistic function that would follow is part of the loss.
torch::nn::Sequential discriminator_layers(const GanPlan& plan, std::int64_t channels) {
  torch::nn::Sequential layers;
  const auto add = [&](std::int64_t width, std::int64_t kernel, std::int64_t stride) {
    auto options = torch::nn::Conv2dOptions(channels, width, kernel);
    layers->push_back(torch::nn::Conv2d(options.stride(stride).padding(stride / 2).bias(false)));
    channels = width;
  };
  for (auto width = plan.widths.rbegin(); width != plan.widths.rend(); ++width) {
    add(*width, 4, 2);
    // As in the paper, the discriminator's first layer has no batch norm.
    if (width != plan.widths.rbegin()) layers->push_back(torch::nn::BatchNorm2d(*width));
    layers->push_back(
        torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(kGanLeak).inplace(true)));
  }
  add(1, plan.smallest, 1);
  return layers;
}

/// The paper's deviation of 0.02 for all weights; those of batch norms vary around 1.
void initialise_gan(torch::nn::Module& network) {
  constexpr double kDeviation = 0.02;
  for (const auto& module : network.modules(/*include_self=*/false)) {
    if (auto* down = module->as<torch::nn::Conv2d>()) {
      torch::nn::init::normal_(down->weight, 0, kDeviation);
    } else if (auto* up = module->as<torch::nn::ConvTranspose2d>()) {
      torch::nn::init::normal_(up->weight, 0, kDeviation);
    } else if (auto* norm = module->as<torch::nn::BatchNorm2d>()) {
      torch::nn::init::normal_(norm->weight, 1, kDeviation);
    }
  }
}

/// Keeps what is computed in its lifetime from giving gradients to a module's parameters.
class Frozen {
 public:
  explicit Frozen(const torch::nn::Module& module) : parameters_(module.parameters()) {
    set(false);
  }
  ~Frozen() { set(true); }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  void set(bool requires_gradient) {
    for (torch::Tensor& parameter : parameters_) parameter.set_requires_grad(requires_gradient);
  }

  std::vector<torch::Tensor> parameters_;
};

/// -log(probability that the image is real), or that it is generated, of each score [batch, 1].
torch::Tensor losses_if_real(const torch::Tensor& scores) {
  return torch::softplus(-scores).flatten();
}
torch::Tensor losses_if_generated(const torch::Tensor& scores) {
  return torch::softplus(scores).flatten();
}

}  // namespace

bool is_gan_image(std::span<const std::int64_t> shape) {
  return shape.size() == 3 && shape[0] >= 1 && find_gan_plan(shape) != nullptr;
}

Gan::Gan(std::span<const std::int64_t> shape) {
  const GanPlan& plan = *find_gan_plan(shape);
  const auto generator = register_module("generator", std::make_shared<torch::nn::Module>());
  generator_layers_ = generator->register_module("main", generator_layers(plan, shape[0]));
  discriminator_ = register_module("discriminator", std::make_shared<torch::nn::Module>());
  discriminator_layers_ =
      discriminator_->register_module("main", discriminator_layers(plan, shape[0]));
  initialise_gan(*this);
}

torch::Tensor Gan::forward(torch::Tensor samples) {
  return discriminator_layers_->forward(samples).flatten(1);
}

torch::Tensor Gan::generate(std::int64_t batch) {
  const torch::Device device = generator_layers_->parameters().front().device();
  const torch::Tensor noise = torch::rand({batch, kGanNoise, 1, 1}, device) * 2 - 1;
  return generator_layers_->forward(noise);
}

BatchLoss Gan::loss(const torch::Tensor& samples, const torch::Tensor& /*labels*/) {
  const torch::Tensor generated = generate(samples.size(0));
  const torch::Tensor real_losses = losses_if_real(forward(samples));
  const torch::Tensor generated_losses = losses_if_generated(forward(generated.detach()));
  const Frozen frozen(*discriminator_);
  const torch::Tensor generator_losses = losses_if_real(forward(generated));
  return {.loss = real_losses.mean() + generated_losses.mean() + generator_losses.mean(),
          .sample_losses = real_losses.detach(),
          .correct = {}};
}

}  // namespace epochcast::real
