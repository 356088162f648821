// SPDX-License-Identifier: Apache-2.0
#include "core/job/optimizer_settings.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace epochcast {
namespace {

/// The hyperparameters of each optimizer with their defaults; an optimizer lacks those that are
/// absent.
const std::vector<OptimizerSettings>& defaults() {
  static const std::vector<OptimizerSettings> kDefaults = {
      {.name = "sgd", .momentum = 0.9, .weight_decay = 0},
      {.name = "rmsprop", .momentum = 0.9, .rms_decay = 0.99, .epsilon = 1e-8, .weight_decay = 0},
      {.name = "adam", .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .weight_decay = 0},
      {.name = "adamw", .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .weight_decay = 0.01},
      {.name = "adabelief",
       .beta1 = 0.9,
       .beta2 = 0.999,
       .epsilon = 1e-8,
       .weight_decay = 0,
       .decoupled_decay = false},
      {.name = "angulargrad", .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .weight_decay = 0},
  };
  return kDefaults;
}

const OptimizerSettings* defaults_of(const std::string& name) {
  const auto found = std::find_if(defaults().begin(),
                                  defaults().end(),
                                  [&](const OptimizerSettings& each) { return each.name == name; });
  return found == defaults().end() ? nullptr : &*found;
}

/// Calls `visit` with every hyperparameter: the name of its setting, and its member.
template <typename Visit>
void for_each_hyperparameter(const Visit& visit) {
  visit("momentum", &OptimizerSettings::momentum);
  visit("rms-decay", &OptimizerSettings::rms_decay);
  visit("beta1", &OptimizerSettings::beta1);
  visit("beta2", &OptimizerSettings::beta2);
  visit("epsilon", &OptimizerSettings::epsilon);
  visit("weight-decay", &OptimizerSettings::weight_decay);
  visit("decoupled-decay", &OptimizerSettings::decoupled_decay);
}

/// "adam, adamw or adabelief"
std::string in_words(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " or ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const OptimizerSettings& each : defaults()) names.push_back(each.name);
  return names;
}

OptimizerSettings with_defaults(OptimizerSettings settings) {
  const OptimizerSettings* usual = defaults_of(settings.name);
  if (usual == nullptr) return settings;
  for_each_hyperparameter([&](const char*, const auto member) {
    if (!(settings.*member)) settings.*member = usual->*member;
  });
  return settings;
}

void check_hyperparameters(const OptimizerSettings& settings) {
  const OptimizerSettings* usual = defaults_of(settings.name);
  if (usual == nullptr) return;
  std::vector<std::string> problems;
  for_each_hyperparameter([&](const std::string& setting, const auto member) {
    if (!(settings.*member) || usual->*member) return;
    std::vector<std::string> owners;
    for (const OptimizerSettings& each : defaults()) {
      if (each.*member) owners.push_back(each.name);
    }
    problems.push_back("--" + setting + ": " + settings.name + " has none; expected " +
                       "--optimizer " + in_words(owners));
  });
  if (!problems.empty()) throw UserError(std::move(problems));
}

}  // namespace epochcast
