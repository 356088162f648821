// SPDX-License-Identifier: Apache-2.0
#include "core/job/platform_figures.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/job/job.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

const Catalog& catalog() {
  static const Catalog known(EPOCHCAST_SOURCE_DIR);
  return known;
}

Platform platform_named(const std::string& name) {
  return platform_in(catalog().find("models/platforms", name, "test"));
}

Platform changed(Platform platform, const std::map<std::string, std::string>& figures) {
  JobConfig config;
  for (const auto& [name, text] : figures) config.platform_figures.emplace(name, text);
  apply_figures(platform, config);
  return platform;
}

Texts refused(const std::string& platform, const std::string& name, const std::string& text) {
  return problems_of([&] { static_cast<void>(changed(platform_named(platform), {{name, text}})); });
}

double value_of(const Platform& platform, const std::string& name) {
  const std::vector<PlatformFigure> figures = figures_of(platform, "");
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const PlatformFigure& each) {
    return each.name == name;
  });
  REQUIRE(found != figures.end());
  return found->value;
}

/// In the form of calibrate: messages between two nodes cross two links.
Platform calibrated() {
  Platform platform = platform_named("cloud-1xa10-10g");
  platform.nodes.front().interconnect.reset();
  platform.network->link = {.bytes_per_s = 1e9,
                            .latency_s = figure_value(FigureKind::link_latency, "20us")};
  platform.network->messages =
      MessageCosts{.regimes = {{.from_bytes = 0, .latency_s = 40e-6, .bytes_per_s = 5e8},
                               {.from_bytes = 65536, .latency_s = 100e-6, .bytes_per_s = 9e8}}};
  return platform;
}

TEST_CASE("a figure that is set to the file's value changes no platform of the catalogue") {
  for (const std::string& name : catalog().names("models/platforms")) {
    const Platform platform = platform_named(name);
    for (const PlatformFigure& figure : figures_of(platform, "")) {
      CAPTURE(name, figure.name);
      const Platform same =
          changed(platform, {{figure.name, figure_text(figure.kind, figure.value)}});

      const std::vector<PlatformFigure> before = figures_of(platform, "");
      const std::vector<PlatformFigure> after = figures_of(same, "");
      REQUIRE(before.size() == after.size());
      const bool is_uniform =  // else the first one's value is set for all
          figure.name.find('.') != figure.name.rfind('.') || platform.nodes.size() == 1;
      if (is_uniform && !figure.name.starts_with("device.")) CHECK(same == platform);
    }
  }
}

TEST_CASE("a figure has the value that is set, and its text is parsed back") {
  for (const std::string& name : catalog().names("models/platforms")) {
    const Platform platform = platform_named(name);
    for (const PlatformFigure& figure : figures_of(platform, "")) {
      CAPTURE(name, figure.name);
      const double half = figure.kind == FigureKind::count ? 1 : figure.value / 2;
      const std::string text = figure_text(figure.kind, half);

      CHECK(kind_of_figure(figure.name) == figure.kind);
      CHECK(figure_text(figure.kind, figure_value(figure.kind, text)) == text);
      CHECK(value_of(changed(platform, {{figure.name, text}}), figure.name) ==
            figure_value(figure.kind, text));
    }
  }
}

TEST_CASE("a figure of one kind of node or device overrides one for all") {
  Platform two = platform_named("cloud-4xt4-50g");
  two.nodes.push_back(two.nodes.front());
  two.nodes.back().name = "other";
  two.nodes.back().devices.front().model = "t4g";

  const Platform platform = changed(two,
                                    {{"node.bandwidth", "1GBps"},
                                     {"node.other.bandwidth", "2GBps"},
                                     {"device.gpu.speed", "3"},
                                     {"device.t4.speed", "4"},
                                     {"node.devices", "8"}});

  CHECK(platform.nodes[0].interconnect->link.bytes_per_s == 1e9);
  CHECK(platform.nodes[1].interconnect->link.bytes_per_s == 2e9);
  CHECK(platform.nodes[0].devices[0].speed == 4);
  CHECK(platform.nodes[1].devices[0].speed == 3);
  CHECK(platform.nodes[0].devices[0].count == 8);
  CHECK(platform.nodes[1].devices[0].count == 8);
}

