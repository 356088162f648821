// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/gan.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <array>
#include <string>
#include <vector>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kGanLatent = 128;
constexpr std::int64_t kGanGrowth = 4;  ///< of rows and columns in the generator
constexpr std::int64_t kGanSmallest = 20;
constexpr std::array<std::int64_t, 2> kGeneratorChannels = {128, 64};
constexpr std::array<std::int64_t, 4> kDiscriminatorChannels = {16, 32, 64, 128};
constexpr double kGanLeak = 0.2;
constexpr double kGanDropout = 0.25;
constexpr double kGanNormEpsilon = 0.8;

torch::nn::Conv2d gan_convolution(std::int64_t in, std::int64_t out, std::int64_t stride = 1) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).stride(stride).padding(1));
}

torch::nn::BatchNorm2d gan_norm(std::int64_t channels) {
  return torch::nn::BatchNorm2d(torch::nn::BatchNorm2dOptions(channels).eps(kGanNormEpsilon));
}

torch::nn::LeakyReLU gan_leaky_relu() {
  return torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(kGanLeak).inplace(true));
}

torch::nn::Upsample gan_doubling() {
  const std::vector<double> factors = {2, 2};
  return torch::nn::Upsample(
      torch::nn::UpsampleOptions().scale_factor(factors).mode(torch::kNearest));
}

/// Deviations of 0.02 around 0 for the weights of convolutions, around 1 for those of batch norms.
void initialise_gan(torch::nn::Module& network) {
  constexpr double kDeviation = 0.02;
  for (const auto& module : network.modules(/*include_self=*/false)) {
    if (auto* convolution = module->as<torch::nn::Conv2d>()) {
      torch::nn::init::normal_(convolution->weight, 0, kDeviation);
    } else if (auto* norm = module->as<torch::nn::BatchNorm2d>()) {
      torch::nn::init::normal_(norm->weight, 1, kDeviation);
    }
  }
}

/// While it lives, a module's parameters get no gradients.
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

/// The losses [batch], in float32, of images of classes `labels` if the verdict should be "real",
/// or "generated".
torch::Tensor verdict_losses(const Gan::Verdict& verdict,
                             bool is_real,
                             const torch::Tensor& labels) {
  const torch::Tensor reality = verdict.reality.to(torch::kFloat32);
  const torch::Tensor source = torch::softplus(is_real ? -reality : reality);
  const torch::Tensor label = torch::nn::functional::cross_entropy(
      verdict.classes.to(torch::kFloat32),
      labels,
      torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
  return (source + label) / 2;
}

}  // namespace

/// A linear layer from the latent to maps of a quarter of the image's rows and columns, then twice
/// as many rows and columns and a convolution, twice.
class GanGenerator : public torch::nn::Module {
 public:
  GanGenerator(std::span<const std::int64_t> shape, std::int64_t classes)
      : rows_(shape[1] / kGanGrowth), columns_(shape[2] / kGanGrowth) {
    const auto [wide, narrow] = kGeneratorChannels;
    embedding_ = register_module("label_emb", torch::nn::Embedding(classes, kGanLatent));
    start_ = register_module("l1", Chain(torch::nn::Linear(kGanLatent, wide * rows_ * columns_)));
    growth_ = register_module("conv_blocks",
                              Chain(torch::nn::BatchNorm2d(wide),
                                    gan_doubling(),
                                    gan_convolution(wide, wide),
                                    gan_norm(wide),
                                    gan_leaky_relu(),
                                    gan_doubling(),
                                    gan_convolution(wide, narrow),
                                    gan_norm(narrow),
                                    gan_leaky_relu(),
                                    gan_convolution(narrow, shape[0]),
                                    torch::nn::Tanh()));
  }

  torch::Tensor forward(const torch::Tensor& noise, const torch::Tensor& labels) {
    const torch::Tensor start = named(*this, "mul", embedding_->forward(labels) * noise);
    const torch::Tensor maps = start_->forward(start);
    return growth_->forward(maps.view({noise.size(0), kGeneratorChannels[0], rows_, columns_}));
  }

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  torch::nn::Embedding embedding_ = nullptr;
  Chain start_ = nullptr;
  Chain growth_ = nullptr;
};

/// Four convolutions that halve rows and columns, and two linear layers side by side. The logistic
/// function and softmax that would follow are part of the losses.
class GanDiscriminator : public torch::nn::Module {
 public:
  GanDiscriminator(std::span<const std::int64_t> shape, std::int64_t classes) {
    Chain blocks;
    std::int64_t channels = shape[0];
    std::int64_t rows = shape[1];
    std::int64_t columns = shape[2];
    for (const std::int64_t width : kDiscriminatorChannels) {
      blocks->push_back(gan_convolution(channels, width, 2));
      blocks->push_back(gan_leaky_relu());
      blocks->push_back(torch::nn::Dropout2d(kGanDropout));
      if (width != kDiscriminatorChannels.front()) blocks->push_back(gan_norm(width));
      channels = width;
      rows = (rows + 1) / 2;
      columns = (columns + 1) / 2;
    }
    blocks_ = register_module("conv_blocks", blocks);
    const std::int64_t features = channels * rows * columns;
    reality_ = register_module("adv_layer", Chain(torch::nn::Linear(features, 1)));
    classes_ = register_module("aux_layer", Chain(torch::nn::Linear(features, classes)));
  }

