// SPDX-License-Identifier: Apache-2.0
// How a real model learns, and on which machines.
#include <optional>
#include <type_traits>

#include "core/job/setting.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

constexpr double kLargestRate = 1e30;
constexpr double kLeastEpsilon = 1e-30;    // float32 has 1.2e-38
constexpr double kBelowOne = 1 - 0x1p-53;  // the largest
constexpr const char* kFromZeroToOne = "a number from 0 to below 1";
constexpr double kMostSlowDown = 1e4;  // a batch of 50 ms takes eight minutes
constexpr int kMostThreads = 1024;
constexpr std::int64_t kLongestSequence = std::int64_t{1} << 30;
constexpr std::int64_t kLargestImage = 16384;

constexpr Names<LearningRateKind, 3> kSchedules = {{{"constant", LearningRateKind::constant},
                                                    {"cosine", LearningRateKind::cosine},
                                                    {"multi-step", LearningRateKind::multi_step}}};

constexpr Names<Loss, 6> kLosses = {{{"auto", Loss::automatic},
                                     {"cross-entropy", Loss::cross_entropy},
                                     {"mse", Loss::mse},
                                     {"binary-cross-entropy", Loss::binary_cross_entropy},
                                     {"language-model", Loss::language_model},
                                     {"model", Loss::model}}};
constexpr Names<bool, 2> kSchedulesBy = {{{"epoch", false}, {"step", true}}};
constexpr double kMostWarmup = 1e6;

void set_milestones(JobConfig& config, const std::string& text) {
  config.learning.rate.milestones.clear();
  for (const std::string& part : parse_list(text, "epochs such as 30,60"))
    config.learning.rate.milestones.push_back(parse_count(part, 1));
}

std::string show_milestones(const JobConfig& config) {
  std::vector<std::string> parts;
  for (const std::int64_t epoch : config.learning.rate.milestones)
    parts.push_back(std::to_string(epoch));
  return joined(parts);
}

/// The effective hyperparameter: set, or the optimizer's default; empty if it has none.
template <typename Value>
std::string shown(const JobConfig& config, std::optional<Value> OptimizerSettings::*member) {
  const OptimizerSettings settings = with_defaults(config.learning.optimizer);
  const std::optional<Value>& value = settings.*member;
  if (!value) return {};
  if constexpr (std::is_same_v<Value, bool>) {
    return show_switch(*value);
  } else {
    return shortest(*value);
  }
}

void set_devices(JobConfig& config, const std::string& text) {
  constexpr const char* kExample = "devices such as cpu,cuda:0";
  constexpr std::size_t kMostDigits = 4;
  config.machine.devices = parse_list(text, kExample);
  for (const std::string& device : config.machine.devices) {
    const std::string number = device.starts_with("cuda:") ? device.substr(5) : "x";
    const bool is_numbered = !number.empty() && number.size() <= kMostDigits &&
                             number.find_first_not_of("0123456789") == std::string::npos;
    if (device != "cpu" && device != "cuda" && device != "server" && !is_numbered)
      fail(text, kExample);
  }
}

void set_slow_down(JobConfig& config, const std::string& text) {
  config.machine.slow_down.clear();
  const std::string example = "factors from 1 to 10000, such as cpu=8";
  for_each_assignment(text, example, [&](const std::string& key, const std::string& value) {
    if (key.empty()) fail(text, example);
    config.machine.slow_down[key] = parse_number(value, 1, kMostSlowDown, example);
  });
}

}  // namespace

double slow_down_of(const std::map<std::string, double>& slow_down,
                    const std::vector<std::string>& names) {
  double factor = 1;
  for (const std::string& name : names) {
    const auto found = slow_down.find(name);
    if (found != slow_down.end()) factor = found->second;
  }
  return factor;
}

std::string slowed_name(const std::string& name, double factor) {
  return factor > 1 ? name + "-slowed-" + shortest(factor) + "x" : name;
}

