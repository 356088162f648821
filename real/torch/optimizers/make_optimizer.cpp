// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "real/torch/optimizers/adabelief.hpp"
#include "real/torch/optimizers/angular_grad.hpp"
#include "real/torch/optimizers/flat_optimizer.hpp"
#include "real/torch/optimizers/library_optimizer.hpp"

namespace epochcast::real {
namespace {

using OptimizerPointer = std::unique_ptr<FlatOptimizer>;

struct OptimizerEntry {
  std::string name;
  std::function<OptimizerPointer(const OptimizerSettings&, const torch::Tensor&)> make;
};

/// A maker of LibTorch's `Optimizer`; `options` turns settings into its options.
template <typename Optimizer, typename Options>
OptimizerEntry library_entry(const std::string& name, Options options) {
  return {
      name, [options](const OptimizerSettings& settings, const torch::Tensor& parameters) {
        auto optimizer =
            std::make_unique<Optimizer>(LibraryOptimizer::pieces(parameters), options(settings));
        return std::make_unique<LibraryOptimizer>(settings.name, parameters, std::move(optimizer));
      }};
}

template <typename Optimizer>
OptimizerEntry own_entry(const std::string& name) {
  return {name, [](const OptimizerSettings& settings, const torch::Tensor& parameters) {
            return std::make_unique<Optimizer>(settings, parameters);
          }};
}

std::tuple<double, double> betas(const OptimizerSettings& settings) {
  return {*settings.beta1, *settings.beta2};
}

const std::vector<OptimizerEntry>& optimizer_entries() {
  constexpr double kSetEachStep = 0;  // learning rate
  using Settings = const OptimizerSettings&;
  static const std::vector<OptimizerEntry> kEntries = {
      library_entry<torch::optim::SGD>("sgd",
                                       [](Settings settings) {
                                         return torch::optim::SGDOptions(kSetEachStep)
                                             .momentum(*settings.momentum)
                                             .weight_decay(*settings.weight_decay);
                                       }),
      library_entry<torch::optim::RMSprop>("rmsprop",
                                           [](Settings settings) {
                                             return torch::optim::RMSpropOptions(kSetEachStep)
                                                 .alpha(*settings.rms_decay)
                                                 .eps(*settings.epsilon)
                                                 .momentum(*settings.momentum)
                                                 .weight_decay(*settings.weight_decay);
                                           }),
      library_entry<torch::optim::Adam>("adam",
                                        [](Settings settings) {
                                          return torch::optim::AdamOptions(kSetEachStep)
                                              .betas(betas(settings))
                                              .eps(*settings.epsilon)
                                              .weight_decay(*settings.weight_decay);
                                        }),
      library_entry<torch::optim::AdamW>("adamw",
                                         [](Settings settings) {
                                           return torch::optim::AdamWOptions(kSetEachStep)
                                               .betas(betas(settings))
                                               .eps(*settings.epsilon)
                                               .weight_decay(*settings.weight_decay);
                                         }),
      own_entry<AdaBelief>("adabelief"),
      own_entry<AngularGrad>("angulargrad"),
  };
  return kEntries;
}

/// The problems of settings with their defaults. Comparisons are written to report NaN, too.
std::vector<std::string> problems(const OptimizerSettings& settings) {
  std::vector<std::string> problems;
  const auto check = [&](const char* name,
                         const std::optional<double>& value,
                         const auto& is_good,
                         const char* expected) {
    if (!value || is_good(*value)) return;
    std::ostringstream text;
    text << name << ": got " << *value << "; expected " << expected;
    problems.push_back(text.str());
  };
  const auto is_share = [](double value) { return value >= 0 && value < 1; };
  const char* const share = "a number from 0 to less than 1";
  check("momentum", settings.momentum, is_share, share);
  check("rms_decay", settings.rms_decay, is_share, share);
  check("beta1", settings.beta1, is_share, share);
  check("beta2", settings.beta2, is_share, share);
  check(
      "epsilon",
      settings.epsilon,
      [](double value) { return value > 0 && std::isfinite(value); },
      "a number above 0");
  check(
      "weight_decay",
      settings.weight_decay,
      [](double value) { return value >= 0 && std::isfinite(value); },
      "a number from 0");
  return problems;
}

}  // namespace

std::unique_ptr<FlatOptimizer> make_optimizer(const OptimizerSettings& settings,
                                              const torch::Tensor& parameters) {
  const OptimizerSettings full = with_defaults(settings);
  for (const OptimizerEntry& entry : optimizer_entries()) {
    if (entry.name != full.name) continue;
    if (auto found = problems(full); !found.empty()) throw UserError(std::move(found));
    return entry.make(full, parameters);
  }
  throw UserError(unknown_name("optimizer", full.name, optimizer_names()));
}

}  // namespace epochcast::real
