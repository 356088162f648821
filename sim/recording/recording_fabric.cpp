// SPDX-License-Identifier: Apache-2.0
#include "sim/recording/recording_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "collectives/registry.hpp"

namespace epochcast {
namespace {

constexpr double kBytesPerNumber = 8;  // of all_gather_numbers()

using Indices = std::vector<std::uint32_t>;

/// Both, ascending, each index once.
Indices joined_indices(Indices a, const Indices& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::ranges::sort(a);
  a.erase(std::unique(a.begin(), a.end()), a.end());
  return a;
}

const char* name_of(RecordedKind kind) {
  switch (kind) {
    case RecordedKind::compute:
      return "compute";
    case RecordedKind::all_reduce:
      return "all-reduce";
    case RecordedKind::reduce_scatter:
      return "reduce-scatter";
    case RecordedKind::all_gather:
      return "all-gather";
    case RecordedKind::broadcast:
      return "broadcast";
    case RecordedKind::barrier:
      return "barrier";
    case RecordedKind::send:
      return "send";
    case RecordedKind::receive:
      return "receive";
  }
  return "?";
}

}  // namespace

/// A pending operation of the inner fabric, with its actions.
class RecordingFabric::RecordedOperation : public Operation {
 public:
  RecordedOperation(Request inner, Indices started, Indices before = {})
      : inner_(std::move(inner)), started_(std::move(started)), before_(std::move(before)) {}

