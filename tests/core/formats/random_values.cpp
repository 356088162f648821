// SPDX-License-Identifier: Apache-2.0
#include "tests/core/formats/random_values.hpp"

#include <optional>
#include <utility>

#include "tests/robustness/random_platform.hpp"

namespace epochcast::tests {
namespace {

Source random_source(Dice& dice) {
  Source source;
  source.grade = dice.one_of({Grade::measured, Grade::published, Grade::estimated});
  if (dice.chance(0.5)) source.note = random_text(dice);
  switch (source.grade) {
    case Grade::measured:
      source.machine = random_text(dice);
      source.date = "2026-11-2" + std::to_string(dice.between(0, 9));
      source.command = random_text(dice);
      for (int i = dice.between(0, 2); i > 0; --i)
        source.versions[random_text(dice)] = random_text(dice);
      break;
    case Grade::published:
      source.reference = random_text(dice);
      if (dice.chance(0.5)) source.method = random_text(dice);
      break;
    case Grade::extrapolated:  // of forecasts only
    case Grade::estimated:
      source.method = random_text(dice);
      if (dice.chance(0.5)) source.reference = random_text(dice);
      break;
  }
  return source;
}

CostTrace random_cost(Dice& dice, const TraceFile& trace, int number) {
  CostTrace cost;
  cost.device = trace.device;
  cost.network = "network-" + std::to_string(number);
  cost.input = {dice.between(1, 3), dice.between(1, 300)};
  cost.source = dice.chance(0.7) ? trace.source : random_source(dice);
  const bool has_parts = dice.chance(0.5);
  for (int batch = dice.between(1, 3); batch > 0; --batch) {
    for (int session = 0; session < 2; ++session) {
      for (int rank = 0; rank < number; ++rank) {
        BatchSamples samples;
        samples.batch = 100 / batch;
        samples.session = 3 * session;
        samples.rank = rank;
        const int count = dice.between(1, 20);
        samples.total_s = random_samples(dice, count);
        if (has_parts) {
          for (auto part : {&BatchSamples::load_s,
                            &BatchSamples::forward_s,
                            &BatchSamples::backward_s,
                            &BatchSamples::step_s})
            samples.*part = random_samples(dice, count);
        }
        cost.batches.push_back(std::move(samples));
      }
    }
  }
  if (dice.chance(0.5)) {
    const double share = dice.magnitude(0.01, 0.99);
    cost.backward_layers = {{.name = "fc", .share = share}, {.name = "conv", .share = 1 - share}};
  }
  if (dice.chance(0.5)) {
    const int count = dice.between(1, 6);
    cost.overlap = {{.batch = dice.between(1, 64),
                     .session = dice.between(0, 2),
                     .rank = dice.between(0, 2),
                     .all_reduce = "ring",
                     .bytes = static_cast<double>(dice.between(1, 1'000'000)),
                     .batch_alone_s = random_samples(dice, count),
                     .batch_s = random_samples(dice, count),
                     .exchange_alone_s = random_samples(dice, count),
                     .exchange_s = random_samples(dice, count)}};
  }
  return cost;
}

NetworkLayer random_layer(Dice& dice) {
  NetworkLayer layer = {.name = random_text(dice)};
  for (int i = dice.between(0, 2); i > 0; --i)
    layer.tensors.push_back({random_text(dice), {kClasses, dice.between(1, 1000)}});
  for (auto figure : {&NetworkLayer::forward_flops,
                      &NetworkLayer::activation_bytes,
                      &NetworkLayer::forward_flops_per_class,
                      &NetworkLayer::activation_bytes_per_class})
    layer.*figure = dice.chance(0.3) ? 0 : dice.magnitude(0.1, 1e15);
  return layer;
}

PowerDraw random_power(Dice& dice) {
  const double idle_w = dice.chance(0.2) ? 0 : dice.magnitude(1e-2, 1e3);
  return {.idle_w = idle_w,
          .busy_w = idle_w + dice.magnitude(1e-2, 1e3),
          .source = random_source(dice)};
}

PhaseTimes random_phases(Dice& dice) {
  return {.compute_s = dice.magnitude(1e-9, 1e9),
          .exposed_communication_s = dice.magnitude(1e-9, 1e9),
          .blocked_s = dice.chance(0.5) ? 0 : dice.magnitude(1e-9, 1e9)};
}

}  // namespace

std::string random_text(Dice& dice) {
  return dice.one_of<std::string>({"a", "Some CPU, 2 cores", "\"q\"\\/", "Zürich 90 %", "x~1/y"});
}

std::vector<double> random_samples(Dice& dice, int count) {
  std::vector<double> samples_s;
  samples_s.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) samples_s.push_back(dice.magnitude(1e-9, 1e3));
  return samples_s;
}

