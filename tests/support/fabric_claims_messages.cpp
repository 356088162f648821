// SPDX-License-Identifier: Apache-2.0
// Guarantees for strategies that send messages of their own.
#include <algorithm>

#include "tests/support/fabric_claims.hpp"

namespace epochcast::tests {
namespace {

void messages_in_order(Fabric& fabric, Expectations& expect) {
  constexpr int kMessages = 5;
  const int size = fabric.world().size();
  const int right = (fabric.rank() + 1) % size;
  const int left = (fabric.rank() + size - 1) % size;
  std::vector<std::vector<float>> sent, received;
  for (int i = 0; i < kMessages; ++i) {
    const auto length = static_cast<std::size_t>(1000 >> (2 * i));  // the last ones are the fastest
    sent.emplace_back(length, static_cast<float>(10 * fabric.rank() + i));
    received.emplace_back(length, -1.0F);
  }
  std::vector<Request> requests;
  for (std::vector<float>& numbers : sent) {
    requests.push_back(fabric.start_send(right, payload_of(numbers)));
  }
  for (std::vector<float>& numbers : received) {
    requests.push_back(fabric.start_receive(left, payload_of(numbers)));
  }
  for (const Request& request : requests) fabric.wait(request);

  for (std::size_t i = 0; i < received.size(); ++i) {
    const std::vector<float> expected(received[i].size(),
                                      static_cast<float>(10 * left) + static_cast<float>(i));
    expect.equal(received[i], expected, "message " + std::to_string(i));
  }
}

/// One number that identifies a message.
std::vector<float> letter(int from, int to) { return {static_cast<float>(10 * from + to)}; }

void messages_of_all_to_all(Fabric& fabric, Expectations& expect) {
  const int size = fabric.world().size();
  std::vector<std::vector<float>> sent, received(static_cast<std::size_t>(size), {-1.0F});
  for (int to = 0; to < size; ++to) sent.push_back(letter(fabric.rank(), to));
  std::vector<Request> requests;
  for (int to = 0; to < size; ++to) {
    if (to != fabric.rank())
      requests.push_back(fabric.start_send(to, payload_of(sent[static_cast<std::size_t>(to)])));
  }
  for (int from = size - 1; from >= 0; --from) {
    if (from != fabric.rank())
      requests.push_back(
          fabric.start_receive(from, payload_of(received[static_cast<std::size_t>(from)])));
  }
  std::reverse(requests.begin(), requests.end());
  for (const Request& request : requests) fabric.wait(request);

  for (int from = 0; from < size; ++from) {
    if (from != fabric.rank())
      expect.equal(received[static_cast<std::size_t>(from)],
                   letter(from, fabric.rank()),
                   "the message of rank " + std::to_string(from));
  }
}

void messages_of_any_size(Fabric& fabric, Expectations& expect) {
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{1'000'001}}) {
    std::vector<float> numbers(length, fabric.rank() == 0 ? 2.5F : -1.0F);
    if (fabric.rank() == 0) {
      fabric.wait(fabric.start_send(1, payload_of(numbers)));
    } else {
      fabric.wait(fabric.start_receive(0, payload_of(numbers)));
      expect.equal(numbers,
                   std::vector<float>(length, 2.5F),
                   "a message of " + std::to_string(length) + " numbers");
    }
  }
}

