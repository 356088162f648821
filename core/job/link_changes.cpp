// SPDX-License-Identifier: Apache-2.0
#include "core/job/link_changes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace epochcast {
namespace {

constexpr double kLeastLatency_s = 1e-10;  // of links (docs/formats.md)

/// Costs of messages whose route changes in latency and bandwidth. Measured all-reduces do not
/// apply to other links.
MessageCosts moved(MessageCosts costs, double later_s, double times, const GivenFigure& given) {
  for (MessageRegime& regime : costs.regimes) {
    regime.bytes_per_s *= times;
    regime.latency_s = std::max(kLeastLatency_s, regime.latency_s + later_s);
  }
  costs.uncertainty = std::hypot(costs.uncertainty, kExtrapolationDeviation);
  costs.all_reduces.clear();
  costs.notes.push_back(given.name +
                        " is set: costs of messages change in proportion, and no measured "
                        "all-reduce applies");
  return costs;
}

void set_link(LinkSpec& link, Source& source, const LinkSpec& to, const GivenFigure& given) {
  if (to == link) return;
  link = to;
  source = {.grade = Grade::estimated, .method = given.name + " set for one job"};
}

/// From a worker of such a node to half of the shortest route to another node: its latency, and
/// the least bandwidth.
LinkSpec egress_link(const Platform& platform, const NodeGroup& group) {
  const Interlink& network = *platform.network;
  LinkSpec link = group.uplink ? group.uplink->link : network.link;
  if (network.topology == NetworkTopology::torus) link.latency_s /= 2;  // neighbours share a link
  if (group.interconnect) {
    const Interconnect& inside = *group.interconnect;
    const LinkSpec& first = inside.pcie ? *inside.pcie : inside.link;
    link.bytes_per_s = std::min(link.bytes_per_s, first.bytes_per_s);
    link.latency_s += first.latency_s;
  }
  return link;
}

std::vector<LinkSpec> egress_links(const Platform& platform) {
  std::vector<LinkSpec> links;
  if (!platform.network) return links;
  for (const NodeGroup& group : platform.nodes) links.push_back(egress_link(platform, group));
  return links;
}

/// Adapts the costs of messages to links that changed from `before`. Nodes whose messages
/// are no longer as the network's get their own.
void move_messages(Platform& platform,
                   const std::vector<LinkSpec>& before,
                   const GivenFigure& given) {
  const std::vector<LinkSpec> after = egress_links(platform);
  if (after == before) return;
  Interlink& network = *platform.network;
  const auto moved_of = [&](const MessageCosts& costs, std::size_t i) {
    if (after[i] == before[i]) return costs;
    return moved(costs,
                 2 * (after[i].latency_s - before[i].latency_s),  // at both ends
                 after[i].bytes_per_s / before[i].bytes_per_s,
                 given);
  };
  const std::optional<MessageCosts> old = network.messages;
  std::optional<MessageCosts> common;  // of nodes that the network's own link joins
  for (std::size_t i = 0; old && i < after.size() && !common; ++i) {
    if (!platform.nodes[i].uplink) common = moved_of(*old, i);
  }
  if (common) network.messages = common;
  for (std::size_t i = 0; i < after.size(); ++i) {
    NodeGroup& group = platform.nodes[i];
    if (group.uplink && group.uplink->messages) {
      group.uplink->messages = moved_of(*group.uplink->messages, i);
      continue;
    }
    if (!old) continue;
    MessageCosts own = moved_of(*old, i);
    if (own == network.messages) continue;
    if (network.topology != NetworkTopology::star)
      throw UserError(given.name +
                      ": messages between nodes were measured for all kinds of nodes together; "
                      "set it for all nodes of a star, or calibrate the changed cluster");
    if (!group.uplink)
      group.uplink = {.link = network.link, .messages = {}, .source = network.source};
    group.uplink->messages = std::move(own);
  }
}

LinkSpec changed(LinkSpec link, LinkMember member, double value) {
  link.*member = value;
  return link;
}

}  // namespace

void change_links(Platform& platform,
                  const GivenFigure& given,
                  const std::function<void()>& change) {
  const std::vector<LinkSpec> before = egress_links(platform);
  change();
  move_messages(platform, before, given);
}

void change_network(Platform& platform, LinkMember member, const GivenFigure& given) {
  Interlink& network = *platform.network;
  const LinkSpec to = changed(network.link, member, given.value);
  if (to == network.link) return;
  change_links(platform, given, [&] { set_link(network.link, network.source, to, given); });
}

void change_inside(NodeGroup& group, LinkMember member, const GivenFigure& given) {
  Interconnect& inside = *group.interconnect;
  const LinkSpec was = inside.link;
  const LinkSpec to = changed(was, member, given.value);
  set_link(inside.link, inside.source, to, given);
  if (!inside.messages || to == was) return;
  const bool has_switch =
      inside.topology == NodeTopology::pcie || inside.topology == NodeTopology::nvswitch;
  const double links = has_switch ? 2 : 1;
  const auto limit = [&](const LinkSpec& link) {
    return std::min(link.bytes_per_s, inside.backbone_bytes_per_s.value_or(link.bytes_per_s));
  };
  inside.messages = moved(std::move(*inside.messages),
                          links * (to.latency_s - was.latency_s),
                          limit(to) / limit(was),
                          given);
}

void change_pcie(const Platform& platform,
                 NodeGroup& group,
                 LinkMember member,
                 const GivenFigure& given) {
  Interconnect& inside = *group.interconnect;
  const LinkSpec to = changed(*inside.pcie, member, given.value);
  // Costs measured inside a node hold for all of its devices.
  if (!platform.network && inside.messages && to.latency_s != inside.pcie->latency_s)
    throw UserError(given.name +
                    ": changes nothing, as messages inside the node were measured; expected "
                    "node.latency to move these");
  set_link(*inside.pcie, inside.source, to, given);
}

void change_uplink(Platform& platform,
                   NodeGroup& group,
                   LinkMember member,
                   const GivenFigure& given) {
  Interlink& network = *platform.network;
  const LinkSpec was = group.uplink ? group.uplink->link : network.link;
  const LinkSpec to = changed(was, member, given.value);
  if (to == was) return;
  if (!group.uplink) group.uplink = {.link = was, .messages = {}, .source = network.source};
  set_link(group.uplink->link, group.uplink->source, to, given);
}

void change_backbone(Platform& platform, const GivenFigure& given) {
  Interlink& network = *platform.network;
  if (network.backbone_bytes_per_s == given.value) return;
  network.backbone_bytes_per_s = given.value;
  network.source = {.grade = Grade::estimated, .method = given.name + " set for one job"};
}

}  // namespace epochcast