TraceFile random_trace(Dice& dice, const std::string& file) {
  TraceFile trace;
  trace.name = "trace";
  trace.title = random_text(dice);
  trace.device = "device";
  trace.source = random_source(dice);
  for (int number = dice.between(1, 3); number > 0; --number)
    trace.costs.push_back(random_cost(dice, trace, number));
  for (CostTrace& cost : trace.costs) cost.file = file;
  return trace;
}

MessageTrace random_message_trace(Dice& dice, const std::string& file) {
  MessageTrace trace = {.file = file,
                        .name = "messages",
                        .title = random_text(dice),
                        .source = random_source(dice),
                        .node_of_rank = {0, dice.between(0, 1), 2}};
  for (int i = dice.between(1, 5); i > 0; --i) {
    trace.costs.push_back(
        {.kind = dice.one_of<std::string>({"ping-pong", "opposite", "hub-step", "all-reduce"}),
         .scope = dice.one_of<std::string>({"node", "between", "all"}),
         .algorithm = dice.one_of<std::string>({"", "ring"}),
         .nodes = {},
         .bytes = dice.between(0, 1 << 30),
         .samples_s = random_samples(dice, dice.between(1, 50))});
    MessageCost& cost = trace.costs.back();
    const bool is_of_some = cost.kind == "opposite" || cost.kind == "hub-step";
    if (cost.scope == "between" && is_of_some) cost.nodes = {dice.between(0, 1), 2};
  }
  return trace;
}

Platform random_platform_of_file(Dice& dice, const std::string& file) {
  Platform platform = random_platform(dice, {});
  platform.path = file;
  platform.title = random_text(dice);
  platform.source = random_source(dice);
  const auto complete = [&](std::optional<MessageCosts>& messages) {
    if (!messages) return;
    messages->uncertainty = dice.magnitude(1e-6, 1);
    for (int i = dice.between(0, 3); i > 0; --i) {
      messages->all_reduces.push_back({.algorithm = dice.chance(0.5) ? "ring" : "openmpi",
                                       .bytes = static_cast<double>(dice.between(4, 1 << 25)),
                                       .measured_s = dice.magnitude(1e-6, 1),
                                       .forecast_s = dice.magnitude(1e-6, 1)});
    }
    if (dice.chance(0.5))
      messages->measured_on =
          MeasuredOn{.nodes = dice.between(1, 64), .ranks_per_node = dice.between(1, 8)};
    if (dice.chance(0.5)) messages->notes = {random_text(dice), random_text(dice)};
  };
  for (NodeGroup& group : platform.nodes) {
    for (DeviceGroup& device : group.devices) {
      if (dice.chance(0.5)) device.memory_bytes = dice.magnitude(1e9, 1e12);
      if (dice.chance(0.2)) device.memory_bytes = 32 * 0x1p30;
      device.is_worker = dice.chance(0.5);
      if (dice.chance(0.5)) device.power = random_power(dice);
      if (dice.chance(0.5)) {
        device.overlap = DeviceOverlap{.batch_slowdown = dice.magnitude(1, 1000),
                                       .exchange_slowdown = dice.magnitude(1, 1000),
                                       .source = random_source(dice)};
      }
    }
    if (dice.chance(0.5)) group.power = random_power(dice);
    if (dice.chance(0.5))
      group.price =
          NodePrice{.rate = {dice.magnitude(1e-3, 1e6), "EUR"}, .source = random_source(dice)};
    if (group.uplink) {
      group.uplink->source = random_source(dice);
      complete(group.uplink->messages);
    }
    if (!group.interconnect) continue;
    group.interconnect->source = random_source(dice);
    complete(group.interconnect->messages);
  }
  if (platform.network) {
    platform.network->source = random_source(dice);
    complete(platform.network->messages);
  }
  return platform;
}

