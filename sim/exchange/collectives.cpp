// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/collectives.hpp"

#include <algorithm>
#include <limits>
#include <simgrid/s4u.hpp>
#include <utility>

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Collectives::Collectives(RuntimeState& state, Messages& messages, Contention& contention)
    : state_(state),
      messages_(messages),
      contention_(contention),
      costs_(state),
      streams_(kStreams * state.layout.workers().size()) {
  for (WorkerStream& stream : streams_) stream.work = sg::Semaphore::create(0);
}

void Collectives::begin_pass() {
  for (WorkerStream& stream : streams_) {
    stream.calls.clear();
    stream.free_s = 0;
    stream.busy.clear();
  }
  calls_.clear();
}

std::shared_ptr<CollectiveCall> Collectives::next_call(const Communicator& among, int member) {
  const auto id = static_cast<std::size_t>(among.id);
  if (id >= calls_.size()) calls_.resize(id + 1);
  Calls& calls = calls_[id];
  const auto size = among.ranks.size();
  calls.reached.resize(size, 0);
  const std::int64_t sequence = calls.reached[static_cast<std::size_t>(member)]++;
  const auto place = static_cast<std::size_t>(sequence - calls.first);
  if (place == calls.open.size()) {
    auto call = std::make_shared<CollectiveCall>();
    call->among = &among;
    call->arrival_s.assign(size, 0);
    call->end_s.assign(size, kNever);
    call->is_awaited.assign(size, false);
    call->uncontended_s.assign(size, 0);
    calls.open.push_back(std::move(call));
  }
  std::shared_ptr<CollectiveCall> call = calls.open[place];
  if (++call->reached == among.size()) {
    calls.open.pop_front();  // members reach calls in order, so the first call is complete first
    ++calls.first;
  }
  return call;
}

void Collectives::join(const std::shared_ptr<CollectiveCall>& call, int member) {
  const auto place = static_cast<std::size_t>(member);
  const WorkerClock& clock = state_.clocks.of(call->among->ranks[place]);
  if (contention_.concerns(*call))
    state_.clocks.sleep_until(clock.local_s);  // computation depends on it
  call->arrival_s[place] = clock.local_s;
  WorkerStream& stream = stream_of(*call, member);
  stream.calls.push_back(call);
  if (stream.calls.size() == 1) reach_head(call);
}

// By value: the streams release a call while it ends.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void Collectives::reach_head(std::shared_ptr<CollectiveCall> call) {
  if (++call->heads == call->among->size()) start(call);
}

void Collectives::start(const std::shared_ptr<CollectiveCall>& shared) {
  CollectiveCall& call = *shared;
  double last_s = 0;
  for (int member = 0; member < call.among->size(); ++member) {
    const double arrival_s = call.arrival_s[static_cast<std::size_t>(member)];
    last_s = std::max({last_s, arrival_s, stream_of(call, member).free_s});
  }
  call.start_s = last_s;
  call.progress.at_s = call.start_s;
  if (call.has_numbers()) {
    if (call.is_sum()) call.schedule = costs_.schedule_of(call);
    move_numbers(call, call.schedule.get());
  }
  if (!ends_at_once(call)) simulate(shared);
}

bool Collectives::ends_at_once(CollectiveCall& call) {
  const auto end_after = [&](double seconds) {
    for (int member = 0; member < call.among->size(); ++member)
      end(call, member, call.start_s + seconds, {});
    return true;
  };
  if (call.kind == CollectiveCall::Kind::barrier || call.among->size() == 1) return end_after(0);
  if (contention_.concerns(call)) return false;  // its end depends on computation until then
  if (const auto seconds = costs_.fixed_s(call)) return end_after(*seconds);
  return replay(call);
}

bool Collectives::replay(CollectiveCall& call) {
  const LearnedCost* const cost = costs_.begin_replay(call);
  if (cost == nullptr) return false;
  for (std::size_t member = 0; member < cost->duration_s.size(); ++member) {
    end(call,
        static_cast<int>(member),
        call.start_s + cost->duration_s[member],
        cost->traffic[member]);
  }
  return true;
}

void Collectives::simulate(const std::shared_ptr<CollectiveCall>& shared) {
  CollectiveCall& call = *shared;
  // Streams ask, too, but only a worker's errors are reported.
  static_cast<void>(costs_.fixed_s(call));
  call.schedule = costs_.schedule_of(call);
  call.measured_factor = costs_.measured_factor(call);
  call.transport = costs_.transport_of(call);
  call.ahead_s = messages_.ahead_s(call);
  call.rounds = std::make_unique<RoundSkipper>(*call.schedule,
                                               state_.options.acceleration == Acceleration::all,
                                               [this, &call] { return costs_.is_alone(call); });
  for (int member = 0; member < call.among->size(); ++member) {
    const int rank = call.among->ranks[static_cast<std::size_t>(member)];
    WorkerStream& stream = stream_of(call, member);
    stream.to_simulate.push_back(shared);
    if (!stream.actor) {
      stream.actor = sg::Actor::create("stream", state_.layout.host(rank), [this, rank, &stream] {
        serve_stream(rank, stream);
      });
      stream.actor->daemonize();
    }
    stream.work->release();
  }
}

void Collectives::serve_stream(int rank, WorkerStream& stream) {
  while (true) {
    stream.work->acquire();
    const std::shared_ptr<CollectiveCall> call = stream.to_simulate.front();
    stream.to_simulate.pop_front();
    simulate_member(call, call->among->member_of(rank));
  }
}

