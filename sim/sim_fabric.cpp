// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_fabric.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace epochcast::sim {
namespace {

/// So many parts or fewer, and those inside a node, arrive at different times; more advance
/// together. Compared with messages one by one: docs/decisions/0027-parts-advance-together.md.
constexpr std::size_t kMostPartsApart = 8;

/// The label of an exchange on the timeline: "all-reduce", "all-reduce inside node 3", "all-reduce
/// of 8 workers on 4 nodes".
std::string label_of(std::string label, const Communicator& among, const WorkerLayout& layout) {
  if (among.ranks.size() == layout.workers().size()) return label;
  std::set<int> nodes;
  for (const int rank : among.ranks) nodes.insert(layout.worker(rank).node);
  if (nodes.size() == 1) return label + " inside node " + std::to_string(*nodes.begin());
  return label + " of " + std::to_string(among.size()) + " workers on " +
         std::to_string(nodes.size()) + " nodes";
}

}  // namespace

/// A collective in progress.
class SimFabric::CollectiveOperation : public Operation {
 public:
  CollectiveOperation(std::shared_ptr<CollectiveCall> call, int member)
      : call_(std::move(call)), member_(member) {}

  std::shared_ptr<CollectiveCall> call_;
  int member_;
};

std::span<const WorkerInfo> SimFabric::workers() const { return parts_.state.layout.workers(); }

const Communicator& SimFabric::world() const { return parts_.state.communicators.world(); }

const Communicator& SimFabric::node() const { return parts_.state.communicators.node_of(rank_); }

const Communicator& SimFabric::communicator(std::vector<int> ranks, AllReduceChoice all_reduce) {
  return parts_.state.communicators.find(std::move(ranks), all_reduce);
}

void SimFabric::compute(double seconds, std::string_view what) {
  if (parts_.collectives.is_busy(rank_) && parts_.contention.concerns(rank_))
    seconds = parts_.contention.compute(rank_, seconds);
  WorkerClock& self = clock();
  parts_.state.show(rank_, Stream::compute, what, self.local_s, self.local_s + seconds);
  self.local_s += seconds;
  self.phases.compute_s += seconds;
}

std::shared_ptr<SimFabric::CollectiveOperation> SimFabric::enter_collective(
    const Communicator& among, const std::function<void(CollectiveCall&, int)>& enter) {
  const int member = among.member_of(rank_);
  const std::shared_ptr<CollectiveCall> call = parts_.collectives.next_call(among, member);
  enter(*call, member);
  parts_.collectives.join(call, member);
  return std::make_shared<CollectiveOperation>(call, member);
}

void SimFabric::run_collective(const Communicator& among,
                               const std::function<void(CollectiveCall&, int)>& enter) {
  const auto operation = enter_collective(among, enter);
  parts_.collectives.wait(*operation->call_, operation->member_);
}

void SimFabric::wait(const Request& request) {
  if (const auto* collective = dynamic_cast<CollectiveOperation*>(request.get())) {
    parts_.collectives.wait(*collective->call_, collective->member_);
  } else {
    parts_.messages.wait(rank_, *request);
  }
}

std::size_t SimFabric::wait_any(std::span<const Request> requests) {
  return parts_.messages.wait_any(rank_, requests);
}

std::optional<std::size_t> SimFabric::test_any(std::span<const Request> requests) {
  return parts_.messages.test_any(rank_, requests);
}

std::optional<std::int64_t> SimFabric::deal(std::int64_t sequence, std::int64_t count, int owner) {
  return parts_.deals.deal(rank_, sequence, count, owner);
}

void SimFabric::begin(CollectiveCall& call,
                      CollectiveCall::Kind kind,
                      const char* name,
                      const Communicator& among) const {
  if (!call.label.empty()) return;
  call.kind = kind;
  call.label =
      parts_.state.pass.timeline == nullptr ? name : label_of(name, among, parts_.state.layout);
  const auto size = among.ranks.size();
  call.payloads.resize(size);
  call.parts.resize(size);
  call.weights.assign(size, 1);
  const bool has_parts = kind == CollectiveCall::Kind::reduce_scatter ||
                         kind == CollectiveCall::Kind::all_gather ||
                         kind == CollectiveCall::Kind::gather;
  if (has_parts) call.part_counts.resize(size);
}

Request SimFabric::start_all_reduce(Payload payload, double weight, const Communicator& among) {
  return enter_collective(among, [&](CollectiveCall& call, int member) {
    const auto place = static_cast<std::size_t>(member);
    begin(call, CollectiveCall::Kind::all_reduce, "all-reduce", among);
    call.bytes = payload.bytes();
    call.payloads[place] = payload;
    call.weights[place] = weight;
  });
}

