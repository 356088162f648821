// SPDX-License-Identifier: Apache-2.0
#include "real/torch/torch_learner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/error.hpp"
#include "base/process/diverged.hpp"
#include "base/statistics/random.hpp"
#include "real/torch/autocast.hpp"
#include "real/torch/libtorch_reason.hpp"

namespace epochcast::real {
namespace {

// Independent streams of one seed.
constexpr std::uint64_t kShuffleStream = 1;
constexpr std::uint64_t kSlowShuffleStream = 2;
constexpr std::uint64_t kVariantStream = 3;
constexpr std::uint64_t kPictureStream = 4;
constexpr std::uint64_t kRankStream = 1000;

/// Samples per test batch. Scores of tokens need much memory: 200 MB for a sample of GPT-2.
std::int64_t test_batch(const DataSource& data) {
  constexpr std::int64_t kMost = 256;
  constexpr std::int64_t kMostTokens = 2048;
  if (data.targets().kind != TargetKind::tokens) return kMost;
  return std::clamp<std::int64_t>(kMostTokens / data.shape().front(), 1, kMost);
}

/// ", with numbers from A to B", or "" if a GPU no longer computes after an error.
std::string range_text(const torch::Tensor& samples) {
  try {
    std::ostringstream text;
    text << ", with numbers from " << samples.min().item<float>() << " to "
         << samples.max().item<float>();
    return text.str();
  } catch (const c10::Error&) {
    return "";
  }
}

/// The result of `work` on a batch. Throws a RunError with LibTorch's reason if it fails.
template <typename Work>
auto computed(const Batch& batch, const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    std::ostringstream text;
    text << "LibTorch cannot compute a batch of " << batch.indices.size() << " samples of "
         << shape_text(batch.samples.sizes().slice(1).vec()) << range_text(batch.samples) << ": "
         << reason_of(error);
    if (text.str().find("'BFloat16'") != std::string::npos)
      text << "; --precision float32 has all operations";
    throw RunError(text.str());
  }
}

std::uint64_t epoch_seed(std::uint64_t seed, std::uint64_t stream, std::int64_t epoch) {
  return mix_seed(mix_seed(seed, stream), static_cast<std::uint64_t>(epoch));
}

/// The initial network. Rank 0 broadcasts its parameters, so only it reads a file.
std::shared_ptr<TorchNetwork> new_network(const LearnerSettings& settings,
                                          const DataSource& data,
                                          int rank,
                                          std::optional<Pretrained>& pretrained) {
  torch::manual_seed(settings.seed);
  auto network = make_network(settings.network, task_of(data, settings.loss));
  if (rank == 0 && !settings.pretrained.empty())
    pretrained = load_pretrained(*network, settings.pretrained);
  return network;
}

}  // namespace

TorchLearner::TorchLearner(Fabric& fabric,
                           const DataSource& data,
                           const LearnerSettings& settings,
                           torch::Device device,
                           Pace pace)
    : fabric_(fabric),
      settings_(settings),
      pace_(std::move(pace)),
      model_(new_network(settings, data, fabric.rank(), pretrained_),
             device,
             settings.first_bucket_bytes,
             settings.bucket_bytes),
      scaler_(settings.loss_scaler),
      loader_(data, device),
      samples_(data.size()),
      learning_rate_(settings.learning_rate.at(0)),
      records_(samples_) {
  optimize({{.begin = 0, .end = model_.gradients().numel()}});
  allow_tf32(settings.precision);
  model_.network().set_pixel_levels(data.pixel_levels());
  const auto rank = static_cast<std::uint64_t>(fabric.rank());
  torch::manual_seed(mix_seed(settings.seed, kRankStream + rank));  // dropout differs among ranks
  save_generators();
  work_began_s_ = fabric.now_s();
}

Payload TorchLearner::parameters() {
  refresh_state();
  model_.state_to_host();
  is_state_out_ = true;
  return payload_of(model_.host_state());
}

Payload TorchLearner::statistics() {
  const Payload all = parameters();
  return slice(all, model_.gradients().numel(), all.count - model_.gradients().numel());
}

Payload TorchLearner::gradients() {
  model_.gradients_to_host({.begin = 0, .end = model_.gradients().numel()});
  are_gradients_out_ = true;
  return payload_of(model_.host_gradients());
}

std::vector<Payload> TorchLearner::buckets() {
  std::vector<Payload> payloads;
  for (const FlatModel::Range& range : model_.ranges()) {
    payloads.push_back(payload_of(model_.host_gradients().subspan(
        static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.end - range.begin))));
  }
  return payloads;
}

std::vector<TensorShapes> TorchLearner::bucket_tensors() {
  const std::vector<FlatModel::Range>& ranges = model_.ranges();
  std::vector<TensorShapes> tensors(ranges.size());
  std::int64_t begin = 0;
  for (const torch::Tensor& parameter : model_.network().parameters()) {
    const auto in = std::find_if(ranges.begin(), ranges.end(), [&](const FlatModel::Range& range) {
      return range.begin <= begin && begin < range.end;
    });
    if (parameter.numel() > 0)
      tensors[static_cast<std::size_t>(in - ranges.begin())].push_back(parameter.sizes().vec());
    begin += parameter.numel();
  }
  return tensors;
}

