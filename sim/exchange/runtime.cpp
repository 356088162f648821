// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/runtime.hpp"

#include <exception>
#include <simgrid/s4u.hpp>
#include <utility>

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kPause_s = 1e-6;

}  // namespace

Runtime::Runtime(Cluster& cluster,
                 std::vector<WorkerInfo> workers,
                 const AllReduceChoice& all_reduce,
                 SimOptions options)
    : state_(cluster, std::move(workers), all_reduce, std::move(options)),
      messages_(state_),
      parts_(state_),
      contention_(state_),
      collectives_(state_, messages_, contention_),
      deals_(state_),
      loops_(state_) {
  const RuntimeParts parts = {.state = state_,
                              .messages = messages_,
                              .parts = parts_,
                              .contention = contention_,
                              .collectives = collectives_,
                              .deals = deals_,
                              .loops = loops_};
  const int count = static_cast<int>(state_.layout.workers().size());
  for (int rank = 0; rank < count; ++rank)
    fabrics_.push_back(std::make_unique<SimFabric>(parts, rank));
}

void Runtime::begin_pass(const PassOptions& pass) {
  state_.pass = pass;
  state_.clocks.begin_pass();
  state_.interference = Interference(state_.layout.node_count(), state_.clocks.origin_s());
  messages_.begin_pass();
  parts_.begin_pass();
  contention_.begin_pass();
  collectives_.begin_pass();
  deals_.begin_pass();
  loops_.begin_pass();
}

bool Runtime::run_pass(const std::function<void(Fabric&)>& program, const PassOptions& pass) {
  begin_pass(pass);
  const sg::SemaphorePtr done = sg::Semaphore::create(0);
  std::size_t running = fabrics_.size();  // workers that have not returned
  std::exception_ptr error;
  for (const std::unique_ptr<SimFabric>& fabric : fabrics_) {
    sg::Actor::create("worker", state_.layout.host(fabric->rank()), [&, worker = fabric.get()] {
      try {
        program(*worker);
      } catch (
          const std::exception&) {  // SimGrid's own kill signal is no std::exception and propagates
        if (!error) {
          error = std::current_exception();
          done->release();
        }
        return;
      }
      if (--running == 0) done->release();
    });
  }
  done->acquire();
  if (error) {
    sg::Actor::kill_all();
    std::rethrow_exception(error);
  }
  // SimGrid frees actors that have ended, with a stack of 256 KiB each, only when its clock moves.
  sg::this_actor::sleep_for(kPause_s);
  // Without acceleration its result is valid: a pass is repeated twice at most.
  const bool is_valid = !state_.interference.has_conflict() && !state_.clocks.was_late();
  Acceleration& acceleration = state_.options.acceleration;
  if (is_valid || acceleration == Acceleration::none) return true;
  acceleration = acceleration == Acceleration::all ? Acceleration::whole_loops : Acceleration::none;
  return false;
}

}  // namespace epochcast::sim