Request SimFabric::start_reduce_scatter(Payload all,
                                        Payload mine,
                                        double weight,
                                        const Communicator& among) {
  return enter_collective(among, [&](CollectiveCall& call, int member) {
    const auto place = static_cast<std::size_t>(member);
    begin(call, CollectiveCall::Kind::reduce_scatter, "reduce-scatter", among);
    call.bytes = all.bytes();
    call.payloads[place] = all;
    call.parts[place] = mine;
    call.part_counts[place] = mine.count;
    call.weights[place] = weight;
  });
}

Request SimFabric::start_all_gather(Payload mine, Payload all, const Communicator& among) {
  return enter_collective(among, [&](CollectiveCall& call, int member) {
    const auto place = static_cast<std::size_t>(member);
    begin(call, CollectiveCall::Kind::all_gather, "all-gather", among);
    call.bytes += mine.bytes();
    call.payloads[place] = all;
    call.parts[place] = mine;
    call.part_counts[place] = mine.count;
  });
}

void SimFabric::broadcast(Payload payload, int root, const Communicator& among) {
  run_collective(among, [&](CollectiveCall& call, int member) {
    begin(call, CollectiveCall::Kind::broadcast, "broadcast", among);
    call.root = among.member_of(root);
    call.bytes = payload.bytes();
    call.payloads[static_cast<std::size_t>(member)] = payload;
  });
}

void SimFabric::gather(Payload mine, Payload all, int root, const Communicator& among) {
  run_collective(among, [&](CollectiveCall& call, int member) {
    const auto place = static_cast<std::size_t>(member);
    begin(call, CollectiveCall::Kind::gather, "gather", among);
    call.root = among.member_of(root);
    call.bytes += mine.bytes();
    call.parts[place] = mine;
    call.part_counts[place] = mine.count;
    if (rank_ == root) call.payloads[place] = all;
  });
}

SharedNumbers SimFabric::all_gather_numbers(std::span<const double> mine,
                                            const Communicator& among) {
  const auto operation = enter_collective(among, [&](CollectiveCall& call, int member) {
    const std::size_t count = mine.size();
    if (call.numbers.empty()) {
      call.kind = CollectiveCall::Kind::all_gather_numbers;
      call.label = "all-gather";
      call.numbers.resize(count * among.ranks.size());
      call.bytes = static_cast<double>(sizeof(double) * call.numbers.size());
    }
    std::ranges::copy(mine, call.numbers.begin() + static_cast<std::ptrdiff_t>(count) * member);
  });
  CollectiveCall& call = *operation->call_;
  parts_.collectives.wait(call, operation->member_);
  if (!call.gathered_numbers) call.gathered_numbers = std::move(call.numbers);
  return *call.gathered_numbers;
}

void SimFabric::barrier(const Communicator& among) {
  run_collective(among,
                 [](CollectiveCall& call, int) { call.kind = CollectiveCall::Kind::barrier; });
}

Request SimFabric::start_send(int to, Payload payload) {
  return parts_.messages.start(rank_, rank_, to, payload);
}

Request SimFabric::start_receive(int from, Payload payload) {
  return parts_.messages.start(rank_, from, rank_, payload);
}

void SimFabric::start_parts(bool is_send,
                            std::span<const int> peers,
                            std::span<const Payload> parts,
                            std::vector<Request>& under_way) {
  std::vector<int> of_others;
  std::vector<Payload> parts_of_others;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const bool is_in_node = workers()[static_cast<std::size_t>(peers[i])].node == self().node;
    if (is_in_node || peers.size() <= kMostPartsApart) {
      under_way.push_back(
          parts_.parts.start_all(rank_, is_send, peers.subspan(i, 1), parts.subspan(i, 1)));
    } else {
      of_others.push_back(peers[i]);
      parts_of_others.push_back(parts[i]);
    }
  }
  if (!of_others.empty())
    under_way.push_back(parts_.parts.start_all(rank_, is_send, of_others, parts_of_others));
}

void SimFabric::start_send_parts(std::span<const int> to,
                                 std::span<const Payload> parts,
                                 std::vector<Request>& under_way) {
  if (divides_parts()) return Fabric::start_send_parts(to, parts, under_way);
  start_parts(true, to, parts, under_way);
}

void SimFabric::start_receive_parts(std::span<const int> from,
                                    std::span<const Payload> parts,
                                    std::vector<Request>& under_way) {
  if (divides_parts()) return Fabric::start_receive_parts(from, parts, under_way);
  start_parts(false, from, parts, under_way);
}

Request SimFabric::start_send_part(int to, Payload part) {
  return divides_parts() ? start_send(to, part) : parts_.parts.start_one(rank_, true, to, part);
}

Request SimFabric::start_receive_part(int from, Payload part) {
  return divides_parts() ? start_receive(from, part)
                         : parts_.parts.start_one(rank_, false, from, part);
}

void SimFabric::repeat(const Communicator& among,
                       std::int64_t count,
                       const std::function<void(std::int64_t)>& body) {
  parts_.loops.repeat(rank_, among, count, body);
}

}  // namespace epochcast::sim
