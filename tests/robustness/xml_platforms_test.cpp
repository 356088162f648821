// SPDX-License-Identifier: Apache-2.0
// SimGrid XML platforms that SimGrid would abort on, or do more with than be simulated.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/platform/xml_platform.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/sim/in_process.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

/// Two hosts and a link, with additional elements before or after them, and other attributes.
std::string pair_xml(const std::string& link,
                     const std::string& inside = "",
                     const std::string& before = "",
                     const std::string& after = "") {
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">" +
         before + "<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/>" +
         "<host id=\"b\" speed=\"1Gf\"/>" + inside + "<link id=\"l\" " + link + "/>" +
         "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>" + after + "</platform>\n";
}

const std::string kLink = "bandwidth=\"1GBps\" latency=\"1us\"";

/// The error, without the file's name; empty if it is valid.
std::vector<std::string> problems_of(const std::string& xml) {
  const Folder folder;
  folder.write("p.xml", xml);
  const std::string file = folder.path() / "p.xml";
  try {
    (void)in_process(
        [&]() -> nlohmann::json { return sim::describe_xml_platform(file).nodes.size(); });
  } catch (const UserError& error) {
    std::vector<std::string> texts;
    for (const std::string& problem : error.problems())
      texts.push_back(problem.substr(file.size()));
    return texts;
  }
  return {};
}

TEST_CASE("a link of an XML platform has a bandwidth above zero and a latency of at least zero") {
  CHECK(problems_of(pair_xml(kLink)) == Texts{});
  for (const std::string bandwidth :
       {"0Bps", "-1GBps", "nanBps", "infBps", "1e300GBps", "1e-9Bps", "fast"}) {
    CHECK(problems_of(pair_xml("bandwidth=\"" + bandwidth + "\" latency=\"0\"")) ==
          Texts{": link l: bandwidth: got \"" + bandwidth +
                "\"; expected a value from 1Bps to 1e15Bps"});
  }
  CHECK(problems_of(pair_xml("bandwidth=\"0\" latency=\"-1us\"")) ==
        Texts{": link l: bandwidth: got \"0\"; expected a value from 1Bps to 1e15Bps",
              ": link l: latency: got \"-1us\"; expected a value from 1e-10s to 1000s"});
}

TEST_CASE("an XML platform runs no programs, reads and writes no files, sets no options") {
  CHECK(problems_of(pair_xml(kLink,
                             "",
                             "<config><prop id=\"tracing/filename\" value=\"x\"/></config>"
                             "<include file=\"/etc/passwd\"/>",
                             "<actor host=\"a\" function=\"f\"/>")) ==
        Texts{": config: must not be there: the simulation's options are not the platform's to set",
              ": include: must not be there: a platform is one file",
              ": actor: must not be there: Epochcast brings the programs"});
  CHECK(
      problems_of(pair_xml(kLink + " bandwidth_file=\"changes.txt\"")) ==
      Texts{": link l: bandwidth_file: got \"changes.txt\"; expected nothing: links and hosts must "
            "not change while time passes"});
}

TEST_CASE("an XML platform has at most a million hosts and topologies that can be built") {
  const auto cluster = [](const std::string& more) {
    return "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"h\" suffix=\"\" speed=\"1Gf\" "
           "bw=\"1GBps\" lat=\"1us\" " +
           more + "/></platform>";
  };
  CHECK(problems_of(cluster("radical=\"0-1999999\"")) ==
        Texts{": has 2000000 hosts; at most 1000000 can be modelled"});
  CHECK(problems_of(cluster("radical=\"5-1\"")) ==
        Texts{": cluster c: radical: got \"5-1\"; expected numbers and ascending ranges such as "
              "\"0-7,12\""});
  CHECK(
      problems_of(
          cluster("radical=\"0-7\" topology=\"DRAGONFLY\" topo_parameters=\"4,1;1,1;2,1;1\"")) ==
      Texts{
          ": cluster c: topo_parameters: has 2 routers in a chassis and 4 groups; it needs as many "
          "routers, each of which is linked to one group"});
  CHECK(problems_of(cluster("radical=\"0-7\" topology=\"TORUS\" topo_parameters=\"3,3\"")) ==
        Texts{": cluster c: topo_parameters: got \"3,3\"; expected room for the 8 hosts of "
              "\"radical\", not for 9"});
}

TEST_CASE("an XML platform on which SimGrid aborts is a UserError") {
  const Texts problems = problems_of(pair_xml(kLink, "<host id=\"c\" speed=\"1Gf\"/>"));
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().starts_with(": SimGrid cannot use it: "));
  CHECK(problems_of(pair_xml(kLink, "<host id=\"a\" speed=\"1Gf\"/>")).size() == 1);
}

}  // namespace
}  // namespace epochcast::tests
