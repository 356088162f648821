// SPDX-License-Identifier: Apache-2.0
#include "cli/options/import_options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <regex>
#include <sstream>

#include "cli/options/job_options.hpp"
#include "cli/options/option_values.hpp"
#include "core/error.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/described_model.hpp"
#include "core/job/setting_text.hpp"
#include "core/json/json_input.hpp"
#include "core/plain_text.hpp"
#include "core/source.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

using Words = std::vector<std::string>;

constexpr std::int64_t kLargestBatch = std::int64_t{1} << 40;
constexpr std::int64_t kMostSkipped = std::int64_t{1} << 40;
constexpr std::int64_t kMostRanks = 1 << 20;

po::options_description described_options() {
  po::options_description options("Options", 110, 60);
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto add = [&](const char* name, const po::value_semantic* value, const char* help) {
    options.add_options()(name, value, help);
  };
  add("network", word("NAME"), "the network that was trained: a name (`list networks`) or a file");
  add("dataset", word("NAME"), "the data set, for the samples' shape: a name, a file or a folder");
  add("input", word("SHAPE"), "the samples' shape instead, such as 3x32x32");
  add("batch", word("COUNT"), "samples per rank and iteration, unless a CSV column tells");
  add("device", word("NAME"), "the device that computed, as platforms call it (their `model`)");
  add("machine", word("TEXT"), "the machine, for the trace's source: \"AMD EPYC, 2 cores, KVM\"");
  add("output", word("FILE"), "cost trace to write");
  add("append", word("FILE"), "cost trace to add to (or to create), instead of --output");
  add("messages-output", word("FILE"), "message trace to write with the all-reduces");
  add("title", word("TEXT"), "the traces' title");
  add("date", word("YYYY-MM-DD"), "day of the job (default: from the profile, or the file's)");
  add("skip", word("COUNT")->default_value("1"), "first iterations of each rank to leave out");
  add("ranks-per-node",
      word("COUNT")->default_value("0"),
      "so many ranks after one another share a node (0: all)");
  add("time-column", word("NAME"), "CSV: the column of times, unless its name tells");
  add("time-unit", word("s|ms|us|ns"), "CSV: its unit, unless its name tells");
  options.add_options()("help,h", "this text");
  return options;
}

/// "3x32x32"
std::vector<std::int64_t> parse_shape(const std::string& text) {
  std::vector<std::int64_t> shape;
  if (!std::regex_match(text, std::regex("[1-9][0-9]{0,8}(x[1-9][0-9]{0,8}){0,3}"))) return shape;
  for (const std::string& size : split(text, 'x')) shape.push_back(std::stoll(size));
  return shape;
}

/// Runs the call; adds what a UserError says to the problems.
template <typename Call>
void collecting(Words& problems, Call call) {
  try {
    call();
  } catch (const UserError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  }
}

/// Network and shape, checked against each other.
void read_network(OptionValues& values,
                  const Catalog& catalog,
                  ImportOptions& options,
                  Words& problems) {
  Dataset dataset;
  dataset.name = "--input";
  dataset.classes = 10;  // counts for parameters only
  if (values.has("input") == values.has("dataset")) {
    values.add(values.has("input")
                   ? "--input: expected either this or --dataset, got both"
                   : "--dataset: missing; expected a data set, or --input with the samples' shape");
  } else if (values.has("input")) {
    dataset.shape = parse_shape(values.text("input"));
    if (dataset.shape.empty())
      values.expected("input", values.text("input"), "a shape such as 3x32x32");
  } else {
    collecting(problems, [&] {
      JobConfig config;
      config.dataset = values.text("dataset");
      dataset = chosen_dataset(config, catalog);
    });
  }
  if (!values.has("network")) {
    values.missing("network", "the network that was trained");
    return;
  }
  collecting(problems, [&] {
    const auto file = catalog.find("models/networks", values.text("network"), "--network");
    if (dataset.shape.empty()) return;
    const Network network = network_in(file, dataset);
    options.network = network.name;
    options.input = dataset.shape;
  });
}

void read_files(OptionValues& values, const Words& files, ImportOptions& options, Words& problems) {
  if (files.empty()) values.add("FILE: missing; expected profiles (JSON) or a table (CSV)");
  for (const std::string& file : files) options.settings.files.emplace_back(file);
  options.is_append = values.has("append");
  if (values.has("output") == options.is_append) {
    values.add(options.is_append ? "--append: expected either this or --output, got both"
                                 : "--output: missing; expected a cost trace to write");
  } else {
    const std::filesystem::path file =
        values.file_to_write(options.is_append ? "append" : "output");
    collecting(problems, [&] { options.output = OutputFile(file); });
  }
  collecting(problems, [&] {
    options.messages_output = OutputFile(values.text("messages-output"));
    keep_apart({options.output, options.messages_output}, options.settings.files);
  });
}

void read_source(OptionValues& values, ImportOptions& options) {
  const auto required = [&](const char* name, const char* what) {
    if (values.text(name).empty()) values.missing(name, what);
    return values.text(name);
  };
  options.device = required("device", "the device that computed, as platforms call it");
  if (!options.device.empty() && !is_name(options.device))
    values.expected("device", options.device, kExpectedName);
  options.machine = required("machine", "the machine that the job ran on, in words");
  options.title = values.text("title");
  options.date = values.text("date");
  if (values.has("date") && !is_date(options.date))
    values.expected("date", options.date, "a day such as 2026-11-21");
}

}  // namespace

ImportOptions parse_import_options(const Words& arguments, const Catalog& catalog) {
  po::options_description known = described_options();
  known.add_options()("file", po::value<Words>());
  const po::variables_map words = parse_flags("import", arguments, known, "file");
  ImportOptions options;
  options.is_help = words.count("help") > 0;
  if (options.is_help) return options;
  Words problems;
  OptionValues values(words, problems);
  read_files(
      values, words.count("file") > 0 ? words["file"].as<Words>() : Words{}, options, problems);
  read_network(values, catalog, options, problems);
  read_source(values, options);
  ImportSettings& settings = options.settings;
  if (values.has("batch")) settings.batch = values.integer("batch", 1, kLargestBatch);
  settings.skip = values.integer("skip", 0, kMostSkipped);
  settings.ranks_per_node = static_cast<int>(values.integer("ranks-per-node", 0, kMostRanks));
  settings.column = {.name = values.text("time-column"), .unit = values.text("time-unit")};
  if (!problems.empty()) throw UserError(problems);
  return options;
}

std::string import_help() {
  std::ostringstream text;
  text << "epochcast import FILE...: cost traces from records of a job that is not ours\n\n"
          "FILE: what torch.profiler wrote (.json or .json.gz), one file per rank; or a CSV file "
          "with a header row and\none row per iteration.\n\n"
       << described_options()
       << "\nExample: epochcast import rank0.json.gz rank1.json.gz --network resnet50 --dataset "
          "imagenet --batch 64\n           --device v100-32gb --machine \"2 V100, NVLink\" "
          "--output my-v100.json --messages-output my-nccl.json\n";
  return text.str();
}

}  // namespace epochcast
