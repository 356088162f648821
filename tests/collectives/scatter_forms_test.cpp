// SPDX-License-Identifier: Apache-2.0
#include "collectives/scatter_forms.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "collectives/all_gather.hpp"
#include "collectives/reduce_scatter.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/parts_cases.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

/// Sizes at which Open MPI changes its algorithms.
constexpr std::int64_t kOpenMpiSizes[] = {4, 3'000, 100'000, 40'000'000};

/// Calls check(form, parts, bytes) for every form, the tested parts of 1 to 17 ranks, and sizes.
template <typename Check>
void for_every_form(Check check) {
  for (const ScatterForm& form : scatter_forms()) {
    for (int ranks = 1; ranks <= 17; ++ranks) {
      for (const Parts& parts : tested_parts(ranks)) {
        for (const std::int64_t bytes : kOpenMpiSizes) {
          if (bytes != kOpenMpiSizes[0] && form.name != "openmpi") continue;
          CAPTURE(form.name, ranks, parts.divisions(), bytes);
          check(form.name, parts, bytes);
        }
      }
    }
  }
}

/// Whether elements of `part` are in `payload` as in `expected`.
bool has_part(const std::vector<std::int64_t>& payload,
              const std::vector<std::int64_t>& expected,
              const Parts& parts,
              int rank) {
  const auto elements = static_cast<std::int64_t>(payload.size());
  const auto begin = first_element(parts.of(rank).begin, parts.divisions(), elements);
  const auto end = first_element(parts.of(rank).end, parts.divisions(), elements);
  return std::equal(payload.begin() + begin, payload.begin() + end, expected.begin() + begin);
}

/// Numbers of elements: as many as units, fewer than ranks, and a number that units do not divide.
std::vector<int> tested_elements(const Parts& parts) {
  const auto units = static_cast<int>(parts.divisions());
  return {units, 1, 3 * units + 1};
}

TEST_CASE("every reduce-scatter leaves the sum of a rank's part on this rank") {
  for_every_form([](std::string_view form, const Parts& parts, std::int64_t bytes) {
    const auto schedule = make_reduce_scatter(form, parts, bytes);
    for (const int elements : tested_elements(parts)) {
      const auto execution = execute_numbered(*schedule, elements);

      REQUIRE(execution.problem.empty());
      const auto sum = numbered_sum(parts.ranks(), elements);
      for (int rank = 0; rank < parts.ranks(); ++rank) {
        REQUIRE(has_part(execution.payloads[static_cast<std::size_t>(rank)], sum, parts, rank));
      }
    }
  });
}

TEST_CASE("every all-gather leaves the parts of all ranks on every rank") {
  for_every_form([](std::string_view form, const Parts& parts, std::int64_t bytes) {
    const auto schedule = make_all_gather(form, parts, bytes);
    for (const int elements : tested_elements(parts)) {
      const auto before = numbered_payloads(parts.ranks(), elements);

      const auto execution = execute(*schedule, before);

      REQUIRE(execution.problem.empty());
      for (const auto& payload : execution.payloads) {
        for (int rank = 0; rank < parts.ranks(); ++rank) {
          REQUIRE(has_part(payload, before[static_cast<std::size_t>(rank)], parts, rank));
        }
      }
    }
  });
}

TEST_CASE("a reduce-scatter and the all-gather of the same parts are an all-reduce") {
  for_every_form([](std::string_view form, const Parts& parts, std::int64_t bytes) {
    const auto elements = static_cast<int>(parts.divisions());
    const auto scattered = execute_numbered(*make_reduce_scatter(form, parts, bytes), elements);

    const auto gathered = execute(*make_all_gather(form, parts, bytes), scattered.payloads);

    const auto sum = numbered_sum(parts.ranks(), elements);
    const bool has_parts = parts.range(0, parts.ranks()).size() > 0;
    for (const auto& payload : gathered.payloads) REQUIRE((!has_parts || payload == sum));
  });
}

TEST_CASE("in every reduce-scatter a rank sends all parts but its own") {
  for_every_form([](std::string_view form, const Parts& parts, std::int64_t bytes) {
    const auto execution = execute_numbered(*make_reduce_scatter(form, parts, bytes));

    const std::int64_t all = parts.range(0, parts.ranks()).size();
    for (int rank = 0; rank < parts.ranks(); ++rank) {
      REQUIRE(execution.units_sent[static_cast<std::size_t>(rank)] == all - parts.of(rank).size());
    }
  });
}

