// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/exchange/interference.hpp"
#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kPause_s = 1e-6;
constexpr double kPrecision_s = 1e-13;  // SimGrid's own, set in sim/engine.cpp

}  // namespace

Runtime::Runtime(Cluster& cluster,
                 std::vector<WorkerInfo> workers,
                 const AllReduceChoice& all_reduce,
                 SimOptions options)
    : cluster_(cluster), workers_(std::move(workers)), options_(std::move(options)) {
  std::vector<int> everybody;
  std::map<int, std::vector<int>> by_node;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const int index = static_cast<int>(i);
    node_count_ = std::max(node_count_, workers_[i].node + 1);
    everybody.push_back(index);
    by_node[workers_[i].node].push_back(index);
    ranks_.push_back(std::make_unique<Rank>(*this, index));
    ranks_.back()->host = cluster.host(workers_[i].node, workers_[i].device);
    ranks_.back()->has_contention = workers_[i].overlap.counts();
    overlap_costs_ = overlap_costs_ || workers_[i].overlap.counts();
    largest_contention_ = std::max(largest_contention_, workers_[i].overlap.exchange_slowdown);
  }
  intern(everybody, all_reduce);
  for (const auto& [node, members] : by_node) {
    const CommunicatorState& state = intern(members, all_reduce);
    for (const int member : members) rank(member).fabric.set_node(state.communicator.id);
  }
}

Runtime::~Runtime() = default;

Runtime::CommunicatorState& Runtime::intern(std::vector<int> ranks,
                                            const AllReduceChoice& all_reduce) {
  // Nodes have a communicator each: a search among all would be quadratic.
  std::vector<CommunicatorState*>& alike = communicators_from_[ranks.front()];
  for (CommunicatorState* known : alike) {
    const Communicator& communicator = known->communicator;
    if (communicator.all_reduce == all_reduce && communicator.ranks == ranks) return *known;
  }
  auto state = std::make_unique<CommunicatorState>();
  state->communicator = {.id = static_cast<int>(communicators_.size()),
                         .ranks = std::move(ranks),
                         .all_reduce = all_reduce};
  const auto& members = state->communicator.ranks;
  state->footprint = footprint_of(members);
  state->barrier_s = barrier_s(members);
  state->calls_reached.assign(members.size(), 0);
  state->loops_entered.assign(members.size(), 0);
  alike.push_back(state.get());
  communicators_.push_back(std::move(state));
  return *communicators_.back();
}

Footprint Runtime::footprint_of(const std::vector<int>& ranks) const {
  std::set<std::size_t> nodes;
  for (const int index : ranks) {
    nodes.insert(static_cast<std::size_t>(workers_[static_cast<std::size_t>(index)].node));
  }
  Footprint footprint{{nodes.begin(), nodes.end()}};
  // Servers are ranked last, wherever their nodes are: the last rank need not be on the last node.
  if (nodes.size() > 1 || !cluster_.has_separate_nodes())
    footprint.slots.push_back(static_cast<std::size_t>(node_count_));
  return footprint;
}

double Runtime::clock_s() const { return sg::Engine::get_clock() - origin_s_; }

void Runtime::sleep_until(double when_s) {
  const double now_s = clock_s();
  if (when_s > now_s + kPrecision_s) {
    sg::this_actor::sleep_until(origin_s_ + when_s);
  } else if (when_s < now_s - rounding_s(sg::Engine::get_clock())) {
    // SimGrid's clock is past this worker's: a replayed operation should have been
    // simulated.
    interference_->set_conflict();
  }
}

Traffic Runtime::traffic_between(int from, int to, double bytes) const {
  const bool is_inside =
      workers_[static_cast<std::size_t>(from)].node == workers_[static_cast<std::size_t>(to)].node;
  return {.intra_node_bytes = is_inside ? bytes : 0, .inter_node_bytes = is_inside ? 0 : bytes};
}

Runtime::Path& Runtime::path(int from, int to, int channel) {
  const auto key = (static_cast<std::uint64_t>(channel) << 62) |
                   (static_cast<std::uint64_t>(from) << 31) | static_cast<std::uint64_t>(to);
  Path& known = paths_[key];
  if (known.mailbox == nullptr) {
    const auto node_of = [this](int index) {
      return workers_[static_cast<std::size_t>(index)].node;
    };
    known.mailbox = sg::Mailbox::by_name(std::to_string(key));
    known.route = cluster_.route(rank(from).host, node_of(from), rank(to).host, node_of(to));
  }
  return known;
}

void Runtime::begin_pass(const PassOptions& pass) {
  pass_ = pass;
  origin_s_ = sg::Engine::get_clock();
  interference_ = std::make_unique<Interference>(static_cast<std::size_t>(node_count_), origin_s_);
  for (const auto& rank : ranks_) {
    rank->local_s = rank->skipped_s = rank->stream_free_s = 0;
    rank->phases = {};
    rank->traffic = {};
    rank->loops.clear();
    rank->loops_entered.clear();
    rank->changes = 0;
    rank->stream.clear();
    rank->busy.clear();
    rank->moving = nullptr;
    rank->is_computing = rank->is_pacing = false;
  }
  for (auto& [key, path] : paths_) path.offered = path.asked = nullptr;
  for (const auto& state : communicators_) {
    state->calls.clear();
    state->first_call = 0;
    state->loops.clear();
    std::fill(state->calls_reached.begin(), state->calls_reached.end(), 0);
    std::fill(state->loops_entered.begin(), state->loops_entered.end(), 0);
  }
}

bool Runtime::run_pass(const std::function<void(Fabric&)>& program, const PassOptions& pass) {
  begin_pass(pass);
  done_ = sg::Semaphore::create(0);
  running_ = ranks_.size();
  for (const auto& each : ranks_) {
    Rank* rank = each.get();
    rank->actor = sg::Actor::create("worker", rank->host, [this, rank, &program] {
      try {
        program(rank->fabric);
      } catch (
          const std::exception&) {  // SimGrid's own kill signal is no std::exception and propagates
        if (!error_) {
          error_ = std::current_exception();
          done_->release();
        }
        return;
      }
      if (--running_ == 0) done_->release();
    });
  }
  done_->acquire();
  if (error_) {
    sg::Actor::kill_all();
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
  // SimGrid frees actors that have ended, with a stack of 256 KiB each, only when its clock moves.
  sg::this_actor::sleep_for(kPause_s);
  // Without acceleration in a full pass its result is valid: a pass is repeated once at most.
  if (!interference_->has_conflict() || !options_.is_accelerated) return true;
  options_.is_accelerated = false;
  return false;
}

}  // namespace epochcast::sim