/// Rank 0 sends each other one its part, which comes back doubled, after a message from rank 1.
void parts_of_an_array(Fabric& fabric, Expectations& expect) {
  constexpr int kRounds = 3;
  const Traffic before = fabric.traffic();
  const int size = fabric.world().size();
  const auto length = static_cast<std::size_t>(size);
  std::vector<float> array(length * (length + 1) / 2, -1.0F);
  std::vector<int> others;
  std::vector<Payload> parts;  // of 1, 2, 3 ... numbers
  std::size_t begin = 0;
  for (int other = 1; other < size; ++other) {
    const auto count = static_cast<std::size_t>(other);
    others.push_back(other);
    parts.push_back(payload_of(std::span(array).subspan(begin, count)));
    begin += count;
  }
  std::vector<float> word(1, -1.0F);
  for (int round = 0; round < kRounds; ++round) {
    if (fabric.rank() == 0) {
      for (std::size_t i = 0; i < begin; ++i) array[i] = static_cast<float>(i) + 1;
      std::vector<Request> requests;
      fabric.start_send_parts(others, parts, requests);
      for (const Request& request : requests) fabric.wait(request);
      std::fill(array.begin(), array.end(), -1.0F);
      fabric.wait(fabric.start_receive(1, payload_of(word)));
      requests.clear();
      fabric.start_receive_parts(others, parts, requests);
      for (const Request& request : requests) fabric.wait(request);
      expect.equal(word, {static_cast<float>(round)}, "the message before the parts");
      for (std::size_t i = 0; i < begin; ++i)
        expect.equal(array[i], 2 * (static_cast<float>(i) + 1), "a number that comes back");
    } else {
      std::vector<float> part(static_cast<std::size_t>(fabric.rank()), -1.0F);
      const std::vector<Request> arriving = {fabric.start_receive_part(0, payload_of(part))};
      expect.is_true(fabric.wait_any(arriving) == 0, "the part that arrives");
      for (float& number : part) number *= 2;
      word[0] = static_cast<float>(round);
      if (fabric.rank() == 1) fabric.wait(fabric.start_send(0, payload_of(word)));
      fabric.wait(fabric.start_send_part(0, payload_of(part)));
    }
  }
  const Traffic now = fabric.traffic();
  const auto numbers = fabric.rank() == 0   ? static_cast<double>(begin)
                       : fabric.rank() == 1 ? 2.0
                                            : static_cast<double>(fabric.rank());
  expect.equal(now.intra_node_bytes + now.inter_node_bytes - before.intra_node_bytes -
                   before.inter_node_bytes,
               4 * kRounds * numbers,
               "bytes sent");
}

/// The late side is the sender's in one half, the receiver's in the other.
void messages_of_late_sides(Fabric& fabric, Expectations& expect) {
  for (const int late : {0, 1}) {
    std::vector<float> numbers(10, fabric.rank() == 0 ? 3.0F : -1.0F);
    fabric.barrier(fabric.world());
    const double start_s = fabric.now_s();
    if (fabric.rank() == late) fabric.compute(kStep_s, "being late");
    const double posted_s = fabric.now_s();
    const Request request = fabric.rank() == 0 ? fabric.start_send(1, payload_of(numbers))
                                               : fabric.start_receive(0, payload_of(numbers));
    expect.near_s(fabric.now_s(), posted_s, "the clock after starting a message");
    fabric.wait(request);
    if (fabric.rank() == 1) {
      expect.equal(numbers, std::vector<float>(10, 3.0F), "received numbers");
      expect.at_least_s(fabric.now_s() - start_s, kStep_s, "the arrival");
    }
  }
}

/// Rank 0's all-reduce starts when rank 1 has its message, and was called before it.
void messages_beside_collectives(Fabric& fabric, Expectations& expect) {
  std::vector<float> sum = {static_cast<float>(1 + fabric.rank())};
  std::vector<float> message(1000, fabric.rank() == 0 ? 7.0F : -1.0F);
  if (fabric.rank() == 0) {
    const Request all_reduce = fabric.start_all_reduce(payload_of(sum), 1, fabric.world());
    fabric.wait(fabric.start_send(1, payload_of(message)));
    fabric.wait(all_reduce);
  } else {
    fabric.wait(fabric.start_receive(0, payload_of(message)));
    expect.equal(message, std::vector<float>(1000, 7.0F), "a message beside an all-reduce");
    fabric.all_reduce(payload_of(sum), 1, fabric.world());
  }
  expect.equal(sum, {3.0F}, "the all-reduce");
}

