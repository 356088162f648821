// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <boost/program_options.hpp>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/text/suggest.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/table.hpp"
#include "cli/show/table_style.hpp"
#include "collectives/registry.hpp"
#include "compression/compression.hpp"
#include "core/formats/device.hpp"
#include "core/job/job.hpp"
#include "strategies/groups.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;
using enum Table::Align;

/// The location of a file: a folder of the user's, or Epochcast's.
std::string origin_of(const Catalog& catalog, const std::filesystem::path& file) {
  for (const std::filesystem::path& own : catalog.own()) {
    if (file.string().starts_with((own / "").string())) return own == "." ? "here" : own.string();
  }
  return "epochcast";
}

std::string devices_text(const NodeGroup& node) {
  std::string text;
  for (const DeviceGroup& device : node.devices) {
    text += (text.empty() ? "" : " + ") + std::to_string(device.count) + " " + device.model;
  }
  return text;
}

void list_platforms(const TableLook& look) {
  const Catalog catalog = Catalog::standard();
  Table table;
  table.add_column("platform");
  table.add_column("nodes", right);
  table.add_column("each with");
  table.add_column("grade");
  table.add_column("from");
  table.add_column("what");
  for (const std::string& name : catalog.names("models/platforms")) {
    const auto file = catalog.find("models/platforms", name, "list");
    const Platform platform = load_platform(file);
    for (const NodeGroup& node : platform.nodes) {
      table.add_row({name,
                     std::to_string(node.count),
                     devices_text(node),
                     std::string(to_string(platform.grade())),
                     origin_of(catalog, file),
                     platform.title});
    }
  }
  table.print_whole(std::cout, look);
}

void list_networks(const TableLook& look) {
  const Catalog catalog = Catalog::standard();
  Table table;
  table.add_column("network");
  table.add_column("samples");
  table.add_column("parameters", right);
  table.add_column("forward Gflop", right);
  table.add_column("from");
  table.add_column("what");
  for (const std::string& name : catalog.names("models/networks")) {
    const auto file = catalog.find("models/networks", name, "list");
    const nlohmann::json document = read_json_file(file, kSamplesFile);
    for (const auto& variant : document.at("variants")) {
      const Dataset dataset =
          dataset_of_shape(variant.at("input").get<std::vector<std::int64_t>>());
      const Network network = parse_network(document, file.string(), dataset);
      table.add_row({name,
                     shape_text(dataset.shape),
                     std::to_string(network.parameters()),
                     fmt::format("{:.3f}", network.forward_flops() / 1e9),
                     origin_of(catalog, file),
                     network.title});
    }
  }
  table.print_whole(std::cout, look);
  std::cout << "\nParameters and flops (of one sample) are for 1000 classes with 224x224 images, "
               "else for 10.\n";
}

std::string rate_text(const DeviceSpec& device, Precision precision) {
  const auto rate = device.flops_per_s.find(precision);
  return rate == device.flops_per_s.end() ? "-" : fmt::format("{:.4g}", rate->second / 1e12);
}

void list_devices(const TableLook& look) {
  const Catalog catalog = Catalog::standard();
  Table table;
  table.add_column("device");
  table.add_column("class");
  for (const char* title : {"float32", "tf32", "float16", "bfloat16", "memory", "bandwidth"})
    table.add_column(title, right);
  table.add_column("grade");
  table.add_column("from");
  table.add_column("what");
  for (const std::string& name : catalog.names("models/devices")) {
    const auto file = catalog.find("models/devices", name, "list");
    const DeviceSpec device = load_device(file);
    std::vector<std::string> row = {name, device.device_class};
    for (const auto& [text, precision] : kPrecisions) row.push_back(rate_text(device, precision));
    row.push_back(fmt::format("{:.4g} GiB", device.memory_bytes / 1073741824.0));
    row.push_back(format_bytes(device.memory_bytes_per_s) + "/s");
    row.emplace_back(to_string(device.source.grade));
    row.push_back(origin_of(catalog, file));
    row.push_back(device.title);
    table.add_row(row);
  }
  table.print_whole(std::cout, look);
  std::cout << "\nPeak rates in Tflop/s, of dense matrices.\n";
}

void list_datasets(const TableLook& look) {
  const Catalog catalog = Catalog::standard();
  Table table;
  table.add_column("data set");
  table.add_column("training", right);
  table.add_column("test", right);
  table.add_column("samples");
  table.add_column("classes", right);
  table.add_column("from");
  table.add_column("what");
  for (const std::string& name : catalog.names("models/datasets")) {
    const auto file = catalog.find("models/datasets", name, "list");
    const Dataset dataset = load_dataset(file);
    table.add_row({name,
                   std::to_string(dataset.train_samples),
                   std::to_string(dataset.test_samples),
                   shape_text(dataset.shape),
                   std::to_string(dataset.classes),
                   origin_of(catalog, file),
                   dataset.title});
  }
  table.print_whole(std::cout, look);
}

