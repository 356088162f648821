// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/xml_checks.hpp"

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <string_view>
#include <vector>
#include <xbt/parse_units.hpp>

#include "base/error.hpp"
#include "base/files/text_file.hpp"
#include "base/text/plausible.hpp"
#include "core/formats/interlink.hpp"
#include "sim/platform/xml_values.hpp"

namespace epochcast::sim {
namespace {

constexpr std::int64_t kMostHosts = 1'000'000;
constexpr int kDeepest = 32;
constexpr std::size_t kMostProblems = 50;

/// Allowed elements (empty text), and the reasons for refusing other elements of SimGrid.
const std::map<std::string_view, std::string_view> kElements = {
    {"platform", ""},
    {"zone", ""},
    {"AS", ""},
    {"host", ""},
    {"disk", ""},
    {"prop", ""},
    {"router", ""},
    {"link", ""},
    {"backbone", ""},
    {"cluster", ""},
    {"cabinet", ""},
    {"peer", ""},
    {"host_link", ""},
    {"route", ""},
    {"zoneRoute", ""},
    {"ASroute", ""},
    {"bypassRoute", ""},
    {"bypassZoneRoute", ""},
    {"bypassASroute", ""},
    {"link_ctn", ""},
    {"include", "a platform is one file"},
    {"config", "the simulation's options are not the platform's to set"},
    {"actor", "Epochcast brings the programs"},
    {"process", "Epochcast brings the programs"},
    {"argument", "Epochcast brings the programs"},
    {"trace", "links and hosts must not change while time passes"},
    {"trace_connect", "links and hosts must not change while time passes"},
    {"random", "SimGrid passes over it"},
    {"storage", "disks are not simulated"},
    {"storage_type", "disks are not simulated"},
    {"mount", "disks are not simulated"},
    {"model_prop", "disks are not simulated"},
};

/// Walks through the document and collects problems.
class Checker {
 public:
  explicit Checker(std::string file) : file_(std::move(file)) {}

  void check(const pugi::xml_node& node, int depth = 0) {
    if (depth > kDeepest) {
      problem(node, "nested deeper than any platform");
      return;
    }
    const std::string_view name = node.name();
    const auto known = kElements.find(name);
    if (known == kElements.end() || !known->second.empty()) {
      const std::string why =
          known == kElements.end() ? "no element of SimGrid platforms" : std::string(known->second);
      problem(node, "must not be there: " + why);
      return;
    }
    for (const pugi::xml_attribute& attribute : node.attributes()) check(node, attribute);
    if (name == "host" || name == "peer") hosts_ += 1;
    if (name == "cluster" || name == "cabinet") check_many_hosts(node);
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element) check(child, depth + 1);
    }
  }

  void finish() {
    if (hosts_ > kMostHosts) {
      problems_.push_back(file_ + ": has " + std::to_string(hosts_) +
                          " hosts; at most 1000000 can be modelled");
    }
    if (problems_.size() > kMostProblems) {
      const std::size_t more = problems_.size() - kMostProblems;
      problems_.resize(kMostProblems);
      problems_.push_back(file_ + ": and " + std::to_string(more) + " more problems");
    }
    if (!problems_.empty()) throw UserError(problems_);
  }

 private:
  void problem(const pugi::xml_node& node, const std::string& text) {
    const std::string id = node.attribute("id").value();
    problems_.push_back(file_ + ": " + node.name() + (id.empty() ? "" : " " + id) + ": " + text);
  }

  void expected(const pugi::xml_node& node,
                const pugi::xml_attribute& attribute,
                const std::string& expected) {
    problem(node,
            std::string(attribute.name()) + ": got \"" + attribute.value() + "\"; expected " +
                expected);
  }

