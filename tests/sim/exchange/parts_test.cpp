// SPDX-License-Identifier: Apache-2.0
// Parts that go to several workers at once, as one flow and as messages of SimGrid.
#include <cmath>

#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/equal_results.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

Payload bytes_only(double bytes) {
  return {.element = Element::float32, .count = std::llround(bytes / 4)};
}

void send_parts(Fabric& fabric, const std::vector<int>& to, double bytes) {
  const std::vector<Payload> parts(to.size(), bytes_only(bytes));
  std::vector<Request> requests;
  fabric.start_send_parts(to, parts, requests);
  for (const Request& request : requests) fabric.wait(request);
}

void receive_part(Fabric& fabric, int from, double bytes) {
  fabric.wait(fabric.start_receive_part(from, bytes_only(bytes)));
}

constexpr double kBytes = 1e9;
constexpr TestLink kLink = {.bytes_per_s = 1e9, .latency_s = 0.5};

/// As many as advance together.
const std::vector<int> kNine = {1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST_CASE("parts take the latency, and the time of all parts on their sender's link") {
  const Observed seen = observe(plain_star(10, kLink), [](Fabric& fabric) {
    if (fabric.rank() == 0) {
      send_parts(fabric, kNine, kBytes);
    } else {
      receive_part(fabric, 0, kBytes);
    }
  });

  // Two links of 0.5 s, 9 GB at 1 GB/s.
  for (const double now_s : seen.now_s) CHECK(now_s == Approx(10));
  CHECK(seen.messages == 0);
}

TEST_CASE("few parts share links as messages of SimGrid do") {
  // Rank 3 receives from 0 and 1, rank 2 from 0.
  const Program program = [](Fabric& fabric) {
    if (fabric.rank() == 0) send_parts(fabric, {2, 3}, kBytes);
    if (fabric.rank() == 1) send_parts(fabric, {3}, kBytes / 2);
    if (fabric.rank() == 2) receive_part(fabric, 0, kBytes);
    if (fabric.rank() != 3) return;
    const std::vector<Request> both = {fabric.start_receive_part(0, bytes_only(kBytes)),
                                       fabric.start_receive_part(1, bytes_only(kBytes / 2))};
    for (const Request& one : both) fabric.wait(one);
  };

  const Observed alone = observe(plain_star(4, kLink), program);
  const Observed in_simgrid = observe_exactly(plain_star(4, kLink), program);

  CHECK(alone.now_s[1] == Approx(2));  // 0.5 GB/s
  CHECK(alone.now_s[0] == Approx(3));
  CHECK(alone.messages == 0);
  for (std::size_t rank = 0; rank < 4; ++rank)
    CHECK(alone.now_s[rank] == Approx(in_simgrid.now_s[rank]));
}

TEST_CASE("parts advance at the rate of the slowest") {
  // The link of rank 9 also receives from rank 10, of whose part it takes a tenth at first.
  const Observed seen = observe(plain_star(11, kLink), [](Fabric& fabric) {
    if (fabric.rank() == 0) send_parts(fabric, kNine, kBytes);
    if (fabric.rank() == 10) send_parts(fabric, {9}, kBytes);
    if (fabric.rank() == 0 || fabric.rank() == 10) return;
    const Request first = fabric.start_receive_part(0, bytes_only(kBytes));
    if (fabric.rank() == 9) receive_part(fabric, 10, kBytes);
    fabric.wait(first);
  });

  // Nine parts of 1/9 GB/s; rank 10 has the rest of the link, 8/9 GB/s.
  CHECK(seen.now_s[10] == Approx(1 + 9.0 / 8));
  for (const int rank : kNine) CHECK(seen.now_s[static_cast<std::size_t>(rank)] == Approx(10));
}

TEST_CASE("parts that several workers send arrive together, when the last has begun") {
  const Program program = [](Fabric& fabric) {
    if (fabric.rank() == 0) {
      const std::vector<Payload> parts(kNine.size(), bytes_only(kBytes));
      std::vector<Request> requests;
      fabric.start_receive_parts(kNine, parts, requests);
      for (const Request& request : requests) fabric.wait(request);
    } else {
      fabric.compute(fabric.rank() == 2 ? 3 : 0, "being late");
      fabric.wait(fabric.start_send_part(0, bytes_only(kBytes)));
    }
  };

  const Observed seen = observe(plain_star(10, kLink), program);

  for (const double now_s : seen.now_s) CHECK(now_s == Approx(3 + 1 + 9));
  CHECK(seen.phases[0].blocked_s == Approx(3));
  CHECK(seen.phases[0].exposed_communication_s == Approx(10));
}

TEST_CASE("servers take the time of messages one by one, in every topology", "[exhaustive]") {
  std::vector<Run> runs;
  for (const nlohmann::json& network : {star(), fat_tree(), torus(), dragonfly()}) {
    for (const char* strategy : {"ps-sync", "ps-async", "ssp", "fedbuff", "gssp"}) {
      Job job = job_on(mixed(4, 1, 1, pcie(), network), 8 * 4 * 30);
      job.config.workers = "gpu";
      job.config.epochs = 1;
      for (const bool exact : {false, true}) {
        job.config.exact = exact;
        runs.push_back({job, strategy});
      }
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].strategy, i);
    check_alike(runs[i].strategy, results[i], results[i + 1]);
    CHECK(results[i].inter_node_bytes == Approx(results[i + 1].inter_node_bytes).epsilon(0.01));
  }
}

}  // namespace
}  // namespace epochcast::tests
