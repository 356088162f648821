// SPDX-License-Identifier: Apache-2.0
// How a real model learns, and on which machines.
#include "core/job/setting_row.hpp"
#include "core/job/setting_value.hpp"

namespace epochcast {
namespace {

constexpr double kLeastEpsilon = 1e-30;  // float32 has 1.2e-38
constexpr double kLargestRate = 1e30;
constexpr double kBelowOne = 1 - 0x1p-53;  // the largest
constexpr double kMostSlowDown = 1e4;      // a batch of 50 ms takes eight minutes
constexpr double kMostWarmup = 1e6;
constexpr int kMostThreads = 1024;
constexpr std::int64_t kLongestSequence = std::int64_t{1} << 30;
constexpr std::int64_t kLargestImage = 16384;

constexpr value::Number kRate = {0, kLargestRate, "a number from 0 to 1e30"};
constexpr value::Number kAboveZero = {kLeastEpsilon, kLargestRate, "a number from 1e-30 to 1e30"};
constexpr value::Number kDecay = {0, kBelowOne, "a number from 0 to below 1"};

constexpr Names<LearningRateKind, 3> kSchedules = {{{"constant", LearningRateKind::constant},
                                                    {"cosine", LearningRateKind::cosine},
                                                    {"multi-step", LearningRateKind::multi_step}}};
constexpr Names<bool, 2> kSchedulesBy = {{{"epoch", false}, {"step", true}}};
constexpr Names<Loss, 6> kLosses = {{{"auto", Loss::automatic},
                                     {"cross-entropy", Loss::cross_entropy},
                                     {"mse", Loss::mse},
                                     {"binary-cross-entropy", Loss::binary_cross_entropy},
                                     {"language-model", Loss::language_model},
                                     {"model", Loss::model}}};

struct Milestones {
  [[nodiscard]] std::vector<std::int64_t> read(const std::string& text) const {
    std::vector<std::int64_t> epochs;
    for (const std::string& part : parse_list(text, "epochs such as 30,60"))
      epochs.push_back(parse_count(part, 1));
    return epochs;
  }
  [[nodiscard]] std::string show(const std::vector<std::int64_t>& epochs) const {
    std::vector<std::string> parts;
    parts.reserve(epochs.size());
    for (const std::int64_t epoch : epochs) parts.push_back(std::to_string(epoch));
    return joined(parts);
  }
};

struct Devices {
  [[nodiscard]] std::vector<std::string> read(const std::string& text) const {
    constexpr const char* kExample = "devices such as cpu,cuda:0";
    constexpr std::size_t kMostDigits = 4;
    std::vector<std::string> devices = parse_list(text, kExample);
    for (const std::string& device : devices) {
      const std::string number = device.starts_with("cuda:") ? device.substr(5) : "x";
      const bool is_numbered = !number.empty() && number.size() <= kMostDigits &&
                               number.find_first_not_of("0123456789") == std::string::npos;
      if (device != "cpu" && device != "cuda" && device != "server" && !is_numbered)
        fail(text, kExample);
    }
    return devices;
  }
  [[nodiscard]] std::string show(const std::vector<std::string>& devices) const {
    return joined(devices);
  }
};

struct SlowDown {
  using Factors = std::map<std::string, double>;