  Request inner_;
  Indices started_;  ///< of several rounds: the last one
  Indices before_;   ///< its dependencies in several steps
};

RecordingFabric::RecordingFabric(Fabric& inner, Recording& recording)
    : ForwardingFabric(inner), recording_(recording) {
  recording.by_rank.resize(inner.workers().size());
  if (recording.groups.empty()) recording.groups.push_back(inner.world().ranks);
}

std::vector<RecordedAction>& RecordingFabric::actions() {
  return recording_.by_rank[static_cast<std::size_t>(inner().rank())];
}

std::uint32_t RecordingFabric::add(RecordedAction action) {
  if (++recording_.actions > recording_.most_actions) {
    throw UserError("--chakra: the job takes more than " + std::to_string(recording_.most_actions) +
                    " actions of its workers, which is too much to write; ask for fewer --epochs, "
                    "--nodes or workers");
  }
  action.start_s = inner().now_s();
  actions().push_back(std::move(action));
  return static_cast<std::uint32_t>(actions().size() - 1);
}

std::uint32_t RecordingFabric::add_collective(RecordedKind kind,
                                              double bytes,
                                              const Communicator& among) {
  RecordedAction action;
  action.kind = kind;
  action.name = name_of(kind);
  action.bytes = bytes;
  action.group = group_of(among);
  action.after = joined_indices(done_, stream_);
  const std::uint32_t index = add(std::move(action));
  stream_ = {index};
  return index;
}

std::uint32_t RecordingFabric::add_message(RecordedKind kind,
                                           int peer,
                                           double bytes,
                                           Indices after) {
  RecordedAction action;
  action.kind = kind;
  action.name = name_of(kind);
  action.bytes = bytes;
  action.peer = peer;
  action.tag = kind == RecordedKind::send ? sent_[peer]++ : received_[peer]++;
  action.after = std::move(after);
  return add(std::move(action));
}

/// Notes that these and their dependencies are done.
void RecordingFabric::finish(const Indices& waited) {
  for (const std::uint32_t index : waited) {
    const Indices& before = actions()[index].after;
    std::erase_if(done_,
                  [&](std::uint32_t done) { return std::ranges::binary_search(before, done); });
  }
  done_ = joined_indices(std::move(done_), waited);
}

/// Runs a blocking collective that was recorded.
void RecordingFabric::run_collective(const Indices& started, const std::function<void()>& run) {
  const double since_s = inner().now_s();
  run();
  for (const std::uint32_t index : started) actions()[index].seconds = inner().now_s() - since_s;
  finish(started);
}

int RecordingFabric::group_of(const Communicator& among) {
  const auto [at, is_new] = groups_.try_emplace(among.id, 0);
  if (!is_new) return at->second;
  const auto known = std::ranges::find(recording_.groups, among.ranks);
  at->second = static_cast<int>(known - recording_.groups.begin());
  if (known == recording_.groups.end()) recording_.groups.push_back(among.ranks);
  return at->second;
}

void RecordingFabric::compute(double seconds, std::string_view what) {
  if (seconds > 0) {
    RecordedAction action;
    action.name = what;
    action.seconds = seconds;
    action.after = done_;
    done_ = {add(std::move(action))};
  }
  inner().compute(seconds, what);
}

Request RecordingFabric::start_all_reduce(Payload payload,
                                          double weight,
                                          const Communicator& among) {
  Indices started;
  Indices before;
  if (among.all_reduce.servers > 0) {
    before = joined_indices(done_, stream_);
    started = add_rounds(payload.bytes(), among);
  } else if (among.size() > 1) {
    started = {add_collective(RecordedKind::all_reduce, payload.bytes(), among)};
  }
  return std::make_shared<RecordedOperation>(
      inner().start_all_reduce(payload, weight, among), std::move(started), std::move(before));
}

Request RecordingFabric::start_reduce_scatter(Payload all,
                                              Payload mine,
                                              double weight,
                                              const Communicator& among) {
  Indices started;
  if (among.size() > 1)
    started = {add_collective(RecordedKind::reduce_scatter, all.bytes(), among)};
  return std::make_shared<RecordedOperation>(inner().start_reduce_scatter(all, mine, weight, among),
                                             std::move(started));
}

Request RecordingFabric::start_all_gather(Payload mine, Payload all, const Communicator& among) {
  Indices started;
  if (among.size() > 1)
    started = {add_collective(RecordedKind::all_gather, all.bytes() / among.size(), among)};
  return std::make_shared<RecordedOperation>(inner().start_all_gather(mine, all, among),
                                             std::move(started));
}

/// Adds the messages of an all-reduce through servers, round by round: traces have no such
/// collective. Returns the actions of the last round.
RecordingFabric::Indices RecordingFabric::add_rounds(double bytes, const Communicator& among) {
  const auto schedule = make_all_reduce(among, inner().workers(), std::llround(bytes));
  const auto place = std::ranges::find(among.ranks, rank());
  const auto member = static_cast<int>(place - among.ranks.begin());
  const double unit_bytes = bytes / static_cast<double>(schedule->divisions());
  Indices before = joined_indices(done_, stream_);
  for (std::int64_t index = 0; index < schedule->rounds(member); ++index) {
    Indices round;
    for (const Action& action : schedule->round(member, index)) {
      const RecordedKind kind =
          action.kind == ActionKind::send ? RecordedKind::send : RecordedKind::receive;
      round.push_back(add_message(kind,
                                  among.ranks[static_cast<std::size_t>(action.peer)],
                                  unit_bytes * static_cast<double>(action.block.size()),
                                  before));
    }
    if (!round.empty()) before = std::move(round);
  }
  stream_ = before;
  return before;
}

Request RecordingFabric::start_send(int to, Payload payload) {
  Indices started = {add_message(RecordedKind::send, to, payload.bytes(), done_)};
  return std::make_shared<RecordedOperation>(inner().start_send(to, payload), std::move(started));
}

Request RecordingFabric::start_receive(int from, Payload payload) {
  Indices started = {add_message(RecordedKind::receive, from, payload.bytes(), done_)};
  return std::make_shared<RecordedOperation>(inner().start_receive(from, payload),
                                             std::move(started));
}

void RecordingFabric::start_send_parts(std::span<const int> to,
                                       std::span<const Payload> parts,
                                       std::vector<Request>& under_way) {
  Indices started = add_parts(RecordedKind::send, to, parts);
  std::vector<Request> requests;
  inner().start_send_parts(to, parts, requests);
  add_operations(requests, std::move(started), under_way);
}

void RecordingFabric::start_receive_parts(std::span<const int> from,
                                          std::span<const Payload> parts,
                                          std::vector<Request>& under_way) {
  Indices started = add_parts(RecordedKind::receive, from, parts);
  std::vector<Request> requests;
  inner().start_receive_parts(from, parts, requests);
  add_operations(requests, std::move(started), under_way);
}

Request RecordingFabric::start_send_part(int to, Payload part) {
  Indices started = {add_message(RecordedKind::send, to, part.bytes(), done_)};
  return std::make_shared<RecordedOperation>(inner().start_send_part(to, part), std::move(started));
}

Request RecordingFabric::start_receive_part(int from, Payload part) {
  Indices started = {add_message(RecordedKind::receive, from, part.bytes(), done_)};
  return std::make_shared<RecordedOperation>(inner().start_receive_part(from, part),
                                             std::move(started));
}

RecordingFabric::Indices RecordingFabric::add_parts(RecordedKind kind,
                                                    std::span<const int> peers,
                                                    std::span<const Payload> parts) {
  Indices started;
  for (std::size_t i = 0; i < peers.size(); ++i)
    started.push_back(add_message(kind, peers[i], parts[i].bytes(), done_));
  return started;
}

/// Of one inner operation for all actions, or one for each.
void RecordingFabric::add_operations(const std::vector<Request>& inner,
                                     Indices started,
                                     std::vector<Request>& under_way) {
  const bool is_one_each = inner.size() == started.size();
  for (std::size_t i = 0; i < inner.size(); ++i) {
    Indices own = is_one_each ? Indices{started[i]} : std::exchange(started, {});
    under_way.push_back(std::make_shared<RecordedOperation>(inner[i], std::move(own)));
  }
}

void RecordingFabric::wait(const Request& request) {
  const auto& operation = dynamic_cast<const RecordedOperation&>(*request);
  inner().wait(operation.inner_);
  note_wait(operation);
}

std::vector<Request> RecordingFabric::inner_of(std::span<const Request> requests) {
  std::vector<Request> inner;
  inner.reserve(requests.size());
  for (const Request& each : requests)
    inner.push_back(each ? dynamic_cast<const RecordedOperation&>(*each).inner_ : nullptr);
  return inner;
}

std::size_t RecordingFabric::wait_any(std::span<const Request> requests) {
  const std::size_t first = inner().wait_any(inner_of(requests));
  note_wait(dynamic_cast<const RecordedOperation&>(*requests[first]));
  return first;
}

std::optional<std::size_t> RecordingFabric::test_any(std::span<const Request> requests) {
  const std::optional<std::size_t> first = inner().test_any(inner_of(requests));
  if (first) note_wait(dynamic_cast<const RecordedOperation&>(*requests[*first]));
  return first;
}

void RecordingFabric::note_wait(const RecordedOperation& operation) {
  std::erase_if(done_, [&](std::uint32_t done) {
    return std::ranges::binary_search(operation.before_, done);
  });
  finish(operation.started_);
}

void RecordingFabric::broadcast(Payload payload, int root, const Communicator& among) {
  Indices started;
  if (among.size() > 1) {
    started = {add_collective(RecordedKind::broadcast, payload.bytes(), among)};
    actions()[started[0]].peer = root;
  }
  run_collective(started, [&] { inner().broadcast(payload, root, among); });
}

void RecordingFabric::gather(Payload mine, Payload all, int root, const Communicator& among) {
  const Indices after = joined_indices(done_, stream_);
  Indices started;
  if (rank() != root) {
    started = {add_message(RecordedKind::send, root, mine.bytes(), after)};
  } else if (among.size() > 1) {
    for (const int from : among.ranks) {
      if (from != root)
        started.push_back(add_message(RecordedKind::receive, from, 0, after));  // the sender knows
    }
  }
  if (!started.empty()) stream_ = started;
  run_collective(started, [&] { inner().gather(mine, all, root, among); });
}

SharedNumbers RecordingFabric::all_gather_numbers(std::span<const double> mine,
                                                  const Communicator& among) {
  Indices started;
  const double bytes = kBytesPerNumber * static_cast<double>(mine.size());
  if (among.size() > 1) started = {add_collective(RecordedKind::all_gather, bytes, among)};
  SharedNumbers all;
  run_collective(started, [&] { all = inner().all_gather_numbers(mine, among); });
  return all;
}

void RecordingFabric::barrier(const Communicator& among) {
  Indices started;
  if (among.size() > 1) started = {add_collective(RecordedKind::barrier, 0, among)};
  run_collective(started, [&] { inner().barrier(among); });
}

void RecordingFabric::repeat(const Communicator& /*among*/,
                             std::int64_t count,
                             const std::function<void(std::int64_t)>& body) {
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace epochcast
