// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/xml_values.hpp"

#include <charconv>

namespace epochcast::sim {
namespace {

/// "4,2,1" as whole numbers above zero; empty for other texts.
std::vector<int> counts(std::string_view text) {
  std::vector<int> all;
  for (const std::string_view part : split(text, ',')) {
    const auto number = whole(part);
    if (!number || *number == 0) return {};
    all.push_back(*number);
  }
  return all;
}

}  // namespace

std::optional<int> whole(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole =
      error == std::errc{} && end == text.data() + text.size() && number >= 0 && text.size() <= 9;
  return is_whole ? std::optional(number) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> radical_size(std::string_view radical) {
  std::int64_t size = 0;
  for (const std::string_view part : split(radical, ',')) {
    const auto ends = split(part, '-');
    const auto first = whole(ends.front());
    const auto last = whole(ends.back());
    if (ends.size() > 2 || !first || !last || *last < *first) return std::nullopt;
    size += *last - *first + 1;
  }
  return size;
}

std::optional<Interlink> cluster_topology(std::string_view kind, std::string_view parameters) {
  const auto parts = split(parameters, ';');
  Interlink network;
  if (kind == "TORUS") {
    network.topology = NetworkTopology::torus;
    network.dimensions = counts(parameters);
    return network.dimensions.empty() ? std::nullopt : std::optional(network);
  }
  if (parts.size() != 4) return std::nullopt;
  const std::vector<int> a = counts(parts[0]);
  const std::vector<int> b = counts(parts[1]);
  const std::vector<int> c = counts(parts[2]);
  const std::vector<int> d = counts(parts[3]);
  if (kind == "FAT_TREE") {
    network.topology = NetworkTopology::fat_tree;
    network.down = b;
    network.up = c;
    network.cables = d;
    const auto levels = a.size() == 1 ? static_cast<std::size_t>(a.front()) : 0;
    const bool is_whole =
        levels > 0 && b.size() == levels && c.size() == levels && d.size() == levels;
    return is_whole ? std::optional(network) : std::nullopt;
  }
  if (a.size() != 2 || b.size() != 2 || c.size() != 2 || d.size() != 1) return std::nullopt;
  network.topology = NetworkTopology::dragonfly;
  network.groups = a[0];
  network.chassis = b[0];
  network.routers = c[0];
  network.nodes_per_router = d[0];
  network.cables = {a[1], b[1], c[1]};
  return network;
}

}  // namespace epochcast::sim