/// Units that a rank sends in recursive doubling or, if ranks are no power of two, in Bruck's
/// all-gather: in every step the parts that it has.
std::int64_t recursive_units(const Parts& parts, int rank) {
  const int ranks = parts.ranks();
  const bool is_doubling = std::has_single_bit(static_cast<unsigned>(ranks));
  std::int64_t units = 0;
  for (int known = 1; known < ranks; known *= 2) {
    const int first = is_doubling ? rank / known * known : rank;
    for (int i = 0; i < std::min(known, ranks - known); ++i) {
      units += parts.of((first + i) % ranks).size();
    }
  }
  return units;
}

TEST_CASE("the units that a rank sends in an all-gather follow its form's formula") {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    for (const Parts& parts : tested_parts(ranks)) {
      CAPTURE(ranks, parts.divisions());
      const auto sent = [&](std::string_view form) {
        return execute_numbered(*make_all_gather(form, parts, 4)).units_sent;
      };
      std::vector<std::int64_t> ring;
      std::vector<std::int64_t> direct;
      std::vector<std::int64_t> recursive;
      for (int rank = 0; rank < ranks; ++rank) {
        const std::int64_t all = parts.range(0, ranks).size();
        ring.push_back(all - parts.of((rank + 1) % ranks).size());
        direct.push_back((ranks - 1) * parts.of(rank).size());
        recursive.push_back(recursive_units(parts, rank));
      }

      CHECK(sent("ring") == ring);
      CHECK(sent("direct") == direct);
      CHECK(sent("recursive") == recursive);
    }
  }
}

TEST_CASE("the forms take P-1 rounds, ceil(log2 P) rounds, and one") {
  const auto rounds = [](std::string_view form, int ranks) {
    const Parts parts = Parts::equal(ranks);
    const std::int64_t count = make_reduce_scatter(form, parts, 4)->rounds(0);
    CHECK(make_all_gather(form, parts, 4)->rounds(0) == count);
    return count;
  };

  CHECK(rounds("ring", 12) == 11);
  CHECK(rounds("recursive", 12) == 4);
  CHECK(rounds("recursive", 16) == 4);
  CHECK(rounds("direct", 12) == 1);
  for (const std::string_view form : {"ring", "recursive", "direct"}) CHECK(rounds(form, 1) == 0);
}

TEST_CASE("recursive halving sends the largest blocks first, to the furthest rank") {
  const auto halving = make_reduce_scatter("recursive", Parts::equal(8), 4);

  CHECK(halving->round(1, 0) ==
        Round{{ActionKind::send, 5, {4, 8}}, {ActionKind::receive_add, 5, {0, 4}}});
  CHECK(halving->round(1, 2) ==
        Round{{ActionKind::send, 0, {0, 1}}, {ActionKind::receive_add, 0, {1, 2}}});
}

TEST_CASE("an empty part is not sent") {
  const std::vector<std::int64_t> sizes{0, 3, 0};
  const Parts parts{sizes};

  for (const std::string_view form : {"ring", "recursive", "direct"}) {
    CAPTURE(form);
    const auto execution = execute_numbered(*make_reduce_scatter(form, parts, 4), 3);
    CHECK(execution.messages_sent[1] == 0);
    CHECK(execution.messages_sent[0] + execution.messages_sent[2] == 2);
  }
}

TEST_CASE("the rounds of a ring repeat if its parts are equal") {
  const std::vector<std::int64_t> sizes{1, 2, 3, 4};

  CHECK(RingReduceScatter(Parts::equal(4)).repeated().size() == 1);
  CHECK(RingAllGather(Parts::equal(4)).repeated().size() == 1);
  CHECK(RingReduceScatter(Parts(sizes)).repeated().empty());
  CHECK(RingAllGather(Parts(sizes)).repeated().empty());
  CHECK(RingAllGather(Parts::equal(1)).repeated().empty());
  for (const int kept : {0, 1, 3}) {
    const RingReduceScatter ring(Parts::equal(9));
    CHECK(execute_numbered(Shortened(ring, 0, kept)).problem.empty());
  }
}

