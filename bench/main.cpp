// SPDX-License-Identifier: Apache-2.0
// The speed of forecasts. Ratios come from one run with interleaved repetitions, so load affects
// both sides; nothing here fails because of a time.
#include <cstdio>
#include <functional>
#include <stdexcept>

#include "base/process/process_pool.hpp"
#include "bench/messages.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "core/costs/batch_cost.hpp"
#include "strategies/strategy.hpp"

namespace epochcast::bench {
namespace {

constexpr double kGiB = 1073741824.0;

struct Costs {
  std::vector<double> seconds;
  std::vector<double> processor_s;
  std::vector<double> gib;

  void add(const Cost& cost) {
    seconds.push_back(cost.seconds);
    processor_s.push_back(cost.processor_s);
    gib.push_back(cost.peak_bytes / kGiB);
  }
  /// On a busy machine, processor time is more reliable than the clock.
  [[nodiscard]] std::string remark() const {
    char text[48];
    std::snprintf(text, sizeof(text), "processor %.3f s", median_of(processor_s));
    return text;
  }
};

/// Numbers of tasks that need a process each, run one after the other.
std::vector<double> in_processes(const std::vector<std::function<double()>>& tasks) {
  std::vector<double> numbers(tasks.size());
  run_in_processes(
      tasks.size(),
      1,
      [&](std::size_t i) { return std::to_string(tasks[i]()); },
      [&](std::size_t i, const TaskAnswer& answer) {
        if (answer.ending != Ending::done)
          throw std::runtime_error("a process has failed: " + answer.problems.front());
        numbers[i] = std::stod(answer.text);
      });
  return numbers;
}

void measure_messages(const RingLoad& load) {
  constexpr int kRepetitions = 7;
  std::vector<std::function<double()>> tasks;
  for (int i = 0; i < kRepetitions; ++i) {
    tasks.emplace_back([&] { return bare_messages_per_s(load); });
    tasks.emplace_back([&] { return fabric_messages_per_s(load); });
  }
  const std::vector<double> rates = in_processes(tasks);
  std::vector<double> bare, ratios;
  for (std::size_t i = 0; i < rates.size(); i += 2) {
    bare.push_back(rates[i]);
    ratios.push_back(rates[i + 1] / rates[i]);
  }
  const std::string hosts = std::to_string(load.hosts) + " hosts";
  show("bare SimGrid, ring, " + hosts + ": messages/s", bare, "%.0f");
  report("ours / bare SimGrid, ring, " + hosts,
         ratios,
         {.bound = 0.8, .is_minimum = true, .format = "%.2f"});
}

void measure_one_forecast(const std::string& program, const Inputs& inputs) {
  constexpr int kRepetitions = 11;
  const std::string steady =
      "simulate --platform deep-est-esb --nodes 12 --network resnet50 --dataset cifar10 "
      "--strategy sync";
  const std::string noisy = "simulate --platform " + inputs.platform(12, 1, "amd-epyc-1thread") +
                            " --network resnet20 --dataset cifar10 --batch 32 --strategy sync";
  Costs without, with;
  for (int i = 0; i < kRepetitions; ++i) {
    without.add(run_program(program, steady));
    with.add(run_program(program, noisy));
  }
  const Target target = {.bound = 0.06, .is_minimum = false, .format = "%.3f s"};
  report("one strategy, 12 nodes, costs without spread", without.seconds, target, without.remark());
  report("one strategy, 12 nodes, costs with spread", with.seconds, target, with.remark());
}

void measure_sweep(const std::string& program) {
  Costs costs;
  for (int i = 0; i < 3; ++i) {
    costs.add(run_program(program,
                          "simulate --platform deep-est-esb --dataset cifar10 --batch 64 "
                          "--sweep nodes=4,8,12,16,32 --sweep network=resnet18,resnet50,vgg16"));
  }
  report("12 strategies x 5 node counts x 3 networks",
         costs.seconds,
         {.bound = 2, .is_minimum = false, .format = "%.2f s"},
         costs.remark());
}

/// The answer of `epochcast serve` after a change: medians of every strategy, 64 workers. The page
/// adds a forked process and a connection, a few milliseconds.
void measure_answer(const std::string& program) {
  constexpr int kRepetitions = 11;
  Costs all;
  for (int i = 0; i < kRepetitions; ++i) {
    all.add(run_program(program,
                        "simulate --platform deep-est-esb --nodes 64 --network resnet50 --dataset "
                        "imagenet --deterministic"));
  }
  report("every strategy, 64 workers, medians",
         all.seconds,
         {.bound = 0.1, .is_minimum = false, .format = "%.3f s"},
         all.remark());
}

void measure_scale(const std::string& program, const Inputs& inputs) {
  const std::string job =
      " --network resnet50 --dataset imagenet --batch 32 --epochs 1 --strategy sync";
  Costs flat, two_levels;
  for (int i = 0; i < 3; ++i) {
    flat.add(run_program(program,
                         "simulate --platform " + inputs.platform(1024, 1, "v100-32gb") + job +
                             " --all-reduce ring"));
    two_levels.add(run_program(program,
                               "simulate --platform " + inputs.platform(1250, 8, "v100-32gb") +
                                   job + " --all-reduce hierarchical"));
  }
  report("1,024 workers, ring, ImageNet",
         flat.seconds,
         {.bound = 3, .is_minimum = false, .format = "%.2f s"},
         flat.remark());
  report("  memory", flat.gib, {.bound = 1, .is_minimum = false, .format = "%.2f GiB"});
  report("10,000 workers, hierarchical, ImageNet",
         two_levels.seconds,
         {.bound = 30, .is_minimum = false, .format = "%.2f s"},
         two_levels.remark());
  report("  memory", two_levels.gib, {.bound = 4, .is_minimum = false, .format = "%.2f GiB"});
}

/// Jobs in which nobody waits: messages are simulated until the mean is known.
void measure_asynchrony(const std::string& program, const Inputs& inputs) {
  constexpr int kRepetitions = 3;
  constexpr long long kSamples = 10000LL * 64 * 32;
  const std::string job = "simulate --network resnet50 --batch 32 --epochs 1 --platform " +
                          inputs.platform(64, 1, "v100-32gb") + " --dataset " +
                          inputs.dataset(kSamples) + " --strategy ";
  for (const char* strategy : {"ps-async", "ssp", "fedbuff", "ad-psgd"}) {
    Costs costs;
    for (int i = 0; i < kRepetitions; ++i) costs.add(run_program(program, job + strategy));
    report("10,000 iterations, 64 workers, " + std::string(strategy),
           costs.processor_s,
           {.bound = 1, .is_minimum = false, .format = "%.2f s"},
           costs.remark());
  }
  Costs all;
  for (int i = 0; i < kRepetitions; ++i)
    all.add(run_program(program,
                        "simulate --platform four-sites --network resnet50 --dataset imagenet "
                        "--batch 64 --strategy all"));
  report("every strategy, four sites",
         all.seconds,
         {.bound = 2, .is_minimum = false, .format = "%.2f s"},
         all.remark());
}

/// Time of each strategy by the number of workers, with four GPUs and a CPU per node: it must not
/// grow quadratically.
void measure_growth(const std::string& program, const Inputs& inputs) {
  const std::string job =
      " --network resnet50 --dataset imagenet --batch 4 --epochs 2"
      " --batch-seconds gpu=10ms,cpu=20ms --all-reduce ring --platform ";
  constexpr int kFew = 2500 / 5;
  constexpr int kMany = 10000 / 5;
  for (const Strategy& strategy : strategies()) {
    std::string run = "simulate --strategy " + std::string(strategy.name);
    if (strategy.has("partition")) run += " --partition functional";
    if (strategy.has("local-steps")) run += " --local-steps 2";
    if (strategy.has("servers") && strategy.name != "byteps") run += " --servers 8";
    run += job;
    Costs few, many;
    few.add(run_program(program, run + inputs.mixed_platform(kFew)));
    many.add(run_program(program, run + inputs.mixed_platform(kMany)));
    const std::string what = "10,000 workers, " + std::string(strategy.name);
    report(
        what, many.seconds, {.bound = 15, .is_minimum = false, .format = "%.2f s"}, many.remark());
    report("  memory", many.gib, {.bound = 2, .is_minimum = false, .format = "%.2f GiB"});
    report("  processor time / that of 2,500 workers",
           {many.processor_s.front() / few.processor_s.front()},
           {.bound = 8, .is_minimum = false, .format = "%.1f"});
  }
  for (const std::string all_reduce : {"ring", "hierarchical"}) {
    Costs most;
    most.add(run_program(program,
                         "simulate --platform " + inputs.platform(6250, 8, "v100-32gb") +
                             " --network resnet50 --dataset imagenet --batch 4 --epochs 1 "
                             "--strategy sync --all-reduce " +
                             all_reduce));
    report("50,000 workers, sync, " + all_reduce,
           most.seconds,
           {.bound = 60, .is_minimum = false, .format = "%.2f s"},
           most.remark());
    report("  memory", most.gib, {.bound = 8, .is_minimum = false, .format = "%.2f GiB"});
  }
}

/// Time of an epoch of 10,000 iterations over that of 100.
void measure_length(const std::string& program, const Inputs& inputs, const std::string& model) {
  constexpr int kRepetitions = 7;
  constexpr long long kPerIteration = 12LL * 32;
  const std::string job = "simulate --network resnet20 --batch 32 --strategy sync --platform " +
                          inputs.platform(12, 1, model) + " --dataset ";
  std::vector<double> ratios;
  for (int i = 0; i < kRepetitions; ++i) {
    const Cost shorter = run_program(program, job + inputs.dataset(100 * kPerIteration));
    const Cost longer = run_program(program, job + inputs.dataset(10000 * kPerIteration));
    ratios.push_back(longer.seconds / shorter.seconds);
  }
  report("10,000 iterations / 100 iterations, " + model,
         ratios,
         {.bound = 1.2, .is_minimum = false, .format = "%.2f"});
}

/// Time of 90 epochs over that of two, where nodes start an epoch at different times.
void measure_long_job(const std::string& program) {
  constexpr int kRepetitions = 5;
  const std::string job =
      "simulate --platform dgx-a100 --network vgg16 --dataset imagenet --batch 16 "
      "--all-reduce binary-tree --strategy node-based --workers all "
      "--set network.bandwidth=10Gbps --deterministic --epochs ";
  std::vector<double> ratios;
  for (int i = 0; i < kRepetitions; ++i) {
    const Cost two = run_program(program, job + "2");
    const Cost ninety = run_program(program, job + "90");
    ratios.push_back(ninety.seconds / two.seconds);
  }
  report("90 epochs / 2 epochs, node-based",
         ratios,
         {.bound = 2, .is_minimum = false, .format = "%.2f"});
}

void run(const std::string& program) {
  const Inputs inputs;
  measure_messages({.hosts = 16, .all_reduces = 200});
  measure_messages({.hosts = 64, .all_reduces = 12});
  measure_one_forecast(program, inputs);
  measure_sweep(program);
  measure_answer(program);
  measure_length(program, inputs, "v100-32gb");         // no spread
  measure_length(program, inputs, "amd-epyc-1thread");  // spread
  measure_long_job(program);
  measure_asynchrony(program, inputs);
  measure_scale(program, inputs);
  measure_growth(program, inputs);
}

}  // namespace
}  // namespace epochcast::bench

int main(int count, char** values) {
  if (count != 2) {
    std::fprintf(stderr, "usage: epochcast-bench EPOCHCAST\n");
    return 2;
  }
  try {
    epochcast::bench::run(values[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "epochcast-bench: %s\n", error.what());
    return 1;
  }
}