void list_strategies(const TableLook& look) {
  for (const StrategyGroup& group : strategy_groups()) {
    Table table;
    table.add_column("strategy");
    table.add_column("what");
    table.add_column("combines with");
    table.add_column("source");
    for (const std::string_view name : group.names) {
      const Strategy& strategy = find_strategy(name);
      table.add_row({std::string(strategy.name),
                     std::string(strategy.summary),
                     combinations_of(strategy),
                     std::string(strategy.source)});
    }
    std::cout << group.title << '\n';
    table.print_whole(std::cout, look);
    std::cout << '\n';
  }
}

void list_collectives(const TableLook& look) {
  Table table;
  table.add_column("all-reduce");
  table.add_column("what");
  for (const AllReduceName& each : all_reduce_names()) {
    table.add_row({std::string(each.name), std::string(each.description)});
  }
  table.print_whole(std::cout, look);
}

void list_compressions(const TableLook& look) {
  Table table;
  table.add_column("compression");
  table.add_column("what");
  table.add_column("error feedback");
  table.add_column("exchanged by");
  table.add_column("source");
  for (const CompressionMethod& method : compressions()) {
    table.add_row({std::string(method.name),
                   std::string(method.summary),
                   method.has_error_feedback ? "yes" : "-",
                   std::string(method.collectives),
                   std::string(method.source)});
  }
  table.print_whole(std::cout, look);
}

void list_traces(const TableLook& look) {
  Table table;
  table.add_column("device");
  table.add_column("grade");
  table.add_column("trace");
  table.add_column("from");
  table.add_column("networks");
  const Catalog catalog = Catalog::standard();
  for (const TraceFile& file : catalog_traces(catalog)) {
    std::string networks;
    std::set<std::string> seen;
    for (const CostTrace& cost : file.costs) {
      if (seen.insert(cost.network).second)
        networks += (networks.empty() ? "" : " ") + cost.network;
    }
    table.add_row({file.device,
                   std::string(to_string(file.source.grade)),
                   file.name,
                   origin_of(catalog, file.costs.front().file),
                   networks});
  }
  table.print_whole(std::cout, look);
}

/// A catalogue list, and its names.
struct List {
  void (*show)(const TableLook& look) = nullptr;
  std::vector<std::string> (*names)() = nullptr;
};

/// Names of files of the catalogue.
template <const char* Folder>
std::vector<std::string> file_names() {
  return Catalog::standard().names(Folder);
}

constexpr char kPlatforms[] = "models/platforms";
constexpr char kNetworks[] = "models/networks";
constexpr char kDatasets[] = "models/datasets";
constexpr char kDevices[] = "models/devices";
constexpr char kTraces[] = "traces";

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
  return names;
}

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const AllReduceName& each : all_reduce_names()) names.emplace_back(each.name);
  return names;
}

std::vector<std::string> compression_names() {
  std::vector<std::string> names;
  for (const CompressionMethod& method : compressions()) names.emplace_back(method.name);
  return names;
}

const std::map<std::string, List> kLists = {
    {"platforms", {list_platforms, file_names<kPlatforms>}},
    {"networks", {list_networks, file_names<kNetworks>}},
    {"datasets", {list_datasets, file_names<kDatasets>}},
    {"devices", {list_devices, file_names<kDevices>}},
    {"strategies", {list_strategies, strategy_names}},
    {"collectives", {list_collectives, collective_names}},
    {"compressions", {list_compressions, compression_names}},
    {"traces", {list_traces, file_names<kTraces>}}};

po::options_description list_options() {
  po::options_description options;
  options.add_options()("names", "the names alone, one a line")("help,h", "this text");
  return options;
}

}  // namespace

CommandHelp list_help() {
  return {.usage = "WHAT [OPTIONS]",
          .about =
              "WHAT is one of collectives, compressions, datasets, devices, networks, platforms, "
              "strategies and traces. Files of your own are among them: those below ./models and "
              "./traces, and in the folders of EPOCHCAST_PATH.",
          .groups = {help_group("Options", list_options().add(wide_option()))},
          .most_used = {},
          .examples = {"epochcast list platforms"}};
}

int run_list(const std::vector<std::string>& arguments) {
  std::vector<std::string> known;
  known.reserve(kLists.size());
  for (const auto& [name, list] : kLists) known.push_back(name);
  po::options_description options = list_options();
  options.add(wide_option()).add_options()("what", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_flags("list", arguments, options, "what");
  const auto what = values.count("what") > 0 ? values["what"].as<std::vector<std::string>>()
                                             : std::vector<std::string>();
  if (what.size() != 1) {
    throw UserError(
        "list: expected one of collectives, compressions, datasets, devices, networks, platforms, "
        "strategies, traces");
  }
  const auto found = kLists.find(what[0]);
  if (found == kLists.end()) throw UserError("list: " + unknown_name("list", what[0], known));
  if (values.count("names") > 0) {
    for (const std::string& name : found->second.names()) std::cout << name << '\n';
  } else {
    found->second.show(look_from(values));
  }
  return 0;
}

}  // namespace epochcast
