// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/in_place.hpp"

#include <cstdlib>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

using Words = std::vector<std::string>;

std::string text_of(const std::optional<std::vector<Host>>& hosts) {
  return hosts ? hosts_text(*hosts) : "none";
}

TEST_CASE("workers are counted by node, including nodes without any, except the last ones",
          "[cli]") {
  std::vector<WorkerInfo> workers(4);
  workers[0].node = 3;
  workers[1].node = 1;
  workers[2].node = 3;
  workers[3].node = 0;

  CHECK(workers_by_node(workers) == std::vector<int>{1, 1, 0, 2});
}

TEST_CASE("each node is emulated on its own host", "[cli]") {
  const std::vector<Host> hosts = {{"c", 2}, {"a", 2}, {"b", 2}, {"d", 1}};

  CHECK(text_of(hosts_in_place(hosts, {1, 2, 1, 1})) == "c:1,a:2,b:1,d:1");
  CHECK(text_of(hosts_in_place(hosts, {2, 1})) == "c:2,a:1");
  CHECK(text_of(hosts_in_place(hosts, {1, 0, 0, 1})) == "c:1,d:1");
}

TEST_CASE("without a host for each node, or too few slots on it, no placement is made", "[cli]") {
  CHECK(text_of(hosts_in_place({}, {1})) == "none");
  CHECK(text_of(hosts_in_place({{"a", 8}, {"b", 8}}, {1, 1, 1})) == "none");
  CHECK(text_of(hosts_in_place({{"a", 8}, {"b", 1}}, {1, 2})) == "none");
}

TEST_CASE("mpirun gets every rank's host in turn", "[cli]") {
  CHECK(words_in_place({{"c", 1}, {"a", 2}}) == Words{"--host", "c,a,a", "--map-by", "seq"});
}

TEST_CASE("a hostfile's hosts have their slots, or the default number", "[cli]") {
  CHECK(hosts_text(parse_hostfile("# a cluster\n10.77.0.1 slots=2\n\n  node-2\tslots = 12 # big\n"
                                  "node3\r\n",
                                  4)) == "10.77.0.1:2,node-2:12,node3:4");
  CHECK(parse_hostfile("", 4).empty());
}

TEST_CASE("a hostfile with other content is left to mpirun", "[cli]") {
  for (const std::string line : {"a slots=2 max_slots=4",
                                 "a\na",
                                 "user@a slots=1",
                                 "rank 0=a slot=1",
                                 "^a",
                                 "a slots=",
                                 "a slots=12345678"})
    CHECK(parse_hostfile("b slots=1\n" + line + "\n", 1).empty());
  CHECK(parse_hostfile(std::string(200'000, 'a'), 1).empty());
}

TEST_CASE("the environment's hostfile is read, if it exists", "[cli]") {
  const Folder folder;
  folder.write("hosts", "a slots=2\nb\n");

  setenv("OMPI_MCA_orte_default_hostfile", (folder.path() / "hosts").c_str(), 1);
  CHECK(hosts_text(hosts_of_environment(3)) == "a:2,b:3");
  setenv("OMPI_MCA_orte_default_hostfile", folder.path().c_str(), 1);
  CHECK(hosts_of_environment(3).empty());
  unsetenv("OMPI_MCA_orte_default_hostfile");
  CHECK(hosts_of_environment(3).empty());
}

TEST_CASE("arguments for mpirun that place ranks are recognised", "[cli]") {
  CHECK(place_ranks("--mca btl tcp --hostfile h"));
  CHECK(place_ranks("-H a,b"));
  CHECK(place_ranks("--map-by node"));
  CHECK_FALSE(place_ranks(""));
  CHECK_FALSE(place_ranks("--mca btl_tcp_if_include eth0 - host"));
}

}  // namespace
}  // namespace epochcast::tests
