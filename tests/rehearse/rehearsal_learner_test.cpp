// SPDX-License-Identifier: Apache-2.0
#include "rehearse/rehearsal_learner.hpp"

#include <stdexcept>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// Returns numbered buckets and records its calls.
class ScriptedLearner : public SamplingLearner {
 public:
  ScriptedLearner(std::string name, std::size_t buckets, std::vector<std::string>& log)
      : name_(std::move(name)), numbers_(buckets), log_(log) {}

  Payload parameters() override { return say("parameters"); }
  Payload gradients() override { return say("gradients"); }
  std::vector<Payload> buckets() override { return std::vector<Payload>(numbers_.size()); }
  void begin_epoch(std::int64_t) override { say("begin_epoch"); }
  void use_shuffled(const Share&) override { say("use_shuffled"); }
  Payload recorded_losses() override { return say("recorded_losses"); }
  void draw(const BiasedDraw&) override { say("draw"); }
  Payload gathered_losses(std::int64_t) override { return say("gathered_losses"); }
  Payload drawn_indices(const BiasedDraw&) override { return say("drawn_indices"); }
  void use_drawn(const Share&) override { say("use_drawn"); }
  void forward_backward(std::int64_t) override { say("forward_backward"); }
  void forward_backward(std::int64_t, const GradientReady& ready) override {
    for (float& number : numbers_) {
      say("bucket");
      ready(payload_of(std::span(&number, 1)));
    }
  }
  void forward_backward(std::int64_t, const LayerHooks& hooks) override {
    for (std::size_t bucket = numbers_.size(); bucket-- > 0;) {
      if (hooks.before_forward) hooks.before_forward(bucket);
    }
    for (std::size_t bucket = 0; bucket < numbers_.size(); ++bucket) {
      say("bucket");
      if (hooks.after_backward) hooks.after_backward(bucket);
    }
  }
  void step() override { say("step"); }
  void step_part(std::int64_t, std::int64_t, bool) override { say("step_part"); }
  void apply(Payload, std::int64_t, double, double) override { say("apply"); }
  void train(std::int64_t, std::int64_t) override { say("train"); }
  double benchmark(std::int64_t) override {
    say("benchmark");
    return 0.25;
  }

  [[nodiscard]] const float* bucket(std::size_t index) const { return &numbers_[index]; }

 private:
  Payload say(const std::string& what) {
    log_.push_back(name_ + " " + what);
    return payload_of_bytes(4);
  }

  std::string name_;
  std::vector<float> numbers_;
  std::vector<std::string>& log_;
};

TEST_CASE("a rehearsal computes with one learner and takes the time of the other") {
  std::vector<std::string> log;
  ScriptedLearner numbers("numbers", 2, log);
  ScriptedLearner time("time", 2, log);
  RehearsalLearner learner(numbers, time);

  learner.begin_epoch(0);
  learner.use_shuffled({});
  learner.forward_backward(8);
  learner.step();
  static_cast<void>(learner.parameters());
  CHECK(learner.benchmark(8) == 0.25);

  CHECK(log == std::vector<std::string>{"numbers begin_epoch",
                                        "time begin_epoch",
                                        "numbers use_shuffled",
                                        "time use_shuffled",
                                        "numbers forward_backward",
                                        "time forward_backward",
                                        "numbers step",
                                        "time step",
                                        "time parameters",
                                        "numbers parameters",
                                        "time benchmark"});
}

TEST_CASE("buckets are ready at their simulated time, with the computed numbers") {
  std::vector<std::string> log;
  ScriptedLearner numbers("numbers", 2, log);
  ScriptedLearner time("time", 2, log);
  RehearsalLearner learner(numbers, time);
  std::vector<const float*> ready;

  learner.forward_backward(8, [&](Payload bucket) {
    log.emplace_back("ready");
    ready.push_back(values<float>(bucket).data());
  });

  CHECK(ready == std::vector<const float*>{numbers.bucket(0), numbers.bucket(1)});
  CHECK(log ==
        std::vector<std::string>{
            "numbers bucket", "numbers bucket", "time bucket", "ready", "time bucket", "ready"});
}

TEST_CASE("without computing numbers, time passes and buckets are ready all the same") {
  std::vector<std::string> log;
  ScriptedLearner numbers("numbers", 2, log);
  ScriptedLearner time("time", 2, log);
  RehearsalLearner learner(numbers, time);
  int ready = 0;

  learner.compute(false);
  learner.begin_epoch(0);
  learner.forward_backward(8, [&](Payload) { ++ready; });
  learner.step();
  static_cast<void>(learner.recorded_losses());
  learner.compute(true);
  learner.begin_epoch(1);

  CHECK(ready == 2);
  CHECK(log == std::vector<std::string>{"time begin_epoch",
                                        "time bucket",
                                        "time bucket",
                                        "time step",
                                        "time recorded_losses",
                                        "numbers begin_epoch",
                                        "time begin_epoch"});
}

TEST_CASE("a model whose buckets differ from its file's is refused") {
  std::vector<std::string> log;
  ScriptedLearner numbers("numbers", 2, log);
  const auto ignore = [](Payload) {};

  ScriptedLearner fewer("time", 1, log);
  CHECK_THROWS_AS(RehearsalLearner(numbers, fewer).forward_backward(8, ignore), std::logic_error);
  ScriptedLearner more("time", 3, log);
  CHECK_THROWS_AS(RehearsalLearner(numbers, more).forward_backward(8, ignore), std::logic_error);
}

}  // namespace
}  // namespace epochcast::tests
