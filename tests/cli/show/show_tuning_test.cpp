// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_tuning.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

constexpr LearningTarget kFifth = {.metric = Metric::accuracy, .value = 0.2};

/// Two settings, tried with two seeds: the first reaches the target after 0.5 s, the second after
/// 0.6 s.
struct Tried {
  Tried() {
    for (const char* steps : {"2", "8"}) {
      choice.candidates.push_back({.name = "local-steps " + std::string(steps),
                                   .epoch_s = 0.2,
                                   .test_samples = 500,
                                   .classes = 10});
      JobConfig config;
      config.strategy = "local-sgd";
      config.of_strategies["local-steps"] = steps;
      choice.configs.push_back(config);
      CandidateOutcome outcome;
      outcome.curves = {Curve(1), Curve(1)};
      for (Curve& curve : outcome.curves) curve.front().training_s = 1;
      outcome.mean = steps == std::string("2") ? 0.5 : 0.6;
      outcome.deviation = 0.1;
      outcome.seeds_there = 2;
      tuning.outcomes.push_back(outcome);
    }
    choice.candidates.back().is_default = true;
    plan.goal = {.target = kFifth, .most_s = 1};
    plan.seeds = 2;
    tuning.verdict = Verdict::recommended;
    tuning.best = 0;
    tuning.runner_up = 1;
    tuning.confidence = 0.97;
  }

  [[nodiscard]] std::string text() const {
    return recommendation_text(choice, tuning, plan, {.workers = 4, .nodes = 2});
  }
  [[nodiscard]] nlohmann::ordered_json json() const {
    return tuning_json(choice, tuning, plan, "epochcast tune");
  }

  TuningChoice choice;
  Tuning tuning;
  TuningPlan plan;
};

TEST_CASE("a recommended setting comes with its confidence and the command to train with it") {
  const Tried tried;

  CHECK(tried.text() ==
        "Recommended: local-steps 2 - 500 ms +- 100 ms to accuracy 20.0 % (mean and standard "
        "deviation over 2 seeds)\n"
        "  Better than local-steps 8 with a confidence of 97.0 % (paired t test over seeds)\n"
        "  The default, local-steps 8: 600 ms +- 100 ms, 1.20 times as long\n"
        "  For real: epochcast train --strategy=local-sgd --local-steps=2 --ranks=4 "
        "--ranks-per-node=2\n");
  CHECK(tried.json().at("verdict") == "recommended");
  CHECK(tried.json().at("best") == "local-steps 2");
}

TEST_CASE("settings without a significant difference are listed, and none is recommended") {
  Tried tried;
  tried.tuning.verdict = Verdict::no_difference;
  tried.tuning.tied = {1};
  tried.tuning.confidence = 0.695;

  CHECK(tried.text() ==
        "No setting is recommended: there is nothing to choose between these.\n"
        "  local-steps 2: 500 ms +- 100 ms to accuracy 20.0 % (mean and standard deviation over 2 "
        "seeds)\n"
        "  local-steps 8: 600 ms +- 100 ms\n"
        "  The first one is better than local-steps 8 with a confidence of 69.5 % only (paired t "
        "test over seeds), not 95 %. More --seeds may show a difference.\n");
  CHECK(tried.json().at("verdict") == "no difference");
  CHECK(tried.json().at("best").is_null());
  CHECK(tried.json().at("ahead") == "local-steps 2");
  CHECK(tried.json().at("tied") == nlohmann::ordered_json::array({"local-steps 8"}));

  tried.tuning.outcomes[1].mean.reset();
  tried.tuning.outcomes[1].seeds_there = 1;
  tried.tuning.outcomes[1].fate = CandidateOutcome::Fate::given_up;
  tried.tuning.outcomes[1].reason = "after 1.00 s with 2 seeds, local-steps 2 is better";
  CHECK_THAT(tried.text(),
             Catch::Contains("  local-steps 8: target reached with 1 of 2 seeds after 1.00 s\n"));
  CHECK(tried.json().at("candidates").at(1).at("fate") ==
        "given up: after 1.00 s with 2 seeds, local-steps 2 is better");
}

TEST_CASE("accuracies near chance are no learning, in text and JSON alike") {
  Tried tried;
  tried.tuning.verdict = Verdict::nothing_learned;
  tried.tuning.chance = {.candidate = 1, .accuracy = 0.081, .p = 0.94};

  CHECK(tried.text() ==
        "Nothing was learned, and no setting is recommended: local-steps 8 classifies 8.1 % of 500 "
        "test samples correctly, which is not significantly above the 10.0 % of guessing among 10 "
        "classes (binomial test, p = 0.94).\n"
        "  Train for longer, with more --train-samples or another --learning-rate.\n");
  CHECK(tried.json().at("verdict") == "nothing learned");
  CHECK(tried.json().at("best").is_null());
  CHECK(tried.json().at("chance_p") == 0.94);
}

TEST_CASE("a mean at the target that not every seed has reached is reported as such") {
  Tried tried;
  tried.tuning.verdict = Verdict::not_reached;
  tried.tuning.best.reset();
  tried.tuning.front = {{.candidate = 1, .seconds = 0.588, .value = 0.21}};

  CHECK(tried.text() ==
        "No setting reached accuracy 20.0 % with every seed within 1.00 s of the cluster's time. "
        "Raise --epochs, or ask for less: --target-accuracy (the best mean over seeds was 21.0 %, "
        "after 588 ms; not every seed was there).\n");
  CHECK(tried.json().at("verdict") == "target not reached");
}

TEST_CASE("if every setting diverges within a time budget, none is recommended") {
  Tried tried;
  tried.tuning.verdict = Verdict::not_reached;
  tried.tuning.best.reset();
  tried.plan.goal = {.target = {}, .most_s = 1};

  CHECK(tried.text() == "No setting is recommended: with each of them the loss diverged.\n");
}

}  // namespace
}  // namespace epochcast::tests
