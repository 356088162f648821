// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/quantity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/suggest.hpp"
#include "base/text/units.hpp"
#include "core/job/running_bill.hpp"
#include "core/price.hpp"

namespace epochcast {
namespace {

double epoch_s(const Sighting& seen) { return seen.run.epoch_s + seen.longer_s; }

/// Seconds for the number of samples in the data set.
double dataset_s(const Sighting& seen) {
  return seen.run.dataset_s() * epoch_s(seen) / seen.run.epoch_s;
}

/// The share of a phase in an epoch, if that phase prolongs the epoch.
double share_of(const Sighting& seen, double phase_s) {
  return std::max(0.0, phase_s + seen.longer_s) / epoch_s(seen);
}

/// Time of the reference over that of the run.
double speed_up(const Sighting& seen) { return seen.reference->dataset_s() / dataset_s(seen); }

double job_s(const Sighting& seen) {
  return seen.run.startup_s + static_cast<double>(seen.run.epochs) * epoch_s(seen);
}

/// Energy grows in proportion to the epoch's time.
double job_j(const Sighting& seen) {
  const RunEnergy& energy = *seen.run.energy;
  return energy.idle_w * seen.run.startup_s +
         static_cast<double>(seen.run.epochs) * energy.epoch_j * epoch_s(seen) / seen.run.epoch_s;
}

double bytes(const Sighting& seen) { return seen.run.intra_node_bytes + seen.run.inter_node_bytes; }

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
     [](const Sighting& seen) { return epoch_s(seen); }},
    {"all-data",
     QuantityUnit::seconds,
     Reference::none,
     "seconds for as many samples as the data set has",
     [](const Sighting& seen) { return dataset_s(seen); }},
    {"job",
     QuantityUnit::seconds,
     Reference::none,
     "seconds of all epochs and the start",
     [](const Sighting& seen) { return job_s(seen); }},
    {"cost",
     QuantityUnit::money,
     Reference::none,
     "money for the whole job's nodes",
     [](const Sighting& seen) {
       if (!seen.run.cost) {
         throw UserError("cost: " + why_not(seen.run,
                                            kNoCost,
                                            "has no prices; expected the cost of an hour of a node "
                                            "(\"price\")"));
       }
       return seen.run.cost->rate.of(job_s(seen));
     }},
    {"energy",
     QuantityUnit::joules,
     Reference::none,
     "energy that the whole job draws",
     [](const Sighting& seen) {
       if (!seen.run.energy) {
         throw UserError("energy: " + why_not(seen.run,
                                              kNoEnergy,
                                              "has no power of its nodes (\"power\" in its file)"));
       }
       return job_j(seen);
     }},
    {"exposed",
     QuantityUnit::share,
     Reference::none,
     "share of an epoch that exchanges take and computing does not hide",
     [](const Sighting& seen) { return share_of(seen, seen.run.phases.exposed_communication_s); }},
    {"blocked",
     QuantityUnit::share,
     Reference::none,
     "share of an epoch in which workers wait for others",
     [](const Sighting& seen) { return share_of(seen, seen.run.phases.blocked_s); }},
    {"compute",
     QuantityUnit::share,
     Reference::none,
     "share of an epoch in which workers compute",
     [](const Sighting& seen) { return seen.run.phases.compute_s / epoch_s(seen); }},
    {"throughput",
     QuantityUnit::per_second,
     Reference::none,
     "samples per second of all workers",
     [](const Sighting& seen) {
       return static_cast<double>(seen.run.samples_per_epoch) / epoch_s(seen);
     }},
    {"exchanged",
     QuantityUnit::bytes,
     Reference::none,
     "bytes that all workers send in an epoch",
     [](const Sighting& seen) { return bytes(seen); }},
    {"speed-up",
     QuantityUnit::factor,
     Reference::one_node,
     "how many times as fast as one node for as much data",
     speed_up},
    {"efficiency",
     QuantityUnit::share,
     Reference::one_node,
     "speed-up over one node, by how many times its workers there are",
     [](const Sighting& seen) {
       return speed_up(seen) * seen.reference->trainers() / seen.run.trainers();
     }},
};

constexpr Quantity kFaster = {"faster",
                              QuantityUnit::factor,
                              Reference::strategy,
                              "how many times as fast as another strategy for as much data",
                              speed_up};

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