TEST_CASE("nodes get their own copy of the network's link with the figure that is set") {
  const Platform platform =
      changed(platform_named("cloud-1xa10-10g"), {{"node.uplink-bandwidth", "2GBps"}});

  REQUIRE(platform.nodes.front().uplink);
  CHECK(platform.nodes.front().uplink->link == LinkSpec{2e9, platform.network->link.latency_s});
  // No node is left on the network's own link.
  CHECK(problems_of([&] {
          static_cast<void>(changed(platform, {{"network.bandwidth", "1GBps"}}));
        }).size() == 1);
}

const std::string kMovedBandwidth =
    "network.bandwidth is set: costs of messages change in proportion, and no measured all-reduce "
    "applies";

TEST_CASE("measured costs of messages are adapted to links that are set") {
  const Platform platform =
      changed(calibrated(), {{"network.bandwidth", "4GBps"}, {"network.latency", "10us"}});
  const MessageCosts& messages = *platform.network->messages;

  // Four times the bandwidth; two links of 20 us less 10 us each.
  CHECK(messages.regimes[0].bytes_per_s == Approx(2e9));
  CHECK(messages.regimes[0].latency_s == Approx(20e-6));
  CHECK(messages.regimes[1].bytes_per_s == Approx(3.6e9));
  CHECK(messages.regimes[1].latency_s == Approx(80e-6));
  CHECK(messages.notes == Texts{kMovedBandwidth, "network.latency" + kMovedBandwidth.substr(17)});
}

/// As calibrated(), with devices behind a bus of 2 us, and nodes of a second kind with their own
/// link of the same speed.
Platform calibrated_with_uplinks() {
  Platform platform = calibrated();
  NodeGroup& group = platform.nodes.front();
  group.count = 2;
  group.devices.front().count = 2;
  group.interconnect = Interconnect{};
  group.interconnect->topology = NodeTopology::shared_memory;
  group.interconnect->link = {.bytes_per_s = 8e9, .latency_s = 2e-6};
  group.interconnect->source = platform.network->source;
  platform.nodes.push_back(group);
  platform.nodes.back().name = "own";
  platform.nodes.back().uplink =
      Uplink{.link = platform.network->link, .messages = {}, .source = platform.network->source};
  return platform;
}

double first_latency_s(const MessageCosts& costs) { return costs.regimes.front().latency_s; }

TEST_CASE("the latency of links inside nodes counts in messages between nodes") {
  const Platform all = changed(calibrated_with_uplinks(), {{"node.latency", "5us"}});

  // 3 us more at both ends.
  CHECK(first_latency_s(*all.network->messages) == Approx(46e-6));
  CHECK(first_latency_s(all.nodes[1].uplink->messages.value_or(*all.network->messages)) ==
        Approx(46e-6));
}

TEST_CASE("latencies of PCIe count in messages between nodes") {
  Platform platform = calibrated_with_uplinks();
  platform.nodes.pop_back();
  platform.nodes[0].interconnect->topology = NodeTopology::nvlink;
  platform.nodes[0].interconnect->pcie = LinkSpec{.bytes_per_s = 4e9, .latency_s = 1e-6};

  CHECK(first_latency_s(*changed(platform, {{"node.pcie-latency", "4us"}}).network->messages) ==
        Approx(46e-6));
  // PCIe limits messages only if it is slower than the network's 1 GB/s.
  const auto first_rate = [&](const std::string& pcie) {
    const Platform set = changed(platform, {{"node.pcie-bandwidth", pcie}});
    return set.network->messages->regimes.front().bytes_per_s;
  };
  CHECK(first_rate("2GBps") == Approx(5e8));
  CHECK(first_rate("500MBps") == Approx(2.5e8));
}

TEST_CASE("the network's link does not change messages of nodes with their own link") {
  const Platform set = changed(calibrated_with_uplinks(), {{"network.bandwidth", "2GBps"}});

  CHECK(set.network->messages->regimes.front().bytes_per_s == Approx(1e9));
  REQUIRE(set.nodes[1].uplink->messages);
  CHECK(set.nodes[1].uplink->messages->regimes.front().bytes_per_s == Approx(5e8));
}

