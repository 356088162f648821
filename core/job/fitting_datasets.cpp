// SPDX-License-Identifier: Apache-2.0
#include "core/job/fitting_datasets.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "core/formats/network_file.hpp"
#include "core/job/described_model.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::int64_t>;

/// Names of the catalogue's data sets by the shape of their samples, cut as --sequence says.
std::map<Shape, std::vector<std::string>> datasets_by_shape(const JobConfig& config,
                                                            const Catalog& catalog) {
  std::map<Shape, std::vector<std::string>> names;
  const std::optional<std::int64_t>& sequence = config.learning.sequence;
  for (const std::string& name : catalog.names("models/datasets")) {
    const Dataset dataset = load_dataset(catalog.find("models/datasets", name, "--dataset"));
    const bool is_cut =
        sequence && dataset.are_tokens && dataset.targets.kind == TargetKind::tokens;
    names[is_cut ? Shape{*sequence} : dataset.shape].push_back(name);
  }
  return names;
}

std::vector<Shape> shapes_of(const fs::path& network) {
  Problems problems(network.string());
  const NetworkFile file = read_network_file(read_json_file(network), problems);
  problems.throw_if_any();
  std::vector<Shape> shapes;
  for (const NetworkVariant& variant : file.variants) {
    if (std::find(shapes.begin(), shapes.end(), variant.input) == shapes.end())
      shapes.push_back(variant.input);
  }
  return shapes;
}

/// "128 (ag-news) or 384"
std::string samples_taken(const fs::path& network,
                          const JobConfig& config,
                          const Catalog& catalog) {
  const auto datasets = datasets_by_shape(config, catalog);
  const std::vector<Shape> shapes = shapes_of(network);
  std::string text;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += i + 1 == shapes.size() ? " or " : ", ";
    text += shape_text(shapes[i]);
    const auto found = datasets.find(shapes[i]);
    if (found == datasets.end()) continue;
    for (const std::string& name : found->second)
      text += (&name == &found->second.front() ? " (" : ", ") + name;
    text += ")";
  }
  return text;
}

}  // namespace

void check_takes(const fs::path& network,
                 const Dataset& dataset,
                 const JobConfig& config,
                 const Catalog& catalog) {
  const std::vector<Shape> shapes = shapes_of(network);
  if (std::find(shapes.begin(), shapes.end(), dataset.shape) != shapes.end()) return;
  const bool is_cut = dataset.are_tokens && dataset.targets.kind == TargetKind::tokens;
  throw UserError(network.string() + ": network " + network.stem().string() +
                  " has no variant for " + dataset.name + ", whose samples are " +
                  shape_text(dataset.shape) + "; it takes samples of " +
                  samples_taken(network, config, catalog) +
                  (is_cut ? "; --sequence cuts the tokens of " + dataset.name : ""));
}

std::optional<fs::path> only_fitting_dataset(const JobConfig& config, const Catalog& catalog) {
  if (config.network.empty() || is_model_file(config.network)) return std::nullopt;
  fs::path network;
  std::vector<Shape> shapes;
  try {
    network = catalog.find("models/networks", config.network, "--network");
    shapes = shapes_of(network);
  } catch (const UserError&) {
    return std::nullopt;
  }
  std::vector<std::string> fitting;
  for (const auto& [shape, names] : datasets_by_shape(config, catalog)) {
    if (std::find(shapes.begin(), shapes.end(), shape) != shapes.end())
      fitting.insert(fitting.end(), names.begin(), names.end());
  }
  if (fitting.size() == 1) return catalog.find("models/datasets", fitting.front(), "--dataset");
  throw UserError("--dataset: missing; " + network_name(config.network) + " takes samples of " +
                  samples_taken(network, config, catalog));
}

}  // namespace epochcast
