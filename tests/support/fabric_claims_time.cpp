// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/support/fabric_claims.hpp"

namespace epochcast::tests {
namespace {

double latest(Fabric& fabric, double own_s, const Communicator& among) {
  const std::vector<double> all = fabric.all_gather_numbers({&own_s, 1}, among);
  return *std::max_element(all.begin(), all.end());
}

double earliest(Fabric& fabric, double own_s, const Communicator& among) {
  const std::vector<double> all = fabric.all_gather_numbers({&own_s, 1}, among);
  return *std::min_element(all.begin(), all.end());
}

/// Each worker is late in proportion to its rank.
void be_late(Fabric& fabric) { fabric.compute(kStep_s * fabric.rank(), "being late"); }

void computing(Fabric& fabric, Expectations& expect) {
  const double before_s = fabric.now_s();
  const double computed_s = fabric.phases().compute_s;

  fabric.compute(kStep_s, "work");

  expect.near_s(fabric.now_s() - before_s, kStep_s, "the clock");
  expect.near_s(fabric.phases().compute_s - computed_s, kStep_s, "compute_s");
}

void barrier(Fabric& fabric, Expectations& expect) {
  be_late(fabric);
  const double arrival_s = fabric.now_s();
  const Traffic before = fabric.traffic();

  fabric.barrier(fabric.world());

  const double leave_s = fabric.now_s();
  expect.equal(fabric.traffic().intra_node_bytes + fabric.traffic().inter_node_bytes,
               before.intra_node_bytes + before.inter_node_bytes,
               "bytes sent by a barrier");
  expect.at_least_s(leave_s, latest(fabric, arrival_s, fabric.world()), "leaving the barrier");
}

/// Every kind of operation, each followed by `look`.
void do_everything(Fabric& fabric, const std::function<void(const std::string&)>& look) {
  std::vector<float> numbers(100, 1);
  std::vector<float> all(100 * fabric.workers().size());
  const auto step = [&](const std::string& what, const std::function<void()>& operation) {
    operation();
    look(what);
  };
  step("compute", [&] { be_late(fabric); });
  step("all_reduce", [&] { fabric.all_reduce(payload_of(numbers), 1, fabric.world()); });
  step("all_reduce in nodes", [&] { fabric.all_reduce(payload_of(numbers), 1, fabric.node()); });
  step("warm_up", [&] { fabric.warm_up(payload_of(numbers)); });
  step("broadcast", [&] { fabric.broadcast(payload_of(numbers), 0, fabric.world()); });
  step("compute", [&] { be_late(fabric); });
  step("gather", [&] { fabric.gather(payload_of(numbers), payload_of(all), 0, fabric.world()); });
  step("all_gather", [&] { (void)latest(fabric, 0, fabric.world()); });
  step("overlap", [&] {
    const Request request = fabric.start_all_reduce(payload_of(numbers), 1, fabric.world());
    look("start_all_reduce");
    be_late(fabric);
    look("compute during an all-reduce");
    fabric.wait(request);
  });
  if (fabric.world().size() > 1) {
    const int size = fabric.world().size();
    step("messages", [&] {
      const Request out = fabric.start_send((fabric.rank() + 1) % size, payload_of(numbers));
      std::vector<float> arrived(100);
      const Request in =
          fabric.start_receive((fabric.rank() + size - 1) % size, payload_of(arrived));
      be_late(fabric);
      fabric.wait(out);
      fabric.wait(in);
    });
  }
  step("repeat", [&] {
    fabric.repeat(fabric.world(), 20, [&](std::int64_t) {
      be_late(fabric);
      fabric.all_reduce(payload_of(numbers), 0.5, fabric.world());
    });
  });
  step("barrier", [&] { fabric.barrier(fabric.world()); });
}

void clock_never_decreases(Fabric& fabric, Expectations& expect) {
  double last_s = fabric.now_s();
  do_everything(fabric, [&](const std::string& what) {
    expect.is_true(fabric.now_s() >= last_s, "the clock goes back in " + what);
    last_s = fabric.now_s();
  });
}

void phases_add_up(Fabric& fabric, Expectations& expect) {
  const double start_s = fabric.now_s() - fabric.phases().total_s();
  PhaseTimes last = fabric.phases();
  do_everything(fabric, [&](const std::string& what) {
    const PhaseTimes now = fabric.phases();
    expect.near_s(now.total_s(), fabric.now_s() - start_s, "phases after " + what);
    expect.is_true(now.compute_s >= last.compute_s &&
                       now.exposed_communication_s >= last.exposed_communication_s &&
                       now.blocked_s >= last.blocked_s,
                   "no phase shrinks in " + what);
    last = now;
  });
}

void starts_with_the_last(Fabric& fabric, Expectations& expect) {
  const int last = fabric.world().size() - 1;
  std::vector<float> numbers(10, 1);
  fabric.barrier(fabric.world());
  const double start_s = fabric.now_s();
  const double blocked_s = fabric.phases().blocked_s;
  be_late(fabric);

  fabric.all_reduce(payload_of(numbers), 1, fabric.world());

  expect.at_least_s(fabric.now_s() - start_s, kStep_s * last, "the end of an all-reduce");
  expect.near_s(fabric.phases().blocked_s - blocked_s,
                kStep_s * (last - fabric.rank()),
                "blocked_s of an early worker");
}

/// Ranks 0 and 1 exchange before ranks 0 and 2 do, in the order of rank 0's stream.
void streams_keep_their_order(Fabric& fabric, Expectations& expect) {
  std::vector<float> first(10, 1), second(10, 1);
  const double start_s = fabric.now_s();
  switch (fabric.rank()) {
    case 0: {
      const Communicator& one = fabric.communicator({0, 1}, ring());
      const Communicator& two = fabric.communicator({0, 2}, ring());
      const Request early = fabric.start_all_reduce(payload_of(first), 1, one);
      const Request late = fabric.start_all_reduce(payload_of(second), 1, two);
      fabric.wait(late);
      expect.equal(first, std::vector<float>(10, 2), "the first all-reduce");
      const double ended_s = fabric.now_s();
      fabric.wait(early);
      expect.near_s(fabric.now_s(), ended_s, "an earlier operation ends after a later one");
      break;
    }
    case 1:
      fabric.compute(2 * kStep_s, "being late");
      fabric.all_reduce(payload_of(first), 1, fabric.communicator({0, 1}, ring()));
      break;
    default:
      fabric.all_reduce(payload_of(second), 1, fabric.communicator({0, 2}, ring()));
      expect.at_least_s(fabric.now_s() - start_s, 2 * kStep_s, "an operation overtakes");
  }
}

void repeat_counts_all(Fabric& fabric, Expectations& expect) {
  constexpr std::int64_t kIterations = 24;
  std::vector<float> numbers(1000, 1);
  const auto iterate = [&](std::int64_t count, std::vector<std::int64_t>& seen) {
    fabric.barrier(fabric.world());
    const PhaseTimes phases = fabric.phases();
    const Traffic traffic = fabric.traffic();
    const double start_s = fabric.now_s();
    fabric.repeat(fabric.world(), count, [&](std::int64_t i) {
      seen.push_back(i);
      fabric.compute(kStep_s / 4 * (fabric.rank() + 1), "work");
      fabric.all_reduce(payload_of(numbers), 0.5, fabric.world());
    });
    return std::vector<double>{fabric.now_s() - start_s,
                               fabric.phases().compute_s - phases.compute_s,
                               fabric.phases().blocked_s - phases.blocked_s,
                               fabric.traffic().intra_node_bytes - traffic.intra_node_bytes,
                               fabric.traffic().inter_node_bytes - traffic.inter_node_bytes};
  };
  std::vector<std::int64_t> seen_once, seen;
  const std::vector<double> once = iterate(1, seen_once);
  const std::vector<double> all = iterate(kIterations, seen);

  const auto count = static_cast<double>(kIterations);
  // Iterations may start up to one exchange apart, hence the tolerance of one of them.
  const double exchange_s = once[0] - kStep_s / 4 * fabric.world().size();
  expect.at_least_s(all[0], count * (once[0] - exchange_s), "the clock after repeat", count);
  expect.at_least_s(count * once[0] + exchange_s, all[0], "the clock after repeat, bound", count);
  expect.near_s(all[1] / count, once[1], "compute_s of an iteration");
  expect.equal(all[3], count * once[3], "bytes inside nodes");
  expect.equal(all[4], count * once[4], "bytes between nodes");
  for (std::size_t i = 0; i < seen.size(); ++i) {
    expect.equal(static_cast<double>(seen[i]), static_cast<double>(i), "the iteration's number");
  }
  expect.is_true(seen_once.size() == 1 && !seen.empty(), "repeat runs the body");
}

/// Nodes loop at their own speed; their common operation afterwards takes place at the slowest
/// one's end.
void loops_inside_nodes(Fabric& fabric, Expectations& expect) {
  constexpr std::int64_t kIterations = 24;
  const double work_s = kStep_s / 4 * (fabric.self().node + 1);
  std::vector<float> numbers(10, 1);
  fabric.barrier(fabric.world());
  const double start_s = fabric.now_s();

  fabric.repeat(fabric.node(), kIterations, [&](std::int64_t) {
    fabric.compute(work_s, "work");
    fabric.all_reduce(payload_of(numbers), 0.5, fabric.node());
  });
  const double end_s = fabric.now_s();
  fabric.barrier(fabric.world());

  const double after_s = fabric.now_s();
  expect.at_least_s(end_s - start_s, static_cast<double>(kIterations) * work_s, "a node's loop");
  expect.near_s(after_s, latest(fabric, end_s, fabric.world()), "the barrier's end");
  expect.near_s(after_s, earliest(fabric, after_s, fabric.world()), "the clock of all ranks");
}

/// Long enough for a simulator to stop waiting for members in step.
void loops_without_exchange(Fabric& fabric, Expectations& expect) {
  constexpr std::int64_t kIterations = 100;
  const double work_s = kStep_s / kIterations * (fabric.rank() + 1);
  fabric.barrier(fabric.world());
  const double start_s = fabric.now_s();

  fabric.repeat(fabric.world(), kIterations, [&](std::int64_t) { fabric.compute(work_s, "work"); });
  const double end_s = fabric.now_s();
  fabric.barrier(fabric.world());

  const double after_s = fabric.now_s();
  expect.at_least_s(end_s - start_s, static_cast<double>(kIterations) * work_s, "own iterations");
  expect.near_s(after_s, latest(fabric, end_s, fabric.world()), "the barrier's end");
}

}  // namespace

std::vector<FabricClaim> claims_about_time() {
  std::vector<FabricClaim> claims;
  const auto add = [&](const std::string& text, const FabricProgram& program) {
    std::ranges::move(on_all_layouts(text, program), std::back_inserter(claims));
  };
  add("computing passes time on the clock and in compute_s", computing);
  add("no rank leaves a barrier before the last one arrives", barrier);
  add("now_s() never decreases", clock_never_decreases);
  add("phases() adds up to the time since the start", phases_add_up);
  add("a collective starts when its last member has reached it", starts_with_the_last);
  add("repeat accounts for every iteration", repeat_counts_all);
  add("loops inside nodes leave all clocks comparable", loops_inside_nodes);
  add("a loop without exchanges ends when its member is done", loops_without_exchange);
  for (const std::vector<int>& layout : {std::vector<int>{0, 0, 0}, {0, 1, 2}}) {
    claims.push_back({"operations of a worker go in the order of their start",
                      layout,
                      streams_keep_their_order});
  }
  return claims;
}

}  // namespace epochcast::tests