void TorchLearner::refresh_state() {
  if (is_state_out_) model_.state_from_host();
  is_state_out_ = false;
}

void TorchLearner::begin_epoch(std::int64_t epoch) {
  epoch_ = epoch;
  learning_rate_ = settings_.learning_rate.at(epoch);
  trained_ = {};
  share_ = {};
  steps_ = 0;
  stepped_share_ = 0;
}

const std::vector<std::int64_t>& TorchLearner::shuffled_order() {
  if (shuffled_epoch_ != epoch_) {
    shuffled_ = shuffled_samples(samples_, epoch_seed(settings_.seed, kShuffleStream, epoch_));
    shuffled_epoch_ = epoch_;
  }
  return shuffled_;
}

void TorchLearner::use(const Share& share, const std::vector<std::int64_t>& order) {
  order_.clear();
  order_.reserve(static_cast<std::size_t>(share.samples()));
  for (std::int64_t n = 0; n < share.samples(); ++n)
    order_.push_back(order.at(static_cast<std::size_t>(share.position(n))));
  next_ = 0;
  steps_ = 0;
  share_ = share;
  stepped_share_ = share.epoch_begin;
  records_.begin(order_.size());
}

void TorchLearner::use_shuffled(const Share& share) { use(share, shuffled_order()); }

Payload TorchLearner::recorded_losses() { return records_.recorded(); }

Payload TorchLearner::gathered_losses(std::int64_t samples) { return records_.gathered(samples); }

void TorchLearner::draw(const BiasedDraw& draw) {
  const auto order = [&](std::uint64_t stream) {
    return shuffled_samples(samples_, epoch_seed(settings_.seed, stream, epoch_));
  };
  records_.draw(draw, order(kShuffleStream), order(kSlowShuffleStream));
}

Payload TorchLearner::drawn_indices(const BiasedDraw& draw) { return records_.drawn(draw); }

void TorchLearner::use_drawn(const Share& share) { use(share, records_.drawn_samples()); }

void TorchLearner::pass(std::string_view what, std::size_t end) {
  if (model_.device().is_cuda()) torch::cuda::synchronize(model_.device().index());
  const double more_s = pace_ ? pace_({.what = what,
                                       .samples = passed_,
                                       .begin = piece_,
                                       .end = end,
                                       .real_s = fabric_.now_s() - work_began_s_,
                                       .is_example = shows_examples_})
                              : 0;
  piece_ = end;
  fabric_.compute(more_s, is_warming_up_ ? "warm-up" : what);
  work_began_s_ = fabric_.now_s();
}

BatchLoss TorchLearner::forward(const Batch& batch) {
  return computed(batch, [&] {
    const Autocast autocast(settings_.precision, model_.device());
    return model_.network().loss(batch.samples, batch.targets);
  });
}

void TorchLearner::check_loss(const torch::Tensor& loss) {
  const auto value = loss.item<float>();
  if (std::isfinite(value) || scaler_) return;
  std::ostringstream text;
  text << "rank " << fabric_.rank() << ": the loss is " << (std::isnan(value) ? "nan" : "infinite")
       << " in epoch " << epoch_ + 1 << ", after " << next_
       << " samples of it; lower --learning-rate (now " << learning_rate_ << ") or check the data";
  throw Diverged(text.str());
}

void TorchLearner::record(const Batch& batch, const BatchLoss& loss) {
  const torch::Tensor losses = loss.sample_losses.to(torch::kCPU).contiguous();
  const auto* values = losses.data_ptr<float>();
  // Beyond the numbers of float16: the step is skipped, and such losses count as unknown.
  const bool is_known = std::isfinite(loss.loss.item<float>());
  for (std::size_t i = 0; i < batch.indices.size(); ++i) {
    records_.add({.sample = batch.indices[i],
                  .loss = is_known ? values[i] : std::numeric_limits<float>::quiet_NaN()});
    if (is_known) trained_.loss_sum += static_cast<double>(values[i]);
  }
  if (!is_known) return;
  const auto samples = static_cast<double>(batch.indices.size());
  const auto sum_of = [&](const torch::Tensor& mean) {
    return mean.defined() ? samples * mean.item<double>()
                          : std::numeric_limits<double>::quiet_NaN();
  };
  trained_.correct += loss.correct.item<double>();
  trained_.samples += samples;
  trained_.discriminator_loss_sum += sum_of(loss.discriminator);
  trained_.generator_loss_sum += sum_of(loss.generator);
}

