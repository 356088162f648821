// SPDX-License-Identifier: Apache-2.0
#include "tests/robustness/simgrid_xml.hpp"

#include <map>
#include <sstream>

#include "core/job/placement.hpp"
#include "tests/robustness/described_routes.hpp"

namespace epochcast::tests {
namespace {

std::string host_of(const WorkerInfo& device) {
  return "host-" + std::to_string(device.node) + "-" + std::to_string(device.device);
}

void write_host(std::ostream& out, const WorkerInfo& device) {
  const auto property = [&out](const char* name, const std::string& value) {
    out << "<prop id=\"" << name << "\" value=\"" << value << "\"/>";
  };
  out << "<host id=\"" << host_of(device) << "\" speed=\"1Gf\">";
  property("node", "node-" + std::to_string(device.node));
  property("class", device.device_class);
  property("model", device.model);
  if (device.reduce_s_per_byte > 0) {
    std::ostringstream rate;
    rate.precision(17);
    rate << 1 / device.reduce_s_per_byte << "Bps";
    property("reduce", rate.str());
  }
  out << "</host>\n";
}

}  // namespace

std::string as_simgrid_xml(const Platform& platform) {
  const std::vector<WorkerInfo> devices = all_devices(platform, JobConfig{});
  std::ostringstream hosts;
  std::ostringstream links;
  std::ostringstream routes;
  links.precision(17);
  std::map<std::string, bool> written;
  for (const WorkerInfo& from : devices) {
    write_host(hosts, from);
    for (const WorkerInfo& to : devices) {
      if (&from == &to) continue;
      routes << "<route src=\"" << host_of(from) << "\" dst=\"" << host_of(to)
             << "\" symmetrical=\"NO\">";
      for (const RouteLink& link : described_route(platform, from, to)) {
        routes << "<link_ctn id=\"" << link.name << "\"/>";
        if (!written.try_emplace(link.name, true).second) continue;
        links << "<link id=\"" << link.name << "\" bandwidth=\"" << link.bytes_per_s
              << "Bps\" latency=\"" << link.latency_s << "s\"/>\n";
      }
      routes << "</route>\n";
    }
  }
  return "<?xml version=\"1.0\"?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n<zone id=\"zone\" routing=\"Full\">\n" +
         hosts.str() + links.str() + routes.str() + "</zone>\n</platform>\n";
}

}  // namespace epochcast::tests
