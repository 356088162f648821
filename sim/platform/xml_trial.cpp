// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/xml_trial.hpp"

#include <unistd.h>

#include <iostream>
#include <map>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/process/child.hpp"
#include "base/process/pipe.hpp"
#include "sim/engine.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr std::size_t kMostHostsForAllPairs = 300;

/// Ends this process if there is no route from one host to the other.
void require_route(const sg::Host* from, const sg::Host* to) {
  std::vector<sg::Link*> links;
  double latency_s = 0;
  from->route_to(to, links, &latency_s);
  if (!links.empty() || latency_s > 0) return;
  std::cerr << "no route from host " << from->get_name() << " to host " << to->get_name() << '\n';
  _exit(status_of(Ending::bad_input));
}

/// SimGrid would choose wrong routes between a zone's own hosts and those of zones inside it (see
/// node_zone.hpp).
void require_separate_zones(const std::vector<sg::Host*>& hosts) {
  std::map<const sg::NetZone*, bool> has_zones;
  for (const sg::Host* host : hosts) {
    const sg::NetZone* zone = host->get_englobing_zone();
    const auto [known, is_new] = has_zones.try_emplace(zone, false);
    if (is_new) known->second = !zone->get_children().empty();
    if (!known->second) continue;
    std::cerr << "zone " << zone->get_name() << " has both hosts (" << host->get_name()
              << ") and zones; put its hosts into a zone of their own\n";
    _exit(status_of(Ending::bad_input));
  }
}

void load_and_route(const std::string& file) {
  engine().load_platform(file);
  engine().seal_platform();
  const std::vector<sg::Host*> hosts = engine().get_all_hosts();
  require_separate_zones(hosts);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts.size() > kMostHostsForAllPairs) {
      // The pairs of rings, and of collectives with the first host as root.
      const std::size_t next = (i + 1) % hosts.size();
      require_route(hosts[i], hosts[next]);
      if (i == 0) continue;
      require_route(hosts[i], hosts.front());
      require_route(hosts.front(), hosts[i]);
      continue;
    }
    for (std::size_t j = 0; j < hosts.size(); ++j) {
      if (i != j) require_route(hosts[i], hosts[j]);
    }
  }
}

/// The last line with text, without SimGrid's "[0.000000] [category/LEVEL] ".
std::string complaint(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    const bool is_log = line.starts_with("[");
    const std::size_t end = is_log ? line.rfind("] ") : std::string::npos;
    std::string said = end == std::string::npos ? line : line.substr(end + 2);
    if (!said.empty() && !said.starts_with("Backtrace") && !said.starts_with("  ->"))
      last = std::move(said);
  }
  return last;
}

}  // namespace

void try_xml_platform(const std::string& file) {
  Pipe pipe;
  Child child = Child::fork([&] {
    dup2(pipe.writing.number(), STDERR_FILENO);
    dup2(pipe.writing.number(), STDOUT_FILENO);
    try {
      load_and_route(file);
      return status_of(Ending::done);
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
      return status_of(Ending::bad_input);
    }
  });
  pipe.writing.reset();
  std::string text;
  for (std::string more = read_some(pipe.reading); !more.empty(); more = read_some(pipe.reading))
    text += more;
  const ExitStatus status = child.wait();
  if (status.ending() == Ending::done) return;
  const std::string said = complaint(text);
  throw UserError(file + ": SimGrid cannot use it: " + (said.empty() ? status.death() : said));
}

}  // namespace epochcast::sim
