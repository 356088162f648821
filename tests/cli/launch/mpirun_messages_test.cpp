// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/mpirun_messages.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

const std::string kFrame = std::string(74, '-') + "\n";

/// The output for a text that arrives in pieces of `size`.
std::string shown(const std::string& text, std::size_t size) {
  MpirunMessages messages;
  std::string all;
  for (std::size_t at = 0; at < text.size(); at += size)
    all += messages.feed(text.substr(at, size));
  return all + messages.finish();
}

TEST_CASE("mpirun's messages about our own ending of a job are removed") {
  const std::string text = "epochcast: no such data\n" + kFrame +
                           "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD\n"
                           "with errorcode 2.\n" +
                           kFrame + kFrame +
                           "Primary job  terminated normally, but 1 process returned\n" + kFrame +
                           "[vm:1] 1 more process has sent help message help-mpi-api.txt\n"
                           "[vm:1] Set MCA parameter \"orte_base_help_aggregate\" to 0\n";
  for (const std::size_t size : {1U, 7U, 4096U}) {
    CHECK(shown(text, size) == "epochcast: no such data\n");
  }
}

TEST_CASE("mpirun's message about a rank that died is kept") {
  const std::string text = kFrame +
                           "mpirun noticed that process rank 1 with PID 0 on node n2 exited on "
                           "signal 9 (Killed).\n" +
                           kFrame;
  for (const std::size_t size : {5U, 4096U}) {
    MpirunMessages messages;
    std::string all;
    for (std::size_t at = 0; at < text.size(); at += size)
      all += messages.feed(text.substr(at, size));

    CHECK(all + messages.finish() == "");
    CHECK(messages.death() == RankDeath{.rank = 1, .host = "n2", .signal = "signal 9 (Killed)"});
  }
}

TEST_CASE("mpirun's message about a lost daemon is kept") {
  MpirunMessages messages;

  CHECK(messages.feed(kFrame + "ORTE has lost communication with a remote daemon.\n\n" +
                      "  HNP daemon   : [[1132,0],0] on node node1\n" +
                      "  Remote daemon: [[1132,0],2] on node 10.77.0.3\n" + kFrame) == "");
  REQUIRE(messages.death());
  CHECK(death_text(*messages.death()) == "the connection to mpirun's daemon on 10.77.0.3 was lost");
}

TEST_CASE("other messages of mpirun are shown without their frames") {
  CHECK(shown(kFrame + "There are not enough slots.\n" + kFrame, 5) ==
        "There are not enough slots.\n");
}

TEST_CASE("text passes at once, before the end of its line") {
  MpirunMessages messages;

  CHECK(messages.feed("\r[") == "\r[");
  CHECK(messages.feed("##..] training") == "##..] training");
  CHECK(messages.feed("\n-- done") == "\n-- done");
}

TEST_CASE("an unfinished frame is shown at the end") {
  CHECK(shown(kFrame + "half a message\n", 4096) == "half a message\n");
}

}  // namespace
}  // namespace epochcast::tests