void messages_waited_for_late(Fabric& fabric, Expectations& expect) {
  std::vector<float> numbers(100, fabric.rank() == 0 ? 5.0F : -1.0F);
  fabric.barrier(fabric.world());
  const double start_s = fabric.now_s();
  const Request request = fabric.rank() == 0 ? fabric.start_send(1, payload_of(numbers))
                                             : fabric.start_receive(0, payload_of(numbers));
  fabric.compute(kStep_s, "work");
  fabric.wait(request);
  expect.near_s(fabric.now_s() - start_s, kStep_s, "waiting for a message that has arrived");
  if (fabric.rank() == 1) expect.equal(numbers, std::vector<float>(100, 5.0F), "received numbers");
}

/// A message of 4 MB: above the eager limit, i.e. the sender needs the receiver's reply.
void messages_move_on(Fabric& fabric, Expectations& expect) {
  std::vector<float> numbers(1'000'000, 1);
  fabric.barrier(fabric.world());
  const double start_s = fabric.now_s();
  if (fabric.rank() == 0) {
    const Request request = fabric.start_send(1, payload_of(numbers));
    fabric.compute(10 * kStep_s, "work");
    fabric.wait(request);
  } else {
    fabric.wait(fabric.start_receive(0, payload_of(numbers)));
    expect.at_least_s(5 * kStep_s, fabric.now_s() - start_s, "a message, bound");
  }
  fabric.barrier(fabric.world());
}

void message_bytes(Fabric& fabric, Expectations& expect) {
  std::vector<float> numbers(250, 1);
  const Traffic before = fabric.traffic();
  if (fabric.rank() == 0) {
    fabric.wait(fabric.start_send(1, payload_of(numbers)));
    fabric.wait(fabric.start_send(2, payload_of(numbers)));
    fabric.wait(fabric.start_send(2, payload_of(numbers)));
  } else {
    for (int i = 0; i < fabric.rank(); ++i)
      fabric.wait(fabric.start_receive(0, payload_of(numbers)));
  }
  const bool has_sent = fabric.rank() == 0;
  expect.equal(fabric.traffic().intra_node_bytes - before.intra_node_bytes,
               has_sent ? 1000 : 0,
               "bytes sent inside the node");
  expect.equal(fabric.traffic().inter_node_bytes - before.inter_node_bytes,
               has_sent ? 2000 : 0,
               "bytes sent to other nodes");
}

}  // namespace

std::vector<FabricClaim> claims_about_messages() {
  std::vector<FabricClaim> claims;
  const auto add = [&](const std::string& text,
                       const FabricProgram& program,
                       const std::vector<std::vector<int>>& layouts) {
    for (const std::vector<int>& layout : layouts)
      claims.push_back({.text = text, .node_of_rank = layout, .program = program});
  };
  const std::vector<std::vector<int>> pairs = {{0, 0}, {0, 1}};
  const std::vector<std::vector<int>> some = {{0, 0}, {0, 1}, {0, 0, 1, 1}, {0, 1, 2, 3}};
  add("messages between a pair arrive in order", messages_in_order, some);
  add("messages of several senders are distinguished, waited for in any order",
      messages_of_all_to_all,
      some);
  add("messages have any size", messages_of_any_size, pairs);
  add("parts of an array go to several workers and come back, in order with other messages",
      parts_of_an_array,
      some);
  add("a message arrives when both sides have asked for it; asking takes no time",
      messages_of_late_sides,
      pairs);
  add("a message does not wait for a collective that was started before",
      messages_beside_collectives,
      pairs);
  add("a message that has arrived is not waited for", messages_waited_for_late, pairs);
  add("a message moves on while its sender computes", messages_move_on, {{0, 1}});
  add("traffic() distinguishes messages inside nodes from others", message_bytes, {{0, 0, 1}});
  return claims;
}

}  // namespace epochcast::tests
