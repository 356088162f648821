// SPDX-License-Identifier: Apache-2.0
#include "tests/collectives/execute.hpp"

#include <cstdint>
#include <vector>

#include "base/numbers/half.hpp"
#include "collectives/reduce_scatter.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

/// Two ranks, each with the rounds written down.
class Written : public Schedule {
 public:
  Written(std::vector<Round> first, std::vector<Round> second) : rounds_{first, second} {}
  [[nodiscard]] int ranks() const override { return 2; }
  [[nodiscard]] std::int64_t divisions() const override { return 2; }
  [[nodiscard]] std::int64_t rounds(int rank) const override {
    return static_cast<std::int64_t>(rounds_[static_cast<std::size_t>(rank)].size());
  }
  [[nodiscard]] Round round(int rank, std::int64_t index) const override {
    return rounds_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(index)];
  }

 private:
  std::vector<std::vector<Round>> rounds_;
};

constexpr Block kWhole{0, 2};
constexpr Block kHalf{0, 1};

Action send_to(int peer, Block block = kWhole) { return {ActionKind::send, peer, block}; }
Action receive_from(int peer, Block block = kWhole) { return {ActionKind::receive, peer, block}; }
Action add_from(int peer, Block block = kWhole) { return {ActionKind::receive_add, peer, block}; }

TEST_CASE("the executor rounds half-precision sums once a hop") {
  const RingReduceScatter ring(Parts::equal(3));
  const BFloat16 large(256);  // has steps of 2 in bfloat16
  const BFloat16 one(1);

  const auto execution = execute(
      ring,
      std::vector<std::vector<BFloat16>>{{large, large, large}, {one, one, one}, {one, one, one}});

  // Part 0 starts at rank 1: (1 + 1) + 256. Part 1 starts at rank 2: (1 + 256 = 256) + 1 = 256.
  CHECK(static_cast<float>(execution.payloads[0][0]) == 258);
  CHECK(static_cast<float>(execution.payloads[1][1]) == 256);
}

TEMPLATE_TEST_CASE(
    "the executor adds elements of any type", "", float, double, std::int8_t, std::int32_t) {
  const Written exchange({{send_to(1), add_from(1)}}, {{add_from(0), send_to(0)}});

  const auto execution = execute(exchange, std::vector<std::vector<TestType>>{{1, 2}, {10, 20}});

  CHECK(execution.payloads == std::vector<std::vector<TestType>>{{11, 22}, {11, 22}});
}

TEST_CASE("the executor sends a payload's values at the beginning of the round") {
  const Written exchange({{send_to(1), add_from(1)}}, {{add_from(0), send_to(0)}});

  const auto execution = execute(exchange, std::vector<std::vector<int>>{{1, 2}, {10, 20}});

  CHECK(execution.problem.empty());
  CHECK(execution.payloads == std::vector<std::vector<int>>{{11, 22}, {11, 22}});
  CHECK(execution.units_sent == std::vector<std::int64_t>{2, 2});
  CHECK(execution.messages_sent == std::vector<std::int64_t>{1, 1});
}

TEST_CASE("the executor reports ranks that wait for each other") {
  const Written crossed({{receive_from(1)}, {send_to(1)}}, {{receive_from(0)}, {send_to(0)}});

  CHECK(execute_numbered(crossed).problem == "deadlock: rank 0 receives from 1 in round 0");
}

TEST_CASE("the executor reports sends that rely on buffering") {
  const Written crossed({{send_to(1)}, {receive_from(1)}}, {{send_to(0)}, {receive_from(0)}});

  CHECK(execute_numbered(crossed).problem == "deadlock: rank 0 sends to 1 in round 0");
}

TEST_CASE("the executor reports a send without a receive") {
  const Written lonely({{}, {send_to(1)}}, {});

  CHECK(execute_numbered(lonely).problem == "deadlock: rank 0 sends to 1 in round 1");
}

TEST_CASE("the executor reports a send matched by a receive of another size") {
  const Written unequal({{send_to(1)}}, {{receive_from(0, kHalf)}});

  CHECK(execute_numbered(unequal).problem ==
        "unequal sizes: rank 0 sends to 1 in round 0 and rank 1 receives from 0 in round 0");
}

TEST_CASE("the executor reports a transfer with oneself") {
  const Written selfish({{send_to(0)}}, {});

  CHECK(execute_numbered(selfish).problem == "wrong peer: rank 0 sends to 0 in round 0");
}

}  // namespace
}  // namespace epochcast::tests