void TorchLearner::run_part(std::int64_t samples, double share) {
  const auto first = static_cast<std::size_t>(next_);
  const auto size = static_cast<std::size_t>(samples);
  if (first + size > order_.size()) {
    throw std::logic_error("rank " + std::to_string(fabric_.rank()) + " trains beyond its " +
                           std::to_string(order_.size()) + " samples");
  }
  const auto rest = std::span(order_).subspan(first);
  std::optional<std::uint64_t> variant;
  if (settings_.augment) variant = epoch_seed(settings_.seed, kVariantStream, epoch_);
  const std::size_t expected = rest.size() >= 2 * size ? size : 0;
  const Batch data = loader_.load(rest.first(size), variant, rest.subspan(size).first(expected));
  next_ += samples;
  refresh_state();
  if (!model_.network().is_training()) model_.network().train();
  restore_generators();
  passed_ = samples;
  piece_ = 0;
  const BatchLoss loss = forward(data);
  pass("forward", 1);
  model_.begin_backward();
  const double factor = scaler_ ? share * scaler_->scale() : share;
  computed(data, [&] { (factor == 1 ? loss.loss : loss.loss * factor).backward(); });
  check_loss(loss.loss);
  record(data, loss);
  see_draws();
  save_generators();
}

void TorchLearner::run_batch(std::int64_t batch, const FlatModel::RangeReady& ready) {
  model_.watch({});
  model_.gradients().zero_();
  are_gradients_out_ = false;
  const std::int64_t parts = std::min(settings_.accumulate, batch);
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t samples = part_of(batch, parts, i);
    if (i + 1 == parts) model_.watch(ready);
    run_part(samples, static_cast<double>(samples) / static_cast<double>(batch));
    if (i + 1 < parts) pass("backward", backward_end());
  }
}

void TorchLearner::forward_backward(std::int64_t batch) {
  work_began_s_ = fabric_.now_s();
  if (batch == 0) {
    model_.gradients().zero_();
    passed_ = 0;
    return;
  }
  run_batch(batch);
  unscale({.begin = 0, .end = model_.gradients().numel()});
  pass("backward", backward_end());
}

void TorchLearner::forward_backward(std::int64_t batch, const GradientReady& ready) {
  work_began_s_ = fabric_.now_s();
  const std::vector<Payload> payloads = buckets();
  const auto leave = [&](std::size_t bucket) {
    unscale(model_.ranges()[bucket]);
    model_.gradients_to_host(model_.ranges()[bucket]);
    pass("backward", piece_ + 1);
    ready(payloads[bucket]);
  };
  if (batch == 0) {
    model_.gradients().zero_();
    passed_ = 0;
    for (std::size_t bucket = 0; bucket < payloads.size(); ++bucket) leave(bucket);
  } else {
    run_batch(batch, leave);
    model_.end_backward();
    model_.watch({});
    pass("backward", backward_end());
  }
  are_gradients_out_ = true;
}

void TorchLearner::forward_backward(std::int64_t batch, const LayerHooks& hooks) {
  const std::size_t count = model_.ranges().size();
  for (std::size_t bucket = count; bucket-- > 0;) {
    if (hooks.before_forward) hooks.before_forward(bucket);
  }
  for (std::size_t bucket = 0; bucket < count; ++bucket) {
    if (hooks.before_backward) hooks.before_backward(bucket);
  }
  if (!hooks.after_backward) return forward_backward(batch);
  std::size_t next = 0;
  forward_backward(batch, [&](const Payload&) { hooks.after_backward(next++); });
}

double TorchLearner::epoch_share() const {
  if (order_.empty()) return share_.epoch_begin;
  const double done = static_cast<double>(next_) / static_cast<double>(order_.size());
  return share_.epoch_begin + done * (share_.epoch_end - share_.epoch_begin);
}

Score TorchLearner::test(const DataSource& data, std::int64_t begin, std::int64_t end) {
  const torch::NoGradGuard no_gradients;
  refresh_state();
  model_.network().eval();
  BatchLoader loader(data, model_.device());
  std::vector<std::int64_t> indices;
  for (std::int64_t i = begin; i < end; ++i) indices.push_back(i);
  const auto samples = std::span<const std::int64_t>(indices);
  const auto most = static_cast<std::size_t>(test_batch(data));
  Score score;
  for (std::size_t at = 0; at < samples.size(); at += most) {
    const auto rest = samples.subspan(at);
    const auto count = std::min(most, rest.size());
    const auto later = rest.subspan(count);
    const Batch batch =
        loader.load(rest.first(count), {}, later.first(std::min(most, later.size())));
    const BatchLoss loss = forward(batch);
    score += {.loss_sum = loss.sample_losses.sum(torch::kFloat64).item<double>(),
              .correct = loss.correct.item<double>(),
              .samples = static_cast<double>(count)};
  }
  return score;
}

Pictures TorchLearner::generate(const std::vector<std::int64_t>& labels) {
  const torch::NoGradGuard no_gradients;
  refresh_state();
  model_.network().eval();
  const torch::Tensor images =
      model_.network().generate(torch::tensor(labels), mix_seed(settings_.seed, kPictureStream));
  if (!images.defined()) return {};
  const torch::Tensor values = images.to(torch::kCPU).contiguous();
  const auto* first = values.data_ptr<float>();
  return {.shape = values.sizes().slice(1).vec(), .values = {first, first + values.numel()}};
}

}  // namespace epochcast::real