void Collectives::simulate_member(const std::shared_ptr<CollectiveCall>& shared, int member) {
  CollectiveCall& call = *shared;
  state_.clocks.sleep_until(call.start_s);
  if (contention_.concerns(call)) {
    simulate_beside(shared, member);
    return;
  }
  if (!call.token && !call.is_replayed) {
    // The conflict that prevented a replay at the last arrival may have ended by the start.
    call.is_replayed = true;  // first: replay() lets the other members' streams run
    if (!replay(call)) {
      call.is_replayed = false;
      costs_.begin_simulated(call);
    }
  }
  if (call.is_replayed) return;
  end_simulated(call, member, simulate_rounds(call, member));
}

void Collectives::simulate_beside(const std::shared_ptr<CollectiveCall>& shared, int member) {
  CollectiveCall& call = *shared;
  const auto place = static_cast<std::size_t>(member);
  const std::optional<double> fixed = costs_.fixed_s(call);
  if (!fixed && !call.token && call.replayed == nullptr) {
    call.replayed = costs_.begin_slowed_replay(call);
    if (call.replayed == nullptr) costs_.begin_simulated(call);
  }
  contention_.begin_moving(shared, member);
  if (fixed) {
    contention_.pace(call, member, *fixed);
    end(call, member, state_.clocks.simgrid_s(), {});
  } else if (call.replayed != nullptr) {
    contention_.pace(call, member, call.replayed->duration_s[place]);
    // Before end(), as in end_simulated().
    if (++call.finished == call.among->size()) costs_.end_slowed_replay(call);
    end(call, member, state_.clocks.simgrid_s(), call.replayed->traffic[place]);
  } else {
    const Traffic sent = simulate_rounds(call, member);
    contention_.pace(call, member, call.uncontended_s[place]);
    end_simulated(call, member, sent);
  }
}

Traffic Collectives::simulate_rounds(CollectiveCall& call, int member) {
  const std::int64_t rounds = call.schedule->rounds(member);
  const int rank = call.among->ranks[static_cast<std::size_t>(member)];
  sg::Host* const host =
      call.transport ? state_.layout.channel_host(rank) : state_.layout.host(rank);
  if (sg::this_actor::get_host() != host) sg::this_actor::set_host(host);
  double ready_s = state_.clocks.simgrid_s() + call.ahead_s;  // for the next round
  for (std::int64_t index = 0; index < rounds;) {
    Traffic traffic;
    const Round round = call.schedule->round(member, index);
    ready_s = messages_.simulate_round(call, member, round, ready_s, traffic);
    index = call.rounds->completed(member, index, ready_s, traffic);
  }
  state_.clocks.sleep_until(ready_s + call.rounds->omitted_s(member));
  call.uncontended_s[static_cast<std::size_t>(member)] = state_.clocks.simgrid_s() - call.start_s;
  return call.rounds->traffic(member);
}

void Collectives::end_simulated(CollectiveCall& call, int member, const Traffic& sent) {
  const double end_s = state_.clocks.simgrid_s();
  call.end_s[static_cast<std::size_t>(member)] = end_s;
  // Before end(): that wakes the worker, which may start the next call at once.
  if (++call.finished == call.among->size()) costs_.end_simulated(call);
  end(call, member, end_s, sent);
}

void Collectives::end(CollectiveCall& call, int member, double end_s, const Traffic& traffic) {
  const auto place = static_cast<std::size_t>(member);
  const int rank = call.among->ranks[place];
  WorkerStream& stream = stream_of(call, member);
  WorkerClock& clock = state_.clocks.of(rank);
  call.end_s[place] = end_s;
  clock.traffic += traffic;
  stream.free_s = end_s;
  if (end_s > call.start_s) {
    stream.busy.push_back({call.start_s, end_s});
    state_.show(rank, Stream::communication, call.label, call.start_s, end_s, call.bytes);
  }
  stream.calls.pop_front();
  if (!stream.calls.empty()) reach_head(stream.calls.front());
  // Last: the worker continues at once, and needs a free stream. Otherwise its next call would
  // start from here, and recursively the following ones, until the stack overflows.
  if (call.is_awaited[place]) state_.clocks.wake(rank);
}

void Collectives::wait(CollectiveCall& call, int member) {
  const auto place = static_cast<std::size_t>(member);
  const int rank = call.among->ranks[place];
  if (!call.has_ended(member)) {
    call.is_awaited[place] = true;
    state_.clocks.sleep(rank);
  }
  WorkerClock& clock = state_.clocks.of(rank);
  std::vector<Interval>& busy = stream_of(call, member).busy;
  const double from_s = clock.local_s;
  const double until_s = std::max(from_s, call.end_s[place]);
  double exposed_s = 0;
  double known_s = from_s;  // the timeline is complete until then
  for (const Interval& interval : busy) {
    exposed_s +=
        std::max(0.0, std::min(until_s, interval.end_s) - std::max(from_s, interval.start_s));
    state_.show(rank, Stream::blocked, "blocked", known_s, std::min(until_s, interval.start_s));
    known_s = std::max(known_s, interval.end_s);
  }
  state_.show(rank, Stream::blocked, "blocked", known_s, until_s);
  std::erase_if(busy, [until_s](const Interval& interval) { return interval.end_s <= until_s; });
  clock.phases.exposed_communication_s += exposed_s;
  clock.phases.blocked_s += until_s - from_s - exposed_s;
  clock.local_s = until_s;
}

}  // namespace epochcast::sim