std::vector<Setting> run_settings() {
  using C = JobConfig;
  using Text = const std::string&;
  return {
      {"data",
       kLearning,
       "FOLDER|procedural",
       "the data set's files, or samples of its shape computed from the seed; a folder of "
       "inputs.npy and targets.npy, of train.bin and val.bin, or of images in train/CLASS and "
       "val/CLASS needs no --dataset",
       [](C& c, Text t) { c.learning.data = parse_text(t, "a folder, or procedural"); },
       [](const C& c) { return c.learning.data; }},
      {"sequence",
       kEverywhere,
       "TOKENS",
       "cut rows of tokens (train.bin, val.bin) into samples of so many",
       [](C& c, Text t) { c.learning.sequence = parse_count(t, 1, kLongestSequence); },
       [](const C& c) {
         const auto& sequence = c.learning.sequence;
         return sequence ? std::to_string(*sequence) : std::string();
       }},
      {"image-size",
       kEverywhere,
       "PIXELS",
       "side of the samples that are cut out of a folder of images without --dataset (default: "
       "224)",
       [](C& c, Text t) { c.learning.image_size = parse_count(t, 1, kLargestImage); },
       [](const C& c) {
         const auto& size = c.learning.image_size;
         return size ? std::to_string(*size) : std::string();
       }},
      {"train-samples",
       kEverywhere,
       "COUNT",
       "train on the first COUNT samples only",
       [](C& c, Text t) { c.learning.train_samples = parse_count(t, 1); },
       [](const C& c) {
         const auto& samples = c.learning.train_samples;
         return samples ? std::to_string(*samples) : std::string();
       }},
      {"test-samples",
       kLearning,
       "COUNT",
       "test on the first COUNT test samples only",
       [](C& c, Text t) { c.learning.test_samples = parse_count(t, 1); },
       [](const C& c) {
         const auto& samples = c.learning.test_samples;
         return samples ? std::to_string(*samples) : std::string();
       }},
      {"augment",
       kLearning,
       "on|off",
       "crop and flip training images at random",
       [](C& c, Text t) { c.learning.augment = parse_switch(t); },
       [](const C& c) { return show_switch(c.learning.augment); }},
      {"loss",
       kLearning,
       "auto|cross-entropy|mse|binary-cross-entropy|language-model|model",
       "what is minimised (auto: what suits the data; model: the model returns it)",
       [](C& c, Text t) { c.learning.loss = parse_name(t, kLosses); },
       [](const C& c) { return show_name(c.learning.loss, kLosses); }},
      {"optimizer",
       kLearning,
       "NAME",
       "sgd, rmsprop, adam, adamw, adabelief or angulargrad",
       [](C& c, Text t) {
         c.learning.optimizer.name = parse_text(t, "the name of an optimizer, such as sgd");
       },
       [](const C& c) { return c.learning.optimizer.name; }},
      {"learning-rate",
       kLearning,
       "NUMBER",
       "of the first epoch",
       [](C& c, Text t) {
         c.learning.rate.base = parse_number(t, 0, kLargestRate, "a number from 0 to 1e30");
       },
       [](const C& c) { return shortest(c.learning.rate.base); }},
      {"momentum",
       kLearning,
       "NUMBER",
       "of sgd and rmsprop (default: 0.9)",
       [](C& c, Text t) {
         c.learning.optimizer.momentum = parse_number(t, 0, kBelowOne, kFromZeroToOne);
       },
       [](const C& c) { return shown(c, &OptimizerSettings::momentum); }},
      {"rms-decay",
       kLearning,
       "NUMBER",
       "rmsprop: decay of the mean of squares, PyTorch's alpha (default: 0.99)",
       [](C& c, Text t) {
         c.learning.optimizer.rms_decay = parse_number(t, 0, kBelowOne, kFromZeroToOne);
       },
       [](const C& c) { return shown(c, &OptimizerSettings::rms_decay); }},
      {"beta1",
       kLearning,
       "NUMBER",
       "adam, adamw, adabelief, angulargrad: decay of the mean of gradients (default: 0.9)",
       [](C& c, Text t) {
         c.learning.optimizer.beta1 = parse_number(t, 0, kBelowOne, kFromZeroToOne);
       },
       [](const C& c) { return shown(c, &OptimizerSettings::beta1); }},
      {"beta2",
       kLearning,
       "NUMBER",
       "the same optimizers: decay of the mean of squares (default: 0.999)",
       [](C& c, Text t) {
         c.learning.optimizer.beta2 = parse_number(t, 0, kBelowOne, kFromZeroToOne);
       },
       [](const C& c) { return shown(c, &OptimizerSettings::beta2); }},
      {"epsilon",
       kLearning,
       "NUMBER",
       "all but sgd: added to the denominator of a step (default: 1e-8)",
       [](C& c, Text t) {
         c.learning.optimizer.epsilon =
             parse_number(t, kLeastEpsilon, kLargestRate, "a number from 1e-30 to 1e30");
       },
       [](const C& c) { return shown(c, &OptimizerSettings::epsilon); }},
      {"weight-decay",
       kLearning,
       "NUMBER",
       "L2 penalty; adamw: decoupled (default: 0.01 for adamw, 0 for others)",
       [](C& c, Text t) {
         c.learning.optimizer.weight_decay =
             parse_number(t, 0, kLargestRate, "a number from 0 to 1e30");
       },
       [](const C& c) { return shown(c, &OptimizerSettings::weight_decay); }},
      {"decoupled-decay",
       kLearning,
       "on|off",
       "adabelief: parameters shrink by learning rate times weight decay; no L2 penalty (default: "
       "off)",
       [](C& c, Text t) { c.learning.optimizer.decoupled_decay = parse_switch(t); },
       [](const C& c) { return shown(c, &OptimizerSettings::decoupled_decay); }},
      {"pretrained",
       kLearning,
       "FILE",
       "start from these weights, saved by PyTorch: torch.save(model.state_dict(), FILE)",
       [](C& c, Text t) { c.learning.pretrained = parse_text(t, "a file of weights"); },
       [](const C& c) { return c.learning.pretrained; }},
      {"schedule",
       kLearning,
       "constant|cosine|multi-step",
       "of the learning rate; see --schedule-by",
       [](C& c, Text t) { c.learning.rate.kind = parse_name(t, kSchedules); },
       [](const C& c) { return show_name(c.learning.rate.kind, kSchedules); }},
      {"milestones",
       kLearning,
       "EPOCH,...",
       "--schedule multi-step: epochs after which the learning rate falls",
       set_milestones,
       show_milestones},
      {"decay",
       kLearning,
       "FACTOR",
       "--schedule multi-step: by which factor",
       [](C& c, Text t) { c.learning.rate.decay = parse_number(t, 0, 1, "a factor from 0 to 1"); },
       [](const C& c) { return shortest(c.learning.rate.decay); }},
      {"schedule-by",
       kLearning,
       "epoch|step",
       "whether the schedule changes the learning rate with every epoch, or every step",
       [](C& c, Text t) { c.learning.rate.is_by_step = parse_name(t, kSchedulesBy); },
       [](const C& c) { return show_name(c.learning.rate.is_by_step, kSchedulesBy); }},
      {"final-rate",
       kLearning,
       "SHARE",
       "--schedule cosine: the last learning rate, as a share of the first",
       [](C& c, Text t) {
         c.learning.rate.final_share = parse_number(t, 0, 1, "a share from 0 to 1");
       },
       [](const C& c) { return shortest(c.learning.rate.final_share); }},
      {"warmup",
       kLearning,
       "EPOCHS",
       "let the learning rate rise from 0 in the first so many epochs (0.1: a tenth of one), step "
       "by step",
       [](C& c, Text t) {
         c.learning.rate.warmup = parse_number(t, 0, kMostWarmup, "epochs from 0 to 1e6");
       },
       [](const C& c) { return shortest(c.learning.rate.warmup); }},
      {"clip-norm",
       kLearning,
       "NUMBER",
       "scale gradients down to this norm of all of them together before a step",
       [](C& c, Text t) {
         c.learning.clip_norm =
             parse_number(t, kLeastEpsilon, kLargestRate, "a number from 1e-30 to 1e30");
       },
       [](const C& c) {
         return c.learning.clip_norm ? shortest(*c.learning.clip_norm) : std::string();
       }},
      {"ranks",
       kTrain,
       "COUNT",
       "processes in all (default: one for each device of each host)",
       [](C& c, Text t) { c.machine.ranks = parse_small_count(t, 1); },
       [](const C& c) {
         return c.machine.ranks ? std::to_string(*c.machine.ranks) : std::string();
       }},
      {"devices",
       kLearning,
       "cpu|cuda:N|server,...",
       "devices of the ranks of a machine, in turn; a server only adds (byteps); a rehearsal uses "
       "the first",
       set_devices,
       [](const C& c) { return joined(c.machine.devices); }},
      {"threads",
       kLearning,
       "COUNT",
       "CPU threads of a rank",
       [](C& c, Text t) { c.machine.threads = parse_small_count(t, 1, kMostThreads); },
       [](const C& c) { return std::to_string(c.machine.threads); }},
      {"slow-down",
       kTrain,
       "CLASS=FACTOR,...",
       "emulate slower devices: let batches take FACTOR times as long (class, model or rank "
       "number)",
       set_slow_down,
       [](const C& c) { return show_map(c.machine.slow_down, shortest); }},
      {"ranks-per-node",
       kTrain,
       "COUNT",
       "count every so many ranks of a machine as a node of their own",
       [](C& c, Text t) { c.machine.ranks_per_node = parse_small_count(t, 1); },
       [](const C& c) {
         return c.machine.ranks_per_node > 0 ? std::to_string(c.machine.ranks_per_node)
                                             : std::string();
       }},
  };
}

}  // namespace epochcast