  [[nodiscard]] Factors read(const std::string& text) const {
    Factors factors;
    const std::string example = "factors from 1 to 10000, such as cpu=8";
    for_each_assignment(text, example, [&](const std::string& key, const std::string& value) {
      if (key.empty()) fail(text, example);
      factors[key] = parse_number(value, 1, kMostSlowDown, example);
    });
    return factors;
  }
  [[nodiscard]] std::string show(const Factors& factors) const {
    return show_map(factors, shortest);
  }
};

/// Shown as not set if a machine is a node.
struct RanksPerNode : value::SmallCount {
  [[nodiscard]] std::string show(int ranks) const {
    return ranks > 0 ? std::to_string(ranks) : std::string();
  }
};

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

// A row of two or three lines a setting.
// clang-format off
std::vector<Setting> run_settings() {
  using Learning = LearningConfig;
  using Optimizer = OptimizerSettings;
  using Rate = LearningRateSchedule;
  using Machine = MachineConfig;
  return {
      row("data", kLearning, "FOLDER|procedural",
          &Learning::data, value::Text{"a folder, or procedural"},
          "the data set's files, or samples of its shape computed from the seed; a folder of "
          "inputs.npy and targets.npy, of train.bin and val.bin, or of images in train/CLASS and "
          "val/CLASS needs no --dataset"),
      row("sequence", kEverywhere, "TOKENS", &Learning::sequence, value::Count{1, kLongestSequence},
          "cut rows of tokens (train.bin, val.bin) into samples of so many"),
      row("image-size", kEverywhere, "PIXELS",
          &Learning::image_size, value::Count{1, kLargestImage},
          "side of the samples that are cut out of a folder of images without --dataset "
          "(default: 224)"),
      row("train-samples", kEverywhere, "COUNT", &Learning::train_samples, value::Count{1},
          "train on the first COUNT samples only"),
      row("test-samples", kLearning, "COUNT", &Learning::test_samples, value::Count{1},
          "test on the first COUNT test samples only"),
      row("augment", kLearning, "on|off", &Learning::augment, value::Switch{},
          "crop and flip training images at random"),
      row("loss", kLearning, "auto|cross-entropy|mse|binary-cross-entropy|language-model|model",
          &Learning::loss, value::Name{kLosses},
          "minimised function (auto: by the kind of data; model: the model returns it)"),
      row("optimizer", kLearning, "NAME",
          &Optimizer::name, value::Text{"the name of an optimizer, such as sgd"},
          "sgd, rmsprop, adam, adamw, adabelief or angulargrad"),
      row("learning-rate", kLearning, "NUMBER", &Rate::base, kRate,
          "of the first epoch"),
      row("momentum", kLearning, "NUMBER", &Optimizer::momentum, kDecay,
          "of sgd and rmsprop (default: 0.9)"),
      row("rms-decay", kLearning, "NUMBER", &Optimizer::rms_decay, kDecay,
          "rmsprop: decay of the mean of squares, PyTorch's alpha (default: 0.99)"),
      row("beta1", kLearning, "NUMBER", &Optimizer::beta1, kDecay,
          "adam, adamw, adabelief, angulargrad: decay of the mean of gradients (default: 0.9)"),
      row("beta2", kLearning, "NUMBER", &Optimizer::beta2, kDecay,
          "the same optimizers: decay of the mean of squares (default: 0.999)"),
      row("epsilon", kLearning, "NUMBER", &Optimizer::epsilon, kAboveZero,
          "all but sgd: added to the denominator of a step (default: 1e-8)"),
      row("weight-decay", kLearning, "NUMBER", &Optimizer::weight_decay, kRate,
          "L2 penalty; adamw: decoupled (default: 0.01 for adamw, 0 for others)"),
      row("decoupled-decay", kLearning, "on|off", &Optimizer::decoupled_decay, value::Switch{},
          "adabelief: parameters shrink by learning rate times weight decay; no L2 penalty "
          "(default: off)"),
      row("pretrained", kLearning, "FILE", &Learning::pretrained, value::Text{"a file of weights"},
          "start from these weights, saved by PyTorch: torch.save(model.state_dict(), FILE)"),
      row("schedule", kLearning, "constant|cosine|multi-step", &Rate::kind, value::Name{kSchedules},
          "of the learning rate; see --schedule-by"),
      row("milestones", kLearning, "EPOCH,...", &Rate::milestones, Milestones{},
          "--schedule multi-step: epochs after which the learning rate falls"),
      row("decay", kLearning, "FACTOR", &Rate::decay, value::Number{0, 1, "a factor from 0 to 1"},
          "--schedule multi-step: by which factor"),
      row("schedule-by", kLearning, "epoch|step", &Rate::is_by_step, value::Name{kSchedulesBy},
          "whether the schedule changes the learning rate with every epoch, or every step"),
      row("final-rate", kLearning, "SHARE",
          &Rate::final_share, value::Number{0, 1, "a share from 0 to 1"},
          "--schedule cosine: the last learning rate, as a share of the first"),
      row("warmup", kLearning, "EPOCHS",
          &Rate::warmup, value::Number{0, kMostWarmup, "epochs from 0 to 1e6"},
          "let the learning rate rise from 0 in the first so many epochs (0.1: a tenth of one), "
          "step by step"),
      row("clip-norm", kLearning, "NUMBER", &Learning::clip_norm, kAboveZero,
          "scale gradients down to this norm of all of them together before a step"),
      row("ranks", kTrain, "COUNT", &Machine::ranks, value::SmallCount{1},
          "processes in all (default: one for each device of each host)"),
      row("devices", kLearning, "cpu|cuda:N|server,...", &Machine::devices, Devices{},
          "devices of the ranks of a machine, in turn; a server sums, or keeps "
          "parameters; a rehearsal uses the first"),
      row("threads", kLearning, "COUNT", &Machine::threads, value::SmallCount{1, kMostThreads},
          "CPU threads of a rank"),
      row("slow-down", kTrain, "CLASS=FACTOR,...", &Machine::slow_down, SlowDown{},
          "emulate slower devices: let batches take FACTOR times as long (class, model or rank "
          "number)"),
      row("ranks-per-node", kTrain, "COUNT", &Machine::ranks_per_node, RanksPerNode{{1}},
          "count every so many ranks of a machine as a node of their own"),
  };
}
// clang-format on

}  // namespace epochcast