  void check(const pugi::xml_node& node, const pugi::xml_attribute& attribute) {
    const std::string_view name = attribute.name();
    const std::string_view value = attribute.value();
    if (name.ends_with("_file") && !value.empty()) {
      expected(node, attribute, "nothing: links and hosts must not change while time passes");
    } else if (name == "sharing_policy" && value == "WIFI") {
      expected(node, attribute, "a link of a cable");
    } else if (name == "core" && !(whole(value) && *whole(value) > 0)) {
      expected(node, attribute, "a whole number of at least 1");
    } else if (name == "bandwidth" || name == "bw" || name == "bw_in" || name == "bw_out" ||
               name == "read_bw" || name == "write_bw" ||
               ((name == "bb_bw" || name == "loopback_bw" || name == "limiter_link") &&
                !value.empty())) {
      check_quantity(node, attribute, Dimension::bytes_per_s, xbt_parse_get_bandwidth);
    } else if (name == "latency" || name == "lat" || name == "bb_lat" ||
               (name == "loopback_lat" && !value.empty())) {
      check_quantity(node, attribute, Dimension::seconds, xbt_parse_get_time);
    } else if (name == "speed") {
      check_speeds(node, attribute);
    }
  }

  using Parse = double (*)(const std::string& file,
                           int line,
                           const std::string& text,
                           const std::string& kind);

  void check_quantity(const pugi::xml_node& node,
                      const pugi::xml_attribute& attribute,
                      Dimension dimension,
                      Parse parse) {
    const auto value = parsed(attribute.value(), parse);
    const bool may_be_zero = dimension == Dimension::seconds;
    const bool is_good = value && is_plausible_of_link(dimension, *value) &&
                         (*value > 0 || (may_be_zero && *value == 0));
    if (!is_good) expected(node, attribute, plausible_text_of_link(dimension));
  }

  void check_speeds(const pugi::xml_node& node, const pugi::xml_attribute& attribute) {
    for (const std::string_view part : split(attribute.value(), ',')) {
      const auto value = parsed(part, xbt_parse_get_speed);
      if (value && *value > 0 && is_plausible(Dimension::flops_per_s, *value)) continue;
      expected(node, attribute, plausible_text(Dimension::flops_per_s));
      return;
    }
  }

  /// The value that SimGrid parses; none if it cannot.
  static std::optional<double> parsed(std::string_view text, Parse parse) {
    try {
      return parse("", 0, std::string(text), "");
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  void check_many_hosts(const pugi::xml_node& node) {
    const pugi::xml_attribute radical = node.attribute("radical");
    const auto size = radical_size(radical.value());
    if (!size) {
      expected(node, radical, "numbers and ascending ranges such as \"0-7,12\"");
      return;
    }
    hosts_ += *size;
    const pugi::xml_attribute kind = node.attribute("topology");
    if (kind.empty() || std::string_view(kind.value()) == "FLAT") return;
    const pugi::xml_attribute parameters = node.attribute("topo_parameters");
    const auto network = cluster_topology(kind.value(), parameters.value());
    if (!network) {
      expected(node, parameters, std::string("the parameters of a ") + kind.value());
    } else if (network->capacity() != *size) {
      expected(node,
               parameters,
               "room for the " + std::to_string(*size) + " hosts of \"radical\", not for " +
                   std::to_string(network->capacity()));
    } else if (const std::string why = why_impossible(*network); !why.empty()) {
      problem(node, "topo_parameters: " + why);
    }
  }

  std::string file_;
  std::vector<std::string> problems_;
  std::int64_t hosts_ = 0;
};

}  // namespace

void check_xml_platform(const std::string& file) {
  const std::string text = read_text_file(file);
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_auto);
  if (!result) {
    const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
    const auto line =
        1 + std::count(text.begin(),
                       text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())),
                       '\n');
    throw UserError(file + ":" + std::to_string(line) + ": is no XML: " + result.description());
  }
  for (const pugi::xml_node& node : document.children()) {
    if (node.type() == pugi::node_doctype &&
        std::string_view(node.value()).find('[') != std::string_view::npos) {
      throw UserError(file + ": declares entities or elements of its own; SimGrid's are enough");
    }
  }
  const pugi::xml_node platform = document.document_element();
  if (std::string_view(platform.name()) != "platform") {
    throw UserError(file + ": got <" + platform.name() + ">; expected a <platform>");
  }
  Checker checker(file);
  checker.check(platform);
  checker.finish();
}

}  // namespace epochcast::sim
