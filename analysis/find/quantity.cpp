// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/quantity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/suggest.hpp"
#include "base/text/units.hpp"
#include "core/price.hpp"
#include "results/running_bill.hpp"

namespace epochcast {
namespace {

double epoch_s(const QuantityInput& input) { return input.run.epoch_s + input.longer_s; }

/// Seconds for the number of samples in the data set.
double dataset_s(const QuantityInput& input) {
  return input.run.dataset_s() * epoch_s(input) / input.run.epoch_s;
}

/// The share of a phase in an epoch, if that phase prolongs the epoch.
double share_of(const QuantityInput& input, double phase_s) {
  return std::max(0.0, phase_s + input.longer_s) / epoch_s(input);
}

/// Seconds to the target.
double target_s(const QuantityInput& input) {
  if (!input.run.target_samples)
    throw UserError("to-target: " + input.run.strategy +
                    " has no time to a target; expected --target and --curves with such a job");
  return *input.run.target_s() * epoch_s(input) / input.run.epoch_s;
}

/// Time of the reference over that of the run.
double speed_up(const QuantityInput& input) {
  return input.reference->dataset_s() / dataset_s(input);
}

/// The same to the target, if the job has one.
double faster(const QuantityInput& input) {
  const std::optional<double> reference_s = input.reference->target_s();
  if (!reference_s && !input.run.target_samples) return speed_up(input);
  if (!reference_s)
    throw UserError("to-target: " + input.reference->strategy +
                    " has no time to the target; expected --curves with such a job");
  return *reference_s / target_s(input);
}

double job_s(const QuantityInput& input) {
  return input.run.startup_s + static_cast<double>(input.run.epochs) * epoch_s(input);
}

/// Energy grows in proportion to the epoch's time.
double job_j(const QuantityInput& input) {
  const RunEnergy& energy = *input.run.energy;
  return energy.idle_w * input.run.startup_s + static_cast<double>(input.run.epochs) *
                                                   energy.epoch_j * epoch_s(input) /
                                                   input.run.epoch_s;
}

double bytes(const QuantityInput& input) {
  return input.run.intra_node_bytes + input.run.inter_node_bytes;
}

/// The reason for a missing bill: the note on it if the platform has a part of the figures, else
/// the platform's own reason.
std::string why_not(const RunResult& run, std::string_view note, const char* has_nothing) {
  for (const std::string& each : run.notes) {
    if (each.starts_with(note)) return run.platform + ": " + each.substr(note.size());
  }
  return run.platform + " " + has_nothing;
}

constexpr Quantity kQuantities[] = {
    {"epoch",
     QuantityUnit::seconds,
     Reference::none,
     "seconds of an epoch",
     [](const QuantityInput& input) { return epoch_s(input); }},
    {"all-data",
     QuantityUnit::seconds,
     Reference::none,
     "seconds for as many samples as the data set has",
     [](const QuantityInput& input) { return dataset_s(input); }},
    {"to-target",
     QuantityUnit::seconds,
     Reference::none,
     "seconds of training to --target, by --curves",
     [](const QuantityInput& input) { return target_s(input); }},
    {"job",
     QuantityUnit::seconds,
     Reference::none,
     "seconds of all epochs and the start",
     [](const QuantityInput& input) { return job_s(input); }},
    {"cost",
     QuantityUnit::money,
     Reference::none,
     "money for the whole job's nodes",
     [](const QuantityInput& input) {
       if (!input.run.cost) {
         throw UserError("cost: " + why_not(input.run,
                                            kNoCost,
                                            "has no prices; expected the cost of an hour of a node "
                                            "(\"price\")"));
       }
       return input.run.cost->rate.of(job_s(input));
     }},
    {"energy",
     QuantityUnit::joules,
     Reference::none,
     "energy that the whole job draws",
     [](const QuantityInput& input) {
       if (!input.run.energy) {
         throw UserError("energy: " + why_not(input.run,
                                              kNoEnergy,
                                              "has no power of its nodes (\"power\" in its file)"));
       }
       return job_j(input);
     }},
    {"exposed",
     QuantityUnit::share,
     Reference::none,
     "share of an epoch that exchanges take and computing does not hide",
     [](const QuantityInput& input) {
       return share_of(input, input.run.phases.exposed_communication_s);
     }},
    {"blocked",
     QuantityUnit::share,
     Reference::none,
     "share of an epoch in which workers wait for others",
     [](const QuantityInput& input) { return share_of(input, input.run.phases.blocked_s); }},
    {"compute",
     QuantityUnit::share,
     Reference::none,
     "share of an epoch in which workers compute",
     [](const QuantityInput& input) { return input.run.phases.compute_s / epoch_s(input); }},
    {"throughput",
     QuantityUnit::per_second,
     Reference::none,
     "samples per second of all workers",
     [](const QuantityInput& input) {
       return static_cast<double>(input.run.samples_per_epoch) / epoch_s(input);
     }},
    {"exchanged",
     QuantityUnit::bytes,
     Reference::none,
     "bytes that all workers send in an epoch",
     [](const QuantityInput& input) { return bytes(input); }},
    {"speed-up",
     QuantityUnit::factor,
     Reference::one_node,
     "how many times as fast as one node for as much data",
     speed_up},
    {"efficiency",
     QuantityUnit::share,
     Reference::one_node,
     "speed-up over one node, by how many times its workers there are",
     [](const QuantityInput& input) {
       return speed_up(input) * input.reference->trainers() / input.run.trainers();
     }},
};

constexpr Quantity kFaster = {"faster",
                              QuantityUnit::factor,
                              Reference::strategy,
                              "how many times as fast as another strategy for as much data, or to "
                              "--target",
                              faster};

}  // namespace

std::span<const Quantity> quantities() { return kQuantities; }

const Quantity& find_quantity(std::string_view name) {
  std::vector<std::string> known;
  for (const Quantity& quantity : kQuantities) {
    if (quantity.name == name) return quantity;
    known.emplace_back(quantity.name);
  }
  throw UserError(unknown_name("quantity", name, known));
}

const Quantity& faster_than() { return kFaster; }

std::string quantity_value_text(QuantityUnit unit, double value, const std::string& currency) {
  switch (unit) {
    case QuantityUnit::seconds:
      return format_seconds(value);
    case QuantityUnit::share:
      return format_percent(value, 2);
    case QuantityUnit::factor:
      return fmt::format("{:.2f}x", value);
    case QuantityUnit::bytes:
      return format_bytes(value);
    case QuantityUnit::per_second:
      return fmt::format("{:.4g}/s", value);
    case QuantityUnit::money:
      return format_money(value, currency);
    case QuantityUnit::joules:
      return format_energy(value);
  }
  return {};
}

}  // namespace epochcast
