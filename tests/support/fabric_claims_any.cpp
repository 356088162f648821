// SPDX-License-Identifier: Apache-2.0
// Needs of parameter servers: waiting for the first of several messages.
#include <algorithm>
#include <numeric>

#include "tests/support/fabric_claims.hpp"

namespace epochcast::tests {
namespace {

/// Some orders of so many senders: all up to three, else rotations, forwards and backwards.
std::vector<std::vector<int>> orders_of(int senders) {
  std::vector<int> order(static_cast<std::size_t>(senders));
  std::iota(order.begin(), order.end(), 1);
  std::vector<std::vector<int>> orders;
  if (senders <= 3) {
    do {
      orders.push_back(order);
    } while (std::ranges::next_permutation(order).found);
    return orders;
  }
  orders = {order, {order.rbegin(), order.rend()}};
  std::rotate(order.begin(), order.begin() + 2, order.end());
  orders.push_back(order);
  return orders;
}

/// The last receive is null, as that of a worker which has nothing to send.
std::vector<Request> receives_of(Fabric& fabric, std::vector<std::vector<float>>& numbers) {
  std::vector<Request> requests;
  for (int from = 1; from < fabric.world().size(); ++from)
    requests.push_back(
        fabric.start_receive(from, payload_of(numbers[static_cast<std::size_t>(from)])));
  requests.emplace_back();
  return requests;
}

void first_of_several(Fabric& fabric, Expectations& expect) {
  const int size = fabric.world().size();
  for (const std::vector<int>& order : orders_of(size - 1)) {
    const auto place = std::find(order.begin(), order.end(), fabric.rank()) - order.begin();
    fabric.barrier(fabric.world());
    const double start_s = fabric.now_s();
    if (fabric.rank() > 0) {
      fabric.compute(static_cast<double>(place + 1) * kStep_s, "being late");
      std::vector<float> number = {static_cast<float>(10 * fabric.rank())};
      fabric.wait(fabric.start_send(0, payload_of(number)));
      continue;
    }
    std::vector<std::vector<float>> numbers(static_cast<std::size_t>(size), {-1.0F});
    std::vector<Request> requests = receives_of(fabric, numbers);
    double last_s = kStep_s;
    for (const int expected : order) {
      const std::size_t first = fabric.wait_any(requests);
      const int from = static_cast<int>(first) + 1;
      expect.equal(from, expected, "the sender that is next");
      expect.equal(
          numbers[static_cast<std::size_t>(from)], {static_cast<float>(10 * from)}, "its message");
      expect.at_least_s(fabric.now_s() - start_s, last_s, "the arrival");
      last_s += kStep_s;
      requests[first] = nullptr;
    }
  }
}

/// Of three messages that are there, the first one is taken by wait_any(), the others are waited
/// for as ever.
void others_stay_pending(Fabric& fabric, Expectations& expect) {
  const int size = fabric.world().size();
  std::vector<float> number = {static_cast<float>(10 * fabric.rank())};
  if (fabric.rank() > 0) return fabric.wait(fabric.start_send(0, payload_of(number)));
  std::vector<std::vector<float>> numbers(static_cast<std::size_t>(size), {-1.0F});
  std::vector<Request> requests = receives_of(fabric, numbers);
  if (size == 1) return;
  const std::size_t first = fabric.wait_any(requests);
  for (std::size_t i = 0; i + 1 < requests.size(); ++i) {
    if (i != first) fabric.wait(requests[i]);
    expect.equal(numbers[i + 1], {static_cast<float>(10 * (i + 1))}, "a message");
  }
}

/// As a parameter server: an answer to each message, until all have sent theirs.
void answers(Fabric& fabric, Expectations& expect) {
  constexpr int kMessages = 20;
  const int size = fabric.world().size();
  if (fabric.rank() > 0) {
    for (int i = 0; i < kMessages; ++i) {
      std::vector<float> question = {static_cast<float>(1000 * fabric.rank() + i)};
      std::vector<float> answer = {-1};
      const Request send = fabric.start_send(0, payload_of(question));
      const Request receive = fabric.start_receive(0, payload_of(answer));
      const std::vector<Request> both = {send, receive};
      const std::size_t first = fabric.wait_any(both);
      fabric.wait(both[1 - first]);
      expect.equal(answer, {question[0] + 0.5F}, "an answer");
    }
    return;
  }
  std::vector<std::vector<float>> numbers(static_cast<std::size_t>(size), {-1.0F});
  std::vector<Request> requests = receives_of(fabric, numbers);
  std::vector<int> seen(static_cast<std::size_t>(size), 0);
  for (int i = 0; i < kMessages * (size - 1); ++i) {
    const std::size_t first = fabric.wait_any(requests);
    const std::size_t from = first + 1;
    expect.equal(numbers[from][0],
                 static_cast<double>(1000 * from) + seen[from],
                 "the next message of a sender");
    numbers[from][0] += 0.5F;
    fabric.wait(fabric.start_send(static_cast<int>(from), payload_of(numbers[from])));
    requests[first] = ++seen[from] < kMessages
                          ? fabric.start_receive(static_cast<int>(from), payload_of(numbers[from]))
                          : nullptr;
  }
}

/// Waiting for it takes no compute time, and all of the clock is in the phases.
void phases_of_any(Fabric& fabric, Expectations& expect) {
  std::vector<float> numbers(100, 1);
  fabric.barrier(fabric.world());
  const PhaseTimes before = fabric.phases();
  const double start_s = fabric.now_s();
  if (fabric.rank() > 0) {
    fabric.compute(kStep_s, "being late");
    fabric.wait(fabric.start_send(0, payload_of(numbers)));
  } else if (fabric.world().size() > 1) {
    std::vector<std::vector<float>> all(static_cast<std::size_t>(fabric.world().size()), numbers);
    std::vector<Request> requests = receives_of(fabric, all);
    for (int i = 1; i < fabric.world().size(); ++i) requests[fabric.wait_any(requests)] = nullptr;
    const PhaseTimes spent = fabric.phases() - before;
    expect.near_s(spent.total_s(), fabric.now_s() - start_s, "the phases of waiting");
    expect.at_least_s(
        spent.blocked_s + spent.exposed_communication_s, kStep_s, "waiting for late senders");
  }
}

}  // namespace

std::vector<FabricClaim> claims_about_any() {
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
    add("wait_any returns messages in the order of their arrival", first_of_several);
    add("wait_any leaves other messages pending", others_stay_pending);
    add("wait_any returns every message once", answers);
    add("phases add up to the time in wait_any", phases_of_any);
  }
  return claims;
}

}  // namespace epochcast::tests