  Gan::Verdict forward(const torch::Tensor& images) {
    const torch::Tensor features = blocks_->forward(images).flatten(1);
    const torch::Tensor reality = reality_->forward(features).flatten();
    return {.reality = reality, .classes = classes_->forward(features)};
  }

 private:
  Chain blocks_ = nullptr;
  Chain reality_ = nullptr;
  Chain classes_ = nullptr;
};

std::int64_t Gan::latent() { return kGanLatent; }

Gan::Gan(std::span<const std::int64_t> shape, std::int64_t classes) : classes_(classes) {
  generator_ = register_module("generator", std::make_shared<GanGenerator>(shape, classes));
  discriminator_ =
      register_module("discriminator", std::make_shared<GanDiscriminator>(shape, classes));
  initialise_gan(*this);
}

void Gan::set_pixel_levels(const std::vector<PixelLevels>& levels) {
  std::vector<float> middles;
  std::vector<float> reaches;
  for (const PixelLevels& level : levels) {
    middles.push_back((level.white + level.black) / 2);
    reaches.push_back((level.white - level.black) / 2);
  }
  if (levels.empty()) return;
  const torch::Device device = parameters().front().device();
  middle_ = torch::tensor(middles).view({1, -1, 1, 1}).to(device);
  reach_ = torch::tensor(reaches).view({1, -1, 1, 1}).to(device);
}

torch::Tensor Gan::scaled(const torch::Tensor& samples) const {
  return middle_.defined() ? (samples - middle_) / reach_ : samples;
}

torch::Tensor Gan::forward(torch::Tensor samples) { return judge(scaled(samples)).classes; }

std::vector<torch::Tensor> Gan::pass_all_layers(const torch::Tensor& samples) {
  const std::int64_t batch = samples.size(0);
  const torch::Tensor noise = torch::randn({batch, kGanLatent}, samples.options());
  const Verdict verdict = judge(images(noise, torch::zeros({batch}, torch::kInt64)));
  return {verdict.reality, verdict.classes};
}

torch::Tensor Gan::images(const torch::Tensor& noise, const torch::Tensor& labels) {
  return generator_->forward(noise, labels);
}

Gan::Verdict Gan::judge(const torch::Tensor& images) { return discriminator_->forward(images); }

torch::Tensor Gan::generate(const torch::Tensor& labels, std::uint64_t seed) {
  const torch::Tensor noise =
      torch::randn({labels.size(0), kGanLatent}, at::make_generator<at::CPUGeneratorImpl>(seed));
  const torch::Device device = parameters().front().device();
  return (images(noise.to(device), labels.to(device)) + 1) / 2;
}

BatchLoss Gan::loss(const torch::Tensor& samples, const torch::Tensor& labels) {
  torch::Tensor generated;
  torch::Tensor wanted;
  if (is_training()) {
    wanted = torch::randint(classes_, labels.sizes(), labels.options());
    generated = images(torch::randn({samples.size(0), kGanLatent}, samples.options()), wanted);
  }
  const Verdict real = judge(scaled(samples));
  const torch::Tensor real_losses = verdict_losses(real, true, labels);
  BatchLoss loss = {.loss = real_losses.mean(),
                    .sample_losses = real_losses.detach(),
                    .correct = (real.classes.detach().argmax(1) == labels).sum()};
  if (!is_training()) return loss;
  const Verdict unmasked = judge(generated.detach());
  const torch::Tensor discriminator =
      (loss.loss + verdict_losses(unmasked, false, wanted).mean()) / 2;
  const Frozen frozen(*discriminator_);
  const torch::Tensor generator = verdict_losses(judge(generated), true, wanted).mean();
  loss.loss = discriminator + generator;
  loss.discriminator = discriminator.detach();
  loss.generator = generator.detach();
  return loss;
}

namespace {

ShapeRequirement gan_image() {
  return {.expected =
              "images [channels, rows, columns] whose rows and columns are multiples of 4 "
              "and at least 20",
          .is_met = [](std::span<const std::int64_t> shape) {
            return is_image(shape, kGanSmallest) && shape[1] % kGanGrowth == 0 &&
                   shape[2] % kGanGrowth == 0;
          }};
}

DescribedShape described_gan(const std::vector<std::int64_t>& shape) {
  return {.input = shape,
          .note =
              "latent 128, linear and upsampling generator, discriminator of 16-32-64-128 "
              "channels with the label among its outputs, as TNNLS 2023, table II, prints; the "
              "generator's channels, kernels, dropout and the label's embedding are readings, "
              "from acgan.py of eriklindernoren/PyTorch-GAN. One pass through generator and "
              "discriminator: a training step that shows the discriminator real and generated "
              "images and then trains the generator passes through the discriminator three "
              "times"};
}

}  // namespace

KnownNetwork gan_network() {
  return {.name = "gan",
          .title = "Auxiliary classifier GAN: generator and discriminator",
          .reference =
              "Moreno-Alvarez et al., TNNLS 2023, table II; Odena et al., Conditional "
              "Image Synthesis with Auxiliary Classifier GANs, ICML 2017",
          .requirement = gan_image(),
          .make = maker<Gan>(),
          .described = {described_gan({1, 28, 28}), described_gan({3, 32, 32})},
          .has_own_loss = true};
}

}  // namespace epochcast::real
