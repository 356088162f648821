// SPDX-License-Identifier: Apache-2.0
#include "real/run/exchange_timer.hpp"

#include <algorithm>

#include "strategies/training.hpp"

namespace epochcast::real {
namespace {

constexpr double kFewestTimed = 3;
constexpr double kMostTimed = 200;
constexpr double kTimedFor_s = 2;
constexpr double kMostOfFewest_s = 10;
/// Pause after an exchange as a share of its time, as in `measure messages`.
constexpr double kRest = 0.1;

}  // namespace

ExchangeTimer::ExchangeTimer(Fabric& fabric, const RunOptions& options)
    : fabric_(fabric),
      timed_({.all_reduce = "ring",
              .bytes = options.timed_exchange_bytes,
              .before_s = {},
              .after_s = {}}) {}

std::optional<TimedExchanges> ExchangeTimer::timed() const {
  return timed_.bytes > 0 ? std::optional(timed_) : std::nullopt;
}

std::vector<double> ExchangeTimer::now() {
  if (!(timed_.bytes > 0) || fabric_.self().role != Role::trains) return {};
  const Communicator& among = trainers(fabric_, timed_.all_reduce);
  if (among.size() < 2) return {};
  static_cast<void>(exchanges(among, 1));  // warm-up: sets up connections
  const double one_s = exchanges(among, 1).front();
  if (kFewestTimed * one_s > kMostOfFewest_s) return {};
  const double count = std::clamp(kTimedFor_s / one_s, kFewestTimed, kMostTimed);
  return exchanges(among, static_cast<std::int64_t>(count));
}

std::vector<double> ExchangeTimer::exchanges(const Communicator& among, std::int64_t count) {
  std::vector<double> own_s;
  for (std::int64_t i = 0; i < count; ++i) {
    const double before_s = fabric_.phases().exposed_communication_s;
    fabric_.all_reduce(floats_of_bytes(timed_.bytes), 1.0 / among.size(), among);
    own_s.push_back(fabric_.phases().exposed_communication_s - before_s);
    fabric_.compute(kRest * own_s.back(), "rest");
  }
  const SharedNumbers gathered = fabric_.all_gather_numbers(own_s, among);
  std::vector<double> slowest_s(own_s.size(), 0.0);
  for (std::size_t i = 0; i < gathered.values().size(); ++i) {
    double& slowest = slowest_s[i % slowest_s.size()];
    slowest = std::max(slowest, gathered.values()[i]);
  }
  return slowest_s;
}

}  // namespace epochcast::real
