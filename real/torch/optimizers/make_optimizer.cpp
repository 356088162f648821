// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "core/suggest.hpp"
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

const std::vector<OptimizerEntry>& optimizer_entries() {
  constexpr double kSetEachStep = 0;  // learning rate
  static const std::vector<OptimizerEntry> kEntries = {
      library_entry<torch::optim::SGD>("sgd",
                                       [](const OptimizerSettings& settings) {
                                         return torch::optim::SGDOptions(kSetEachStep)
                                             .momentum(settings.momentum)
                                             .weight_decay(settings.weight_decay);
                                       }),
      library_entry<torch::optim::RMSprop>("rmsprop",
                                           [](const OptimizerSettings& settings) {
                                             return torch::optim::RMSpropOptions(kSetEachStep)
                                                 .momentum(settings.momentum)
                                                 .weight_decay(settings.weight_decay);
                                           }),
      library_entry<torch::optim::Adam>(
          "adam",
          [](const OptimizerSettings& settings) {
            return torch::optim::AdamOptions(kSetEachStep).weight_decay(settings.weight_decay);
          }),
      library_entry<torch::optim::AdamW>(
          "adamw",
          [](const OptimizerSettings& settings) {
            return torch::optim::AdamWOptions(kSetEachStep).weight_decay(settings.weight_decay);
          }),
      own_entry<AdaBelief>("adabelief"),
      own_entry<AngularGrad>("angulargrad"),
  };
  return kEntries;
}

std::string got(const std::string& setting, double value) {
  std::ostringstream text;
  text << setting << ": got " << value << "; expected ";
  return text.str();
}

/// Written so that a NaN is a problem, too.
std::vector<std::string> problems(const OptimizerSettings& settings) {
  std::vector<std::string> problems;
  if (!(settings.momentum >= 0 && settings.momentum < 1)) {
    problems.push_back(got("momentum", settings.momentum) + "a number from 0 to less than 1");
  }
  if (!(settings.weight_decay >= 0 && std::isfinite(settings.weight_decay))) {
    problems.push_back(got("weight_decay", settings.weight_decay) + "a number from 0");
  }
  return problems;
}

}  // namespace

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const OptimizerEntry& entry : optimizer_entries()) names.push_back(entry.name);
  return names;
}

std::unique_ptr<FlatOptimizer> make_optimizer(const OptimizerSettings& settings,
                                              torch::Tensor parameters) {
  for (const OptimizerEntry& entry : optimizer_entries()) {
    if (entry.name != settings.name) continue;
    if (auto found = problems(settings); !found.empty()) throw UserError(std::move(found));
    return entry.make(settings, parameters);
  }
  throw UserError(unknown_name("optimizer", settings.name, optimizer_names()));
}

}  // namespace epochcast::real
