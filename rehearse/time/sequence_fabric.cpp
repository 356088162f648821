// SPDX-License-Identifier: Apache-2.0
#include "rehearse/time/sequence_fabric.hpp"

#include <cmath>

#include "collectives/registry.hpp"

namespace epochcast {
namespace {

/// Of the rounds of one rank.
std::string checksum_of_rounds(const Schedule& schedule, int rank) {
  Sequence rounds;
  rounds.add("schedule", schedule.divisions());
  for (std::int64_t i = 0; i < schedule.rounds(rank); ++i) {
    for (const Action& action : schedule.round(rank, i))
      rounds.add(
          "", i, static_cast<int>(action.kind), action.peer, action.block.begin, action.block.end);
  }
  return rounds.checksum();
}

}  // namespace

void SequenceFabric::add_members(std::string_view action, const Communicator& among) {
  std::string& members = members_[among.id];
  if (members.empty()) {
    Sequence ranks;
    for (const int member : among.ranks) ranks.add("", member);
    members = ranks.checksum();
  }
  sequence_.add(action, among.all_reduce.stream);
  sequence_.add(members);
}

void SequenceFabric::add_sum(double bytes, double weight, const Communicator& among) {
  add_members("all-reduce", among);
  std::string& rounds = rounds_[{among.id, bytes}];
  if (rounds.empty()) {
    const auto schedule = make_all_reduce(among, workers(), std::llround(bytes));
    rounds = checksum_of_rounds(*schedule, among.member_of(rank()));
  }
  sequence_.add(rounds, weight);
}

void SequenceFabric::add_untimed_all_reduce(const Payload& payload,
                                            double weight,
                                            const Communicator& among) {
  add_sum(payload.bytes(), weight, among);
}

Request SequenceFabric::start_all_reduce(Payload payload,
                                         double weight,
                                         const Communicator& among) {
  add_sum(payload.bytes(), weight, among);
  return inner().start_all_reduce(payload, weight, among);
}

Request SequenceFabric::start_reduce_scatter(Payload all,
                                             Payload mine,
                                             double weight,
                                             const Communicator& among) {
  add_members("reduce-scatter", among);
  sequence_.add(among.all_reduce.algorithm, weight);
  return inner().start_reduce_scatter(all, mine, weight, among);
}

Request SequenceFabric::start_all_gather(Payload mine, Payload all, const Communicator& among) {
  add_members("all-gather", among);
  return inner().start_all_gather(mine, all, among);
}

Request SequenceFabric::start_send(int to, Payload payload) {
  sequence_.add("send", to);
  return inner().start_send(to, payload);
}

Request SequenceFabric::start_receive(int from, Payload payload) {
  sequence_.add("receive", from);
  return inner().start_receive(from, payload);
}

void SequenceFabric::start_send_parts(std::span<const int> to,
                                      std::span<const Payload> parts,
                                      std::vector<Request>& under_way) {
  for (const int each : to) sequence_.add("send", each);
  inner().start_send_parts(to, parts, under_way);
}

void SequenceFabric::start_receive_parts(std::span<const int> from,
                                         std::span<const Payload> parts,
                                         std::vector<Request>& under_way) {
  for (const int each : from) sequence_.add("receive", each);
  inner().start_receive_parts(from, parts, under_way);
}

Request SequenceFabric::start_send_part(int to, Payload part) {
  sequence_.add("send", to);
  return inner().start_send_part(to, part);
}

Request SequenceFabric::start_receive_part(int from, Payload part) {
  sequence_.add("receive", from);
  return inner().start_receive_part(from, part);
}

void SequenceFabric::wait(const Request& request) {
  sequence_.add("wait");
  inner().wait(request);
}

std::size_t SequenceFabric::wait_any(std::span<const Request> requests) {
  sequence_.follow_arrivals();
  const std::size_t first = inner().wait_any(requests);
  sequence_.add("wait any", first);
  return first;
}

std::optional<std::size_t> SequenceFabric::test_any(std::span<const Request> requests) {
  sequence_.follow_arrivals();
  const std::optional<std::size_t> first = inner().test_any(requests);
  sequence_.add("test any", first.value_or(requests.size()));
  return first;
}

std::optional<std::int64_t> SequenceFabric::deal(std::int64_t sequence,
                                                 std::int64_t count,
                                                 int owner) {
  sequence_.follow_arrivals();
  const std::optional<std::int64_t> dealt = inner().deal(sequence, count, owner);
  sequence_.add("deal", dealt.value_or(count));
  return dealt;
}

void SequenceFabric::broadcast(Payload payload, int root, const Communicator& among) {
  add_members("broadcast", among);
  sequence_.add("", root);
  inner().broadcast(payload, root, among);
}

void SequenceFabric::gather(Payload mine, Payload all, int root, const Communicator& among) {
  add_members("gather", among);
  sequence_.add("", root);
  inner().gather(mine, all, root, among);
}

}  // namespace epochcast
