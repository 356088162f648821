// SPDX-License-Identifier: Apache-2.0
// Every collective moves every type of numbers, among 1 to 8 workers.
#include <algorithm>
#include <array>
#include <numeric>

#include "core/learner.hpp"
#include "tests/support/fabric_claims.hpp"

namespace epochcast::tests {
namespace {

constexpr std::array kElements = {Element::float32,
                                  Element::float16,
                                  Element::bfloat16,
                                  Element::int8,
                                  Element::int32,
                                  Element::int64,
                                  Element::byte};

std::string name_of(Element element) {
  switch (element) {
    case Element::float32:
      return "float32";
    case Element::float16:
      return "float16";
    case Element::bfloat16:
      return "bfloat16";
    case Element::int8:
      return "int8";
    case Element::int32:
      return "int32";
    case Element::int64:
      return "int64";
    case Element::byte:
      return "byte";
  }
  return "?";
}

/// Small numbers: those of 8 workers and their sums are exact in every type.
template <typename T>
std::vector<T> typed_numbers(int rank, std::int64_t count) {
  std::vector<T> numbers;
  for (std::int64_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<T>(static_cast<float>(rank + 1 + i % 3)));
  return numbers;
}

template <typename T>
std::vector<T> typed_sum(const std::vector<int>& ranks, std::int64_t count) {
  std::vector<T> sum(static_cast<std::size_t>(count), T(0));
  for (const int rank : ranks) {
    const std::vector<T> numbers = typed_numbers<T>(rank, count);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<T>(sum[i] + numbers[i]);
  }
  return sum;
}

template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

constexpr std::int64_t kNumbers = 1003;

/// Runs `check(T(), name)` for every type.
template <typename Check>
void with_each_type(const Check& check) {
  for (const Element element : kElements)
    with_element(element, [&](auto zero) { check(zero, name_of(element)); });
}

void sums_of_types(Fabric& fabric, Expectations& expect) {
  for (const char* algorithm : {"ring", "rabenseifner", "openmpi"}) {
    const Communicator& among =
        fabric.communicator(fabric.world().ranks, {.algorithm = algorithm, .servers = {}});
    with_each_type([&]<typename T>(T, const std::string& type) {
      std::vector<T> numbers = typed_numbers<T>(fabric.rank(), kNumbers);
      fabric.all_reduce(payload_of(numbers), 1, among);
      expect.is_true(same(numbers, typed_sum<T>(among.ranks, kNumbers)),
                     std::string(algorithm) + " of " + type);
    });
  }
}

void halved_sums(Fabric& fabric, Expectations& expect) {
  with_each_type([&]<typename T>(T, const std::string& type) {
    if constexpr (!std::is_integral_v<T>) {
      std::vector<T> numbers = typed_numbers<T>(fabric.rank(), kNumbers);
      fabric.all_reduce(payload_of(numbers), 0.5, fabric.world());
      std::vector<T> expected = typed_sum<T>(fabric.world().ranks, kNumbers);
      for (T& value : expected) value = T(0.5F * static_cast<float>(value));
      expect.is_true(same(numbers, expected), "half of the sum of " + type);
    }
  });
}

/// Parts of a whole of kNumbers: as equal as they can be; or of many lengths, one of them empty.
std::vector<std::int64_t> counts_of(int members, bool are_equal) {
  std::vector<std::int64_t> counts;
  for (int member = 0; member < members; ++member)
    counts.push_back(are_equal ? part_of(kNumbers, members, member) : 10 * ((member + 2) % 3));
  if (!are_equal)
    counts.back() += kNumbers - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  return counts;
}

template <typename T>
std::vector<T> part(const std::vector<T>& all,
                    const std::vector<std::int64_t>& counts,
                    int member) {
  const auto begin =
      all.begin() + std::accumulate(counts.begin(), counts.begin() + member, std::int64_t{0});
  return {begin, begin + counts[static_cast<std::size_t>(member)]};
}

void parts_of_sums(Fabric& fabric, Expectations& expect) {
  for (const bool are_equal : {true, false}) {
    const auto counts = counts_of(fabric.world().size(), are_equal);
    for (const char* algorithm : {"ring", "recursive-doubling", "binary-tree", "openmpi"}) {
      const Communicator& among =
          fabric.communicator(fabric.world().ranks, {.algorithm = algorithm, .servers = {}});
      with_each_type([&]<typename T>(T, const std::string& type) {
        std::vector<T> all = typed_numbers<T>(fabric.rank(), kNumbers);
        const std::vector<T> expected =
            part(typed_sum<T>(among.ranks, kNumbers), counts, fabric.rank());
        std::vector<T> mine(expected.size());
        fabric.reduce_scatter(payload_of(all), payload_of(mine), 1, among);
        expect.is_true(
            same(mine, expected),
            std::string(algorithm) + (are_equal ? " of " : " of unequal parts of ") + type);
      });
    }
  }
}

void gathered_parts(Fabric& fabric, Expectations& expect) {
  for (const bool are_equal : {true, false}) {
    const auto counts = counts_of(fabric.world().size(), are_equal);
    for (const char* algorithm : {"ring", "recursive-doubling", "binary-tree", "openmpi"}) {
      const Communicator& among =
          fabric.communicator(fabric.world().ranks, {.algorithm = algorithm, .servers = {}});
      with_each_type([&]<typename T>(T, const std::string& type) {
        const std::vector<T> expected = typed_numbers<T>(3, kNumbers);
        std::vector<T> mine = part(expected, counts, fabric.rank());
        std::vector<T> all(expected.size());
        fabric.all_gather(payload_of(mine), payload_of(all), among);
        expect.is_true(
            same(all, expected),
            std::string(algorithm) + (are_equal ? " of " : " of unequal parts of ") + type);
      });
    }
  }
}

/// As in sharded training: the parts lie in the whole.
void parts_in_place(Fabric& fabric, Expectations& expect) {
  const auto counts = counts_of(fabric.world().size(), true);
  const auto begin =
      std::accumulate(counts.begin(), counts.begin() + fabric.rank(), std::int64_t{0});
  std::vector<float> all = typed_numbers<float>(fabric.rank(), kNumbers);
  const Payload mine =
      slice(payload_of(all), begin, counts[static_cast<std::size_t>(fabric.rank())]);

  fabric.reduce_scatter(payload_of(all), mine, 1, fabric.world());
  fabric.all_gather(mine, payload_of(all), fabric.world());

  expect.equal(all,
               typed_sum<float>(fabric.world().ranks, kNumbers),
               "a reduce-scatter and an all-gather are an all-reduce");
}

void parts_cost_bytes(Fabric& fabric, Expectations& expect) {
  const int size = fabric.world().size();
  const auto sent_by_all = [&] {
    const double sent = fabric.traffic().intra_node_bytes + fabric.traffic().inter_node_bytes;
    const std::vector<double> all = fabric.all_gather_numbers({&sent, 1}, fabric.world());
    return std::accumulate(all.begin(), all.end(), 0.0);
  };
  const auto cost = [&](const auto& run) {
    const double at_rest = sent_by_all();
    const double before = sent_by_all();
    run();
    return sent_by_all() - before - (before - at_rest);  // without that of the question itself
  };
  std::vector<BFloat16> all(kNumbers);
  const double bytes = 2.0 * kNumbers * (size - 1);
  const bool counts_collectives = cost([&] {
                                    fabric.all_reduce(payload_of(all), 1, fabric.world());
                                  }) > 0;  // the fake does not
  for (const bool are_equal : {true, false}) {
    const auto counts = counts_of(size, are_equal);
    std::vector<BFloat16> mine(
        static_cast<std::size_t>(counts[static_cast<std::size_t>(fabric.rank())]));
    const double scattered =
        cost([&] { fabric.reduce_scatter(payload_of(all), payload_of(mine), 1, fabric.world()); });
    const double gathered =
        cost([&] { fabric.all_gather(payload_of(mine), payload_of(all), fabric.world()); });
    expect.equal(scattered, counts_collectives ? bytes : 0, "bytes of a reduce-scatter");
    expect.equal(gathered, counts_collectives ? bytes : 0, "bytes of an all-gather");
  }
}

void spreads_types(Fabric& fabric, Expectations& expect) {
  const int last = fabric.world().size() - 1;
  with_each_type([&]<typename T>(T, const std::string& type) {
    std::vector<T> numbers = typed_numbers<T>(fabric.rank(), kNumbers);
    fabric.broadcast(payload_of(numbers), last, fabric.world());
    expect.is_true(same(numbers, typed_numbers<T>(last, kNumbers)), "broadcast of " + type);

    std::vector<T> mine = typed_numbers<T>(fabric.rank(), fabric.rank());
    std::vector<T> all, expected;
    for (const int rank : fabric.world().ranks) {
      const std::vector<T> theirs = typed_numbers<T>(rank, rank);
      expected.insert(expected.end(), theirs.begin(), theirs.end());
    }
    all.resize(expected.size());
    fabric.gather(payload_of(mine), payload_of(all), 0, fabric.world());
    if (fabric.rank() == 0) expect.is_true(same(all, expected), "gather of " + type);

    const int right = (fabric.rank() + 1) % (last + 1);
    const int left = (fabric.rank() + last) % (last + 1);
    if (last == 0) return;
    std::vector<T> sent = typed_numbers<T>(fabric.rank(), kNumbers), received(sent.size());
    const Request send = fabric.start_send(right, payload_of(sent));
    const Request receive = fabric.start_receive(left, payload_of(received));
    fabric.wait(receive);
    fabric.wait(send);
    expect.is_true(same(received, typed_numbers<T>(left, kNumbers)), "a message of " + type);
  });
}

/// The simulated and the real one agree with what a program without numbers charges.
void sizes_without_numbers(Fabric& fabric, Expectations& expect) {
  const auto sent = [&] {
    return fabric.traffic().intra_node_bytes + fabric.traffic().inter_node_bytes;
  };
  const auto counts = counts_of(fabric.world().size(), true);
  const std::int64_t own = counts[static_cast<std::size_t>(fabric.rank())];
  std::vector<Float16> all(kNumbers), mine(static_cast<std::size_t>(own));
  const auto exchange = [&](const Payload& whole, const Payload& part) {
    const double before = sent();
    fabric.reduce_scatter(whole, part, 0.5, fabric.world());
    fabric.all_gather(part, whole, fabric.world());
    fabric.all_reduce(whole, 0.5, fabric.world());
    return sent() - before;
  };
  const double with_numbers = exchange(payload_of(all), payload_of(mine));
  const double without = exchange({.element = Element::float16, .count = kNumbers},
                                  {.element = Element::float16, .count = own});
  expect.equal(without, with_numbers, "bytes of a payload without numbers");
}

}  // namespace

std::vector<FabricClaim> claims_about_types() {
  std::vector<FabricClaim> claims;
  for (const std::vector<int>& layout : std::vector<std::vector<int>>{{0},
                                                                      {0, 1},
                                                                      {0, 0, 1},
                                                                      {0, 0, 1, 1},
                                                                      {0, 0, 0, 1, 2},
                                                                      {0, 0, 0, 1, 1, 1},
                                                                      {0, 0, 1, 1, 2, 2, 3},
                                                                      {0, 0, 0, 0, 1, 1, 1, 1}}) {
    const auto add = [&](const char* text, FabricProgram program) {
      claims.push_back({.text = text, .node_of_rank = layout, .program = std::move(program)});
    };
    add("all_reduce adds every type of numbers", sums_of_types);
    add("all_reduce weighs floats of every size", halved_sums);
    add("reduce_scatter leaves each member its part of the sum", parts_of_sums);
    add("all_gather puts parts of any length together", gathered_parts);
    add("parts may lie in the whole", parts_in_place);
    add("reduce_scatter and all_gather send P - 1 times the whole", parts_cost_bytes);
    add("broadcasts, gathers and messages carry every type", spreads_types);
    add("payloads without numbers send as many bytes", sizes_without_numbers);
  }
  return claims;
}

}  // namespace epochcast::tests
