// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Before Catch2, since LibTorch has its own CHECK, which ends the program.
#include "real/torch/optimizers/flat_optimizer.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/optimizer_steps.hpp"

namespace epochcast::real {
namespace {

// float32 rounds parameters of about 1 by up to 6e-8 in each of up to three steps, and their few
// operations by as much.
constexpr double kFloatRounding = 1e-6;

/// Learning rate and gradient of one step of one parameter.
struct Step {
  double learning_rate;
  double gradient;
};

/// A textbook optimizer of one parameter, in double: the decrement of step `t` (from 1).
using Textbook = std::function<double(int t, double gradient, double learning_rate)>;

/// The optimizer and the textbook agree after each step, from 1 on.
void check_against(const OptimizerSettings& settings,
                   const Textbook& textbook,
                   const std::vector<Step>& steps) {
  torch::Tensor parameters = leaf(torch::ones(1));
  auto optimizer = make_optimizer(settings, parameters);
  double expected = 1;

  for (std::size_t i = 0; i < steps.size(); ++i) {
    expected -= textbook(static_cast<int>(i) + 1, steps[i].gradient, steps[i].learning_rate);
    step(*optimizer, parameters, torch::full({1}, steps[i].gradient), steps[i].learning_rate);
    CAPTURE(settings.name, i, steps[i].gradient);
    CHECK(parameters.item<double>() == Approx(expected).epsilon(0).margin(kFloatRounding));
  }
}

// Agreement, the same again, reversal (for AngularGrad exactly 90 degrees), a rest.
const std::vector<std::vector<Step>> kRuns = {
    {{0.125, 1}, {0.125, 1}, {0.0625, -1}},
    {{0.1, -0.3}, {0.1, 0.2}, {0.05, 2.5}},
    {{0.1, 0}, {0.1, 1e-3}, {0.1, 0}},
};

/// Hyperparameters of adam and similar optimizers.
struct AdamNumbers {
  double beta1;
  double beta2;
  double epsilon;
};
/// PyTorch's defaults, and clearly different ones.
const std::vector<AdamNumbers> kAdamNumbers = {{0.9, 0.999, 1e-8}, {0.5, 0.75, 0.0625}, {0, 0, 1}};

OptimizerSettings settings_of(const std::string& name, const AdamNumbers& numbers) {
  return {.name = name,
          .beta1 = numbers.beta1,
          .beta2 = numbers.beta2,
          .epsilon = numbers.epsilon,
          .weight_decay = 0};
}

TEST_CASE("sgd and rmsprop follow their formulas") {
  for (const auto& run : kRuns) {
    check_against(
        {.name = "sgd", .momentum = 0.75},
        [b = 0.0](int, double g, double rate) mutable { return rate * (b = 0.75 * b + g); },
        run);
    for (const auto& [decay, epsilon] : {std::pair(0.99, 1e-8), std::pair(0.5, 0.0625)}) {
      check_against(
          {.name = "rmsprop", .momentum = 0.75, .rms_decay = decay, .epsilon = epsilon},
          [decay = decay, epsilon = epsilon, v = 0.0, b = 0.0](int, double g, double rate) mutable {
            v = decay * v + (1 - decay) * g * g;
            return rate * (b = 0.75 * b + g / (std::sqrt(v) + epsilon));
          },
          run);
    }
  }
}

TEST_CASE("adam and adamw follow their formula") {
  for (const auto& run : kRuns) {
    for (const AdamNumbers& n : kAdamNumbers) {
      for (const std::string name : {"adam", "adamw"}) {
        check_against(
            settings_of(name, n),
            [n, m = 0.0, v = 0.0](int t, double g, double rate) mutable {
              m = n.beta1 * m + (1 - n.beta1) * g;
              v = n.beta2 * v + (1 - n.beta2) * g * g;
              const double mean = m / (1 - std::pow(n.beta1, t));
              return rate * mean / (std::sqrt(v / (1 - std::pow(n.beta2, t))) + n.epsilon);
            },
            run);
      }
    }
  }
}

TEST_CASE("adabelief follows algorithm 2 of its paper") {
  for (const auto& run : kRuns) {
    for (const AdamNumbers& n : kAdamNumbers) {
      check_against(
          settings_of("adabelief", n),
          [n, m = 0.0, s = 0.0](int t, double g, double rate) mutable {
            m = n.beta1 * m + (1 - n.beta1) * g;
            s = n.beta2 * s + (1 - n.beta2) * (g - m) * (g - m) + n.epsilon;
            const double mean = m / (1 - std::pow(n.beta1, t));
            return rate * mean / (std::sqrt(s / (1 - std::pow(n.beta2, t))) + n.epsilon);
          },
          run);
    }
  }
}

TEST_CASE("adabelief's first step is longer than adam's") {
  torch::Tensor parameters = leaf(torch::zeros(1));
  auto optimizer = make_optimizer({.name = "adabelief"}, parameters);

  step(*optimizer, parameters, torch::ones(1), 1);

  // m = 0.1, i.e. g - m = 0.9; s = 0.001 * 0.81 + 1e-8, corrected 0.81001; m corrected is 1.
  CHECK(parameters.item<double>() == Approx(-1 / 0.9000056).epsilon(kFloatRounding));
}

TEST_CASE("angulargrad follows its paper, with the angle in degrees and its least so far") {
  for (const auto& run : kRuns) {
    for (const AdamNumbers& n : kAdamNumbers) {
      check_against(
          settings_of("angulargrad", n),
          [n, m = 0.0, v = 0.0, last = 0.0, least = 90.0](int t, double g, double rate) mutable {
            const double degree = std::acos(-1.0) / 180;
            const double tangent = std::abs((last - g) / (1 + last * g));
            least = std::min(least, std::atan(tangent) / degree);
            last = g;
            m = n.beta1 * m + (1 - n.beta1) * g;
            v = n.beta2 * v + (1 - n.beta2) * g * g;
            const double phi = std::tanh(std::abs(std::cos(least * degree))) * 0.5 + 0.5;
            const double mean = m / (1 - std::pow(n.beta1, t));
            return rate * phi * mean / (std::sqrt(v / (1 - std::pow(n.beta2, t))) + n.epsilon);
          },
          run);
    }
  }
}

TEST_CASE("angulargrad shortens adam's step by the angle") {
  torch::Tensor parameters = leaf(torch::zeros(2));
  auto optimizer = make_optimizer({.name = "angulargrad"}, parameters);

  // From g = 0 to 1: 45 degrees, phi = tanh(0.7071068) / 2 + 1/2 = 0.8044296.
  step(*optimizer, parameters, torch::ones(2), 1);
  CHECK(parameters[0].item<double>() == Approx(-0.8044296).epsilon(kFloatRounding));

  // From 1 to 1: 0 degrees, phi = tanh(1) / 2 + 1/2 = 0.8807971; all moments corrected are 1.
  step(*optimizer, parameters, torch::ones(2), 1);
  CHECK(parameters[0].item<double>() == Approx(-0.8044296 - 0.8807971).epsilon(kFloatRounding));

  // From 1 to -1: 90 degrees, but the least stays 0. m = 0.9 * 0.19 - 0.1, corrected by 0.271.
  step(*optimizer, parameters, -torch::ones(2), 1);
  CHECK(parameters[0].item<double>() ==
        Approx(-0.8044296 - 0.8807971 * (1 + 0.071 / 0.271)).epsilon(kFloatRounding));
}

}  // namespace
}  // namespace epochcast::real