TEST_CASE("neighbour exchange takes P/2 rounds, two parts at a time after the first") {
  const NeighborAllGather schedule(Parts::equal(6));

  CHECK(schedule.rounds(0) == 3);
  CHECK(schedule.round(2, 0) ==
        Round{{ActionKind::send, 3, {2, 3}}, {ActionKind::receive, 3, {3, 4}}});
  CHECK(schedule.round(2, 1) ==
        Round{{ActionKind::send, 1, {2, 4}}, {ActionKind::receive, 1, {0, 2}}});
  CHECK(schedule.round(2, 2) ==
        Round{{ActionKind::send, 3, {0, 2}}, {ActionKind::receive, 3, {4, 6}}});
}

TEST_CASE("all-gathers refuse numbers of ranks that they cannot serve") {
  CHECK_THROWS_WITH(DoublingAllGather(Parts::equal(6)),
                    "recursive doubling needs a power of two of ranks");
  CHECK_THROWS_WITH(NeighborAllGather(Parts::equal(5)),
                    "neighbour exchange needs an even number of ranks");
  CHECK_THROWS_WITH(make_reduce_scatter("direct", Parts::equal(513), 4),
                    "--all-reduce: direct reduce-scatters and all-gathers are simulated among at "
                    "most 512 ranks; got 513; take ring");
  CHECK_THROWS_AS(make_all_gather("direct", Parts::equal(513), 4), UserError);
}

TEST_CASE("an unknown form is refused by name") {
  CHECK_THROWS_WITH(make_all_gather("rign", Parts::equal(4), 4),
                    "unknown form of a reduce-scatter \"rign\"");
  CHECK_THROWS_AS(make_reduce_scatter("rign", Parts::equal(4), 4), std::invalid_argument);
}

TEST_CASE("the forms are sorted and described in one line") {
  const auto forms = scatter_forms();

  CHECK(std::is_sorted(
      forms.begin(), forms.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const ScatterForm& form : forms) {
    CHECK(!form.description.empty());
    CHECK(form.description.find('\n') == std::string_view::npos);
  }
}

TEST_CASE("every all-reduce has a form of reduce-scatter, by the halves it consists of") {
  for (const AllReduceName& known : all_reduce_names()) {
    CAPTURE(known.name);
    CHECK_NOTHROW(make_reduce_scatter(scatter_form_of(known.name), Parts::equal(4), 4));
  }
  CHECK(scatter_form_of("ring") == "ring");
  CHECK(scatter_form_of("segmented-ring") == "ring");
  CHECK(scatter_form_of("hierarchical") == "ring");
  CHECK(scatter_form_of("double-binary-tree") == "ring");
  CHECK(scatter_form_of("rabenseifner") == "recursive");
  CHECK(scatter_form_of("recursive-doubling") == "recursive");
  CHECK(scatter_form_of("linear") == "direct");
  CHECK(scatter_form_of("openmpi") == "openmpi");
  CHECK(scatter_form_of(AllReduceChoice{.algorithm = "ring", .servers = 2}) == "direct");
  CHECK(scatter_form_of(AllReduceChoice{.algorithm = "openmpi"}) == "openmpi");
  CHECK_THROWS_AS(scatter_form_of("rign"), std::invalid_argument);
}

TEST_CASE("a communicator's reduce-scatter and all-gather have the form of its all-reduce") {
  const std::vector<std::int64_t> counts{4, 2, 0, 6, 4, 8};
  const auto rounds = [&](const char* all_reduce, int servers) {
    const Communicator among{
        .id = 0,
        .ranks = {0, 1, 2, 3, 4, 5},
        .all_reduce = {.algorithm = all_reduce, .servers = servers},
    };
    const auto scatter = make_reduce_scatter(among, counts, 96);
    CHECK(scatter->divisions() == 12);
    CHECK(make_all_gather(among, counts, 96)->rounds(0) == scatter->rounds(0));
    return scatter->rounds(0);
  };

  CHECK(rounds("ring", 0) == 5);
  CHECK(rounds("rabenseifner", 0) == 3);
  CHECK(rounds("linear", 0) == 1);
  CHECK(rounds("ring", 1) == 1);
}

}  // namespace
}  // namespace epochcast::tests