TEST_CASE("an uplink changes the messages of its nodes, at both ends") {
  const Platform platform = calibrated_with_uplinks();

  const Platform set = changed(platform, {{"node.own.uplink-latency", "30us"}});

  CHECK(set.network->messages == platform.network->messages);
  CHECK(first_latency_s(*set.nodes[1].uplink->messages) == Approx(60e-6));
  // To a node of the other kind, it is one end: 10 us more.
  CHECK(first_latency_s(between_ends(*set.network->messages, *set.nodes[1].uplink->messages)) ==
        Approx(50e-6));
}

TEST_CASE("all-reduces that were measured on a link do not apply once it is set") {
  Platform platform = calibrated();
  MessageCosts& messages = *platform.network->messages;
  messages.all_reduces = {{.algorithm = "ring", .bytes = 1e6, .measured_s = 2, .ranks = 2}};

  const Platform set = changed(platform, {{"network.latency", "10us"}});

  CHECK(set.network->messages->measured_factor("ring", 1e6, 2) == 1);
  CHECK(set.network->messages->uncertainty_of("ring", 1e6, 2) == kExtrapolationDeviation);
}

/// The platform of a file with one value replaced, with the sources of `like`.
Platform edited(const Platform& like, const std::string& pointer, const std::string& value) {
  nlohmann::json document = to_json(like);
  document.at(nlohmann::json::json_pointer(pointer)) = value;
  Platform platform = parse_platform(document, like.path);
  platform.path = like.path;
  return platform;
}

void take_sources(Platform& platform, const Platform& from) {
  if (platform.network) platform.network->source = from.network->source;
  for (std::size_t i = 0; i < platform.nodes.size(); ++i) {
    if (platform.nodes[i].interconnect)
      platform.nodes[i].interconnect->source = from.nodes[i].interconnect->source;
  }
}

TEST_CASE("a figure that is set has the same effect as in the file") {
  const std::string inside = "/nodes/0/interconnect/";
  const std::pair<std::string, std::string> places[] = {
      {"network.bandwidth", "/network/bandwidth"},
      {"network.latency", "/network/latency"},
      {"network.backbone", "/network/backbone"},
      {"node.bandwidth", inside + "bandwidth"},
      {"node.latency", inside + "latency"},
      {"node.backbone", inside + "backbone"},
      {"node.pcie-bandwidth", inside + "pcie/bandwidth"},
      {"node.pcie-latency", inside + "pcie/latency"},
      {"node.uplink-bandwidth", "/nodes/0/uplink/bandwidth"},
      {"node.uplink-latency", "/nodes/0/uplink/latency"}};
  int compared = 0;
  for (const std::string& name : catalog().names("models/platforms")) {
    const Platform platform = platform_named(name);
    if (platform.nodes.size() > 1 || platform.nodes.front().count < 2) continue;
    for (const PlatformFigure& figure : figures_of(platform, "")) {
      const auto* const place =
          std::find_if(std::begin(places), std::end(places), [&](const auto& each) {
            return each.first == figure.name;
          });
      if (place == std::end(places)) continue;
      if (figure.name.find("uplink") != std::string::npos && !platform.nodes.front().uplink)
        continue;  // absent in the file
      CAPTURE(name, figure.name);
      const std::string text = figure_text(figure.kind, 3 * figure.value);
      Platform file = edited(platform, place->second, text);
      const Platform set = changed(platform, {{figure.name, text}});
      take_sources(file, set);
      CHECK(set == file);
      ++compared;
    }
  }
  CHECK(compared > 40);
}

TEST_CASE("links of one kind of nodes cannot be set in a measured network other than a star") {
  Platform platform = calibrated_with_uplinks();
  platform.nodes.back().uplink.reset();
  platform.network->topology = NetworkTopology::torus;
  platform.network->dimensions = {2, 2};

  CHECK(problems_of([&] {
          static_cast<void>(changed(platform, {{"node.own.latency", "5us"}}));
        }) == Texts{"node.own.latency: messages between nodes were measured for all kinds of nodes "
                    "together; set it for all nodes of a star, or calibrate the changed cluster"});
}

