// SPDX-License-Identifier: Apache-2.0
// SimGrid's SMPI runs a real MPI program with all-reduce algorithms of its own, written by others:
// on the same platform file, our schedules have to take the same time.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/support/run_program.hpp"

namespace epochcast::tests {
namespace {

#ifdef EPOCHCAST_SMPIRUN

const std::string kStar = EPOCHCAST_SOURCE_DIR "/tests/fidelity/data/star16.xml";

/// Options of SMPI that charge for the network only, with the network model that our
/// simulator uses.
const std::vector<std::string> kConfiguration = {
    // The model of sim/platform/cluster.cpp: latency plus bytes over bandwidth, fairly shared.
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:0",
    "--cfg=network/weight-S:0",
    "--cfg=surf/precision:1e-12",
    // SMPI's own corrections of latency and bandwidth by message size: off.
    "--cfg=smpi/bw-factor:1",
    "--cfg=smpi/lat-factor:1",
    // The program's own computing on this machine's clock: not charged.
    "--cfg=smpi/simulate-computation:no",
    // CPU time of sending, receiving and starting a send: none.
    "--cfg=smpi/os:0:0:0",
    "--cfg=smpi/or:0:0:0",
    "--cfg=smpi/ois:0:0:0",
    // Every message waits for its receiver, as in our schedules: none is sent eagerly or detached.
    "--cfg=smpi/async-small-thresh:0",
    "--cfg=smpi/send-is-detached-thresh:0",
    "--log=root.thres:critical"};

/// A file with the names of the platform's hosts, removed in the end.
class HostFile {
 public:
  HostFile() {
    const int file = mkstemp(name_.data());
    REQUIRE(file >= 0);
    close(file);
    std::ofstream out(name_);
    for (int host = 0; host < 16; ++host) out << "host-" << host << "\n";
  }
  ~HostFile() { std::remove(name_.c_str()); }
  HostFile(const HostFile&) = delete;
  HostFile& operator=(const HostFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_ = "/tmp/epochcast-hosts-XXXXXX";
};

/// Seconds of SMPI's all-reduce with the named algorithm.
double smpi_s(const std::string& selector, int ranks, long bytes, const std::string& hosts) {
  std::vector<std::string> command = {EPOCHCAST_SMPIRUN,
                                      "-np",
                                      std::to_string(ranks),
                                      "-platform",
                                      kStar,
                                      "-hostfile",
                                      hosts,
                                      "--cfg=smpi/allreduce:" + selector};
  command.insert(command.end(), kConfiguration.begin(), kConfiguration.end());
  command.insert(command.end(), {EPOCHCAST_SMPI_PEER, std::to_string(bytes)});
  const Outcome outcome = run_program(command);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return std::stod(outcome.out);
}

/// All-reduce among the first `ranks` hosts of the same platform file.
double our_s(const std::string& algorithm, int ranks, double bytes) {
  Platform platform;
  platform.simgrid_xml = kStar;
  return observe(platform,
                 [&](Fabric& fabric) {
                   if (fabric.rank() >= ranks) return;
                   std::vector<int> members;
                   for (int rank = 0; rank < ranks; ++rank) members.push_back(rank);
                   const Communicator& among =
                       fabric.communicator(members, {.algorithm = algorithm, .servers = {}});
                   fabric.all_reduce(payload_of_bytes(bytes), 1, among);
                 })
      .last_s();
}

TEST_CASE("an all-reduce takes as long as SMPI's of the same algorithm") {
  struct Algorithm {
    const char* ours;
    const char* smpi;
  };
  const HostFile hosts;
  for (const Algorithm& algorithm : {Algorithm{"ring", "lr"},
                                     Algorithm{"recursive-doubling", "rdb"},
                                     Algorithm{"rabenseifner", "rab"}}) {
    for (const int ranks : {4, 8, 16}) {
      // SMPI moves real bytes in real buffers: 44 MB on 16 ranks would take 2 GB of memory.
      for (const long bytes : {65'536L, 1'048'576L, ranks < 16 ? 44'000'000L : 16'000'000L}) {
        const double expected_s = smpi_s(algorithm.smpi, ranks, bytes, hosts.name());

        const double time_s = our_s(algorithm.ours, ranks, static_cast<double>(bytes));

        std::printf("%-18s %2d ranks %9ld B: SMPI %.9f s, ours %.9f s (%+.3f %%)\n",
                    algorithm.ours,
                    ranks,
                    bytes,
                    expected_s,
                    time_s,
                    100 * (time_s / expected_s - 1));
        CAPTURE(algorithm.ours, ranks, bytes);
        // Two implementations of one algorithm may differ by some latencies (SMPI's start-up of a
        // collective), hence 2 %; in fact they agree to 0.2 %.
        CHECK(time_s == Approx(expected_s).epsilon(0.02));
      }
    }
  }
}

#else

TEST_CASE("an all-reduce takes as long as SMPI's of the same algorithm") {
  WARN("skipped: needs smpicc");
}

#endif

}  // namespace
}  // namespace epochcast::tests
