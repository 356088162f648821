// SPDX-License-Identifier: Apache-2.0
// Needs of workers that do not keep step: numbers in the order of asking, looking for
// messages without waiting, and streams that do not wait for each other.
#include <algorithm>
#include <numeric>
#include <optional>

#include "tests/support/fabric_claims.hpp"

namespace epochcast::tests {
namespace {

constexpr std::int64_t kDealt = 40;

/// The numbers that this worker is dealt until there are no more.
std::vector<double> dealt_to(Fabric& fabric, std::int64_t sequence, int owner, double each_s) {
  std::vector<double> mine;
  while (const std::optional<std::int64_t> number = fabric.deal(sequence, kDealt, owner)) {
    mine.push_back(static_cast<double>(*number));
    if (each_s > 0) fabric.compute(each_s, "a batch");
  }
  return mine;
}

/// Sequences follow each other with different owners.
void every_number_once(Fabric& fabric, Expectations& expect) {
  const int size = fabric.world().size();
  for (const std::int64_t sequence : {std::int64_t{0}, std::int64_t{1}}) {
    const int owner = sequence == 0 ? 0 : size - 1;
    const std::vector<double> mine = dealt_to(fabric, sequence, owner, 1e-4);
    expect.is_true(std::ranges::is_sorted(mine), "numbers of a worker grow");
    std::vector<double> counted(kDealt, 0);
    for (const double number : mine) ++counted[static_cast<std::size_t>(number)];
    const SharedNumbers all = fabric.all_gather_numbers(counted, fabric.world());
    for (std::size_t number = 0; number < kDealt; ++number) {
      double times = 0;
      for (int rank = 0; rank < size; ++rank)
        times += all.values()[static_cast<std::size_t>(rank) * kDealt + number];
      expect.equal(times, 1, "how often number " + std::to_string(number) + " is dealt");
    }
  }
}

/// The owner takes no number while it computes; others do.
void owner_need_not_wait(Fabric& fabric, Expectations& expect) {
  const int size = fabric.world().size();
  const bool is_owner = fabric.rank() == 0;
  fabric.barrier(fabric.world());
  const std::vector<double> mine =
      dealt_to(fabric, 7, 0, is_owner ? 25 * kStep_s : kStep_s / kDealt);
  const SharedNumbers all =
      fabric.all_gather_numbers(std::vector{static_cast<double>(mine.size())}, fabric.world());
  expect.equal(
      std::accumulate(all.values().begin(), all.values().end(), 0.0), kDealt, "numbers of all");
  if (size > 1) expect.is_true(all.values()[0] <= 2, "the slow owner takes few numbers");
}

/// A message that has not been sent is not found; one that has come is.
void looks_without_waiting(Fabric& fabric, Expectations& expect) {
  const int size = fabric.world().size();
  std::vector<float> number = {static_cast<float>(fabric.rank())};
  const std::vector<Request> none(2);
  expect.is_true(!fabric.test_any(none), "no message is expected");
  fabric.barrier(fabric.world());
  if (fabric.rank() > 0) {
    fabric.compute(2 * kStep_s, "being late");
    fabric.wait(fabric.start_send(0, payload_of(number)));
    return;
  }
  std::vector<std::vector<float>> numbers(static_cast<std::size_t>(size), {-1.0F});
  std::vector<Request> requests;
  for (int from = 1; from < size; ++from)
    requests.push_back(
        fabric.start_receive(from, payload_of(numbers[static_cast<std::size_t>(from)])));
  expect.is_true(!fabric.test_any(requests), "no message has come");
  fabric.compute(6 * kStep_s, "a batch");
  for (int i = 1; i < size; ++i) {
    const std::optional<std::size_t> found = fabric.test_any(requests);
    expect.is_true(found.has_value(), "a message has come");
    if (!found) return;
    requests[*found] = nullptr;
    expect.equal(numbers[*found + 1], {static_cast<float>(*found + 1)}, "its number");
  }
  expect.is_true(!fabric.test_any(requests), "all have been found");
}

/// An all-reduce among all whose last member is late does not hold up those of another stream.
void streams_are_separate(Fabric& fabric, Expectations& expect) {
  const int size = fabric.world().size();
  AllReduceChoice choice = fabric.world().all_reduce;
  choice.stream = 1;
  const Communicator& beside = fabric.communicator(fabric.world().ranks, choice);
  std::vector<float> slow = {1};
  std::vector<float> quick = {2};
  fabric.barrier(fabric.world());
  const double began_s = fabric.now_s();
  const bool is_late = fabric.rank() == size - 1 && size > 1;
  const std::vector<int> punctual(fabric.world().ranks.begin(),
                                  fabric.world().ranks.end() - (size > 1 ? 1 : 0));
  Request under_way;
  if (!is_late) {
    under_way = fabric.start_all_reduce(payload_of(slow), 1, beside);
    const Communicator& others = fabric.communicator(punctual, fabric.world().all_reduce);
    fabric.all_reduce(payload_of(quick), 1, others);
    expect.equal(quick, {2 * static_cast<float>(punctual.size())}, "the sum of the first stream");
    if (size > 1)
      expect.is_true(fabric.now_s() - began_s < 3 * kStep_s,
                     "it ends before the late member comes");
  } else {
    fabric.compute(4 * kStep_s, "being late");
    under_way = fabric.start_all_reduce(payload_of(slow), 1, beside);
  }
  fabric.wait(under_way);
  expect.equal(slow, {static_cast<float>(size)}, "the sum of the second stream");
}

}  // namespace

std::vector<FabricClaim> claims_about_deals() {
  std::vector<FabricClaim> claims;
  for (const std::vector<int>& layout : std::vector<std::vector<int>>{{0},
                                                                      {0, 0},
                                                                      {0, 1},
                                                                      {0, 0, 1},
                                                                      {0, 1, 2, 3},
                                                                      {0, 0, 0, 1, 2},
                                                                      {0, 0, 0, 1, 1, 1},
                                                                      {0, 0, 1, 1, 2, 2, 3},
                                                                      {0, 0, 0, 0, 1, 1, 1, 1}}) {
    const auto add = [&](const char* text, FabricProgram program) {
      claims.push_back({.text = text, .node_of_rank = layout, .program = std::move(program)});
    };
    add("deal deals every number once", every_number_once);
    add("deal does not wait for its owner", owner_need_not_wait);
    add("test_any finds messages that have come", looks_without_waiting);
    add("collectives of two streams do not wait for each other", streams_are_separate);
  }
  return claims;
}

}  // namespace epochcast::tests
