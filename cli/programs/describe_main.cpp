// SPDX-License-Identifier: Apache-2.0
// `epochcast describe`: layers and operations of a model file.
#include <fmt/core.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text/units.hpp"
#include "cli/help/show_help.hpp"
#include "cli/options/command_line.hpp"
#include "cli/options/describe_flags.hpp"
#include "cli/options/option_values.hpp"
#include "cli/show/table.hpp"
#include "cli/show/table_style.hpp"
#include "core/formats/network.hpp"
#include "core/job/described_model.hpp"
#include "core/tensors/tensor.hpp"
#include "real/torch/networks/model_description.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kMostExtent = 1 << 20;
constexpr std::int64_t kMostClasses = 1 << 24;  // the same for tokens

/// "3,224,224" or "3x224x224".
std::vector<std::int64_t> read_shape(OptionValues& values, const char* option) {
  const std::string text = values.text(option);
  std::vector<std::int64_t> shape;
  for (std::size_t at = 0; at <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find_first_of(",x", at), text.size());
    const std::string part = text.substr(at, end - at);
    const bool is_number = !part.empty() && part.size() <= 7 &&
                           part.find_first_not_of("0123456789") == std::string::npos;
    const std::int64_t size = is_number ? std::stoll(part) : 0;
    if (size < 1 || size > kMostExtent) {
      values.expected(option, text, "sizes such as 3,224,224, each from 1 to 2^20");
      return {};
    }
    shape.push_back(size);
    at = end + 1;
  }
  if (text.empty()) values.missing(option, "a shape, such as 3,224,224");
  return shape;
}

void read_targets(OptionValues& values, real::Task& task) {
  const std::string targets = values.text("targets");
  if (values.has("values")) {
    task.targets = {.kind = TargetKind::values, .shape = read_shape(values, "values")};
    task.classes = Tensor::elements_of(task.targets.shape);
  } else if (targets == "values") {
    task.targets = {.kind = TargetKind::values, .shape = {task.classes}};
  } else if (targets == "tokens") {
    task.targets = {.kind = TargetKind::tokens, .shape = task.shape};
  } else if (targets != "class") {
    values.expected("targets", targets, "class, values or tokens");
  }
}

std::int64_t parameters_of(const NetworkLayer& layer) {
  std::int64_t count = 0;
  for (const NetworkTensor& tensor : layer.tensors)
    count += std::accumulate(
        tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
  return count;
}

void show_layers(const NetworkVariant& variant, const TableLook& look) {
  using enum Table::Align;
  Table table;
  table.add_column({.title = "layer", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "parameters", .align = right, .importance = 20});
  table.add_column({.title = "forward Mflop", .align = right, .importance = 30});
  table.add_column({.title = "activations", .align = right, .importance = 10});
  for (const NetworkLayer& layer : variant.layers) {
    table.add_row({layer.name,
                   std::to_string(parameters_of(layer)),
                   fmt::format("{:.3f}", layer.forward_flops / 1e6),
                   format_bytes(layer.activation_bytes)});
  }
  table.print_whole(std::cout, look);
  std::cout << '\n';
}

void show_totals(const real::ModelDescription& description) {
  const NetworkVariant& variant = description.file.variants.front();
  std::int64_t parameters = 0;
  double forward_flops = 0;
  double activation_bytes = 0;
  for (const NetworkLayer& layer : variant.layers) {
    parameters += parameters_of(layer);
    forward_flops += layer.forward_flops;
    activation_bytes += layer.activation_bytes;
  }
  std::cout << fmt::format(
      "{}, samples of {}\n"
      "  parameters     {} ({} of gradients), {} elements of statistics\n"
      "  forward        {:.4g} Gflop per sample, of which products and convolutions {:.4g} G "
      "multiply-adds (2 flop each)\n"
      "  activations    {} per sample that backward needs\n"
      "  layers         {}\n",
      description.file.name,
      shape_text(variant.input),
      parameters,
      format_bytes(4.0 * static_cast<double>(parameters)),
      variant.buffers,
      forward_flops / 1e9,
      static_cast<double>(description.multiply_adds) / 1e9,
      format_bytes(activation_bytes),
      variant.layers.size());
}

/// Warnings about the figures, as text.
void show_warnings(const real::ModelDescription& description, std::ostream& out) {
  if (description.forward_flops != description.other_forward_flops)
    out << fmt::format(
        "\nWhat {} computes depends on the sample: of two, one took {:.4g} and one {:.4g} Gflop. "
        "The first is described.\n",
        description.file.name,
        description.forward_flops / 1e9,
        description.other_forward_flops / 1e9);
  if (description.unknown.empty()) return;
  out << "\nNot counted: no cost model for\n";
  for (const real::UnknownOperation& each : description.unknown) {
    out << fmt::format(
        "  {}: called {} times, {} elements per sample ({:.2g} % of all flop, at one an element)\n",
        each.name,
        each.calls,
        each.elements,
        100 * static_cast<double>(each.elements) /
            std::max(1.0, description.forward_flops + static_cast<double>(each.elements)));
  }
}

int run(int argc, const char* const* argv) {
  constexpr CommandInfo kCommand = {
      .name = "describe", .summary = kDescribeSummary, .help = describe_help};
  if (shows_help(argc, argv, kCommand)) return 0;
  std::vector<const char*> words(argv, argv + argc);
  // The first word is the model, as everywhere: `describe MODEL`.
  std::vector<std::string> texts;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    const bool is_model = i == 1 && !word.starts_with("-");
    texts.push_back(is_model ? "--model=" + word : word);
  }
  words.clear();
  for (const std::string& text : texts) words.push_back(text.c_str());
  const po::variables_map map = parse_words(
      describe_flags(), static_cast<int>(words.size()), words.data(), "MODEL.pt, or --input");
  std::vector<std::string> problems;
  OptionValues values(map, problems);
  const std::string model = values.text("model");
  if (model.empty()) values.missing("model", "a model file: epochcast describe MODEL.pt");
  if (!model.empty() && !is_model_file(model)) values.expected("model", model, kExpectedModelFile);
  const std::vector<std::int64_t> shape = read_shape(values, "input");
  const std::int64_t classes = values.integer("classes", 1, kMostClasses);
  real::Task task = real::classification(shape, classes);
  if (values.has("samples")) {
    const std::string samples = values.text("samples");
    task.are_tokens = samples == "tokens";
    if (samples != "tokens" && samples != "numbers")
      values.expected("samples", samples, "tokens or numbers");
  }
  read_targets(values, task);
  const std::filesystem::path file =
      values.has("output") ? values.file_to_write("output") : std::filesystem::path();
  if (!problems.empty()) throw UserError(problems);
  const OutputFile output(file);
  keep_apart({output}, {model});

  warn_of_loading(model);
  const real::ModelDescription description = real::describe_model(model, task);
  const bool is_quiet = map.count("quiet") > 0;
  const bool has_layers = !is_quiet && map.count("layers") > 0;
  if (has_layers) show_layers(description.file.variants.front(), look_from(map));
  if (!is_quiet) show_totals(description);
  show_warnings(description, is_quiet ? std::cerr : std::cout);
  if (!output.is_wanted()) return 0;
  output.write(network_text(description.file));
  if (!is_quiet) std::cerr << "wrote " << file.string() << '\n';
  return 0;
}

}  // namespace
}  // namespace epochcast

int main(int argc, char** argv) {
  return epochcast::exit_status("epochcast describe", [&] { return epochcast::run(argc, argv); });
}