TEST_CASE("a backbone stated by a platform stays when links are set") {
  Platform platform = calibrated();
  platform.network->backbone_bytes_per_s = 6.4e7;

  for (const char* figure : {"network.bandwidth", "node.uplink-bandwidth"})
    CHECK(changed(platform, {{figure, "4GBps"}}).network->backbone_bytes_per_s == 6.4e7);
  CHECK(changed(platform, {{"network.bandwidth", "4GBps"}, {"network.backbone", "1GBps"}})
            .network->backbone_bytes_per_s == 1e9);
}

TEST_CASE("links that are set are of estimated grade") {
  Platform platform = calibrated();
  const Source measured = {
      .grade = Grade::measured, .machine = "box", .date = "2026-11-21", .command = "calibrate"};
  platform.source = platform.network->source = measured;

  CHECK(changed(platform, {{"network.latency", "20us"}}).grade() == Grade::measured);
  CHECK(changed(platform, {{"network.latency", "10us"}}).grade() == Grade::estimated);
  CHECK(changed(platform, {{"node.count", "8"}}).grade() == Grade::measured);
}

TEST_CASE("a figure that the platform does not have is refused with those that it has") {
  const std::string esb = "platform deep-est-esb (" + platform_named("deep-est-esb").path + "): ";

  const Texts backbone = refused("deep-est-esb", "network.backbone", "1GBps");
  REQUIRE(backbone.size() == 1);
  CHECK(backbone[0].starts_with(esb + "unknown figure \"network.backbone\"; known: "
                                      "network.bandwidth, network.latency, node.count, "));
  CHECK(refused("deep-est-esb", "device.v100.speed", "2") ==
        Texts{esb + "unknown figure \"device.v100.speed\"; did you mean \"device.gpu.speed\"?"});
  CHECK(problems_of([] { static_cast<void>(kind_of_figure("network.bandwith")); }) ==
        Texts{"unknown figure of a platform \"network.bandwith\"; did you mean "
              "\"network.bandwidth\"?"});
  CHECK(problems_of([] { static_cast<void>(kind_of_figure("node.esb.bandwith")); }) ==
        Texts{"unknown figure of a platform \"node.esb.bandwith\"; did you mean "
              "\"node.esb.bandwidth\"?"});
}

TEST_CASE("a value that is invalid in files is refused with its path") {
  const Texts room = refused("deep-est-esb", "node.count", "1000");
  REQUIRE(room.size() == 1);
  CHECK(room[0].find(", node.count=1000: /network: has room for 90 nodes, the platform has 1000") !=
        std::string::npos);
  const Texts several = refused("server-2cpu-8gpu", "node.count", "2");
  REQUIRE(several.size() == 1);
  CHECK(several[0].find("has 2 nodes, so it needs a \"network\"") != std::string::npos);
  CHECK(problems_of([] { static_cast<void>(figure_value(FigureKind::link_bandwidth, "25")); }) ==
        Texts{"got \"25\"; expected a bandwidth with its unit, such as \"12.5GBps\""});
  CHECK(problems_of([] { static_cast<void>(figure_value(FigureKind::factor, "0")); }) ==
        Texts{"got \"0\"; expected a factor from 0.0001 to 10000, such as 2"});
}

TEST_CASE("figures of platforms that SimGrid reads itself cannot be set") {
  Platform platform;
  platform.path = platform.simgrid_xml = "box.xml";

  CHECK(problems_of([&] {
          static_cast<void>(changed(platform, {{"network.bandwidth", "1GBps"}}));
        }) == Texts{"network.bandwidth: box.xml is a SimGrid file, whose figures are unknown; "
                    "describe the cluster as JSON to set them"});
}

TEST_CASE("setting links that --exchange-seconds replaces is refused") {
  Platform platform = platform_named("deep-est-esb");
  JobConfig config;
  config.exchange_seconds = {{"all", 1}};
  config.platform_figures.emplace("network.latency", "1us");

  CHECK(problems_of([&] { apply_figures(platform, config); }) ==
        Texts{"network.latency: changes nothing, as --exchange-seconds stands for the network"});
}

}  // namespace
}  // namespace epochcast::tests
