// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/clocks.hpp"

#include <simgrid/s4u.hpp>

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kPrecision_s = 1e-13;  // SimGrid's own, set in sim/engine.cpp

}  // namespace

Clocks::Clocks(std::size_t workers) : workers_(workers) {
  wakes_.reserve(workers);
  for (std::size_t i = 0; i < workers; ++i) wakes_.push_back(sg::Semaphore::create(0));
}

void Clocks::begin_pass() {
  origin_s_ = sg::Engine::get_clock();
  was_late_ = false;
  std::fill(workers_.begin(), workers_.end(), WorkerClock{});
}

double Clocks::simgrid_s() const { return sg::Engine::get_clock() - origin_s_; }

double Clocks::rounding_now_s() const { return rounding_s(sg::Engine::get_clock()); }

void Clocks::sleep_until(double when_s) {
  const double now_s = simgrid_s();
  if (when_s > now_s + kPrecision_s) {
    sg::this_actor::sleep_until(origin_s_ + when_s);
  } else if (when_s < now_s - rounding_now_s()) {
    was_late_ = true;
  }
}

void Clocks::sleep(int rank) { wakes_[static_cast<std::size_t>(rank)]->acquire(); }

void Clocks::wake(int rank) { wakes_[static_cast<std::size_t>(rank)]->release(); }

}  // namespace epochcast::sim