NetworkFile random_network(Dice& dice) {
  NetworkFile network = {
      .name = "network", .title = random_text(dice), .source = random_source(dice), .variants = {}};
  for (int i = dice.between(1, 2); i > 0; --i) {
    NetworkVariant variant = {.input = {dice.between(1, 3), 224}, .buffers = dice.between(0, 999)};
    if (dice.chance(0.5)) variant.note = random_text(dice);
    for (int layers = dice.between(1, 3); layers > 0; --layers)
      variant.layers.push_back(random_layer(dice));
    network.variants.push_back(std::move(variant));
  }
  return network;
}

RunResult random_run(Dice& dice) {
  RunResult run;
  for (auto text :
       {&RunResult::strategy, &RunResult::platform, &RunResult::network, &RunResult::dataset})
    run.*text = random_text(dice);
  run.nodes = dice.between(1, 1000);
  run.workers = dice.between(1, 1000);
  for (auto count : {&RunResult::batch,
                     &RunResult::epochs,
                     &RunResult::iterations_per_epoch,
                     &RunResult::rounds_per_epoch,
                     &RunResult::samples_per_epoch,
                     &RunResult::train_samples})
    run.*count = std::int64_t{dice.between(0, 1 << 30)} << dice.between(0, 20);
  run.epoch_s = dice.magnitude(1e-9, 1e9);
  if (dice.chance(0.5))
    run.epoch_s_interval = {.low_s = dice.magnitude(1e-9, 1), .high_s = dice.magnitude(1, 1e9)};
  run.startup_s = dice.magnitude(1e-9, 1e9);
  run.phases = random_phases(dice);
  run.intra_node_bytes = dice.magnitude(1, 1e20);
  run.inter_node_bytes = dice.magnitude(1, 1e20);
  run.input_grade = dice.one_of({Grade::measured, Grade::published, Grade::estimated});
  for (int i = dice.between(0, 2); i > 0; --i) run.notes.push_back(random_text(dice));
  for (int i = dice.between(0, 2); i > 0; --i) {
    run.by_device.push_back({.device_class = "gpu",
                             .model = random_text(dice),
                             .role = dice.one_of<std::string>({"trains", "sums"}),
                             .workers = dice.between(0, 100),
                             .batch = dice.between(0, 100),
                             .local_steps = dice.between(0, 100),
                             .phases = random_phases(dice)});
  }
  for (int i = dice.between(0, 2); i > 0; --i) {
    run.timed_batches.push_back({.rank = dice.between(0, 100),
                                 .before_s = dice.magnitude(1e-6, 1e3),
                                 .after_s = dice.magnitude(1e-6, 1e3)});
  }
  if (dice.chance(0.5))
    run.timed_exchanges = {.all_reduce = random_text(dice),
                           .bytes = dice.magnitude(4, 1e12),
                           .before_s = {dice.magnitude(1e-6, 1e3)},
                           .after_s = {}};
  if (dice.chance(0.5))
    run.cost = RunCost{.rate = {dice.magnitude(1e-6, 1e9), "USD"},
                       .grade = dice.one_of({Grade::published, Grade::estimated})};
  if (dice.chance(0.5))
    run.energy = RunEnergy{.idle_w = dice.magnitude(1e-3, 1e9),
                           .epoch_j = dice.magnitude(1e-3, 1e15),
                           .grade = dice.one_of({Grade::published, Grade::estimated})};
  run.config = {{"platform", random_text(dice)}, {"batch", random_text(dice)}, {"a", ""}};
  return run;
}

Curve random_curve(Dice& dice) {
  Curve curve;
  const auto maybe = [&](double low, double high) {
    return dice.chance(0.5) ? std::optional(dice.magnitude(low, high)) : std::nullopt;
  };
  for (int epoch = 1; epoch <= dice.between(1, 4); ++epoch) {
    const double before_s = curve.empty() ? 0 : curve.back().training_s;
    curve.push_back({.epoch = epoch,
                     .epoch_s = maybe(1e-3, 1e5),
                     .training_s = before_s + dice.magnitude(1e-3, 1e5),
                     .samples = dice.magnitude(1, 1e12),
                     .bytes_sent = dice.magnitude(1, 1e15),
                     .learning_rate = dice.magnitude(1e-6, 1),
                     .train_loss = dice.magnitude(1e-6, 10),
                     .train_accuracy = maybe(0.01, 1),
                     .test_loss = -dice.magnitude(1e-6, 10),
                     .test_accuracy = maybe(0.01, 1),
                     .discriminator_loss = maybe(1e-6, 10),
                     .generator_loss = maybe(1e-6, 10)});
  }
  return curve;
}

}  // namespace epochcast::tests
