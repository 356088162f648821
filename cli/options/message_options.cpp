// SPDX-License-Identifier: Apache-2.0
#include "cli/options/message_options.hpp"

#include <algorithm>
#include <boost/program_options/options_description.hpp>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "cli/options/command_line.hpp"
#include "cli/options/measure_flags.hpp"
#include "cli/options/option_values.hpp"
#include "cli/options/sampling_options.hpp"
#include "collectives/registry.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

using Words = std::vector<std::string>;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
constexpr std::int64_t kMostRanks = 1 << 20;

/// 1 B to 64 MiB in powers of 4.
std::vector<std::int64_t> default_bytes() {
  std::vector<std::int64_t> bytes;
  for (std::int64_t size = 1; size <= std::int64_t{1} << 26; size *= 4) bytes.push_back(size);
  return bytes;
}

void read_bytes(OptionValues& values, real::MessageSettings& settings) {
  settings.bytes = values.has("bytes") ? values.integers("bytes", 1, kMostBytes) : default_bytes();
  std::sort(settings.bytes.begin(), settings.bytes.end());
  const auto last = std::unique(settings.bytes.begin(), settings.bytes.end());
  settings.bytes.erase(last, settings.bytes.end());
}

void read_all_reduce(OptionValues& values, real::MessageSettings& settings) {
  Words known;
  for (const AllReduceName& name : all_reduce_names()) known.emplace_back(name.name);
  settings.all_reduce = values.has("all-reduce")
                            ? values.list("all-reduce")
                            : Words{"ring", "recursive-doubling", "rabenseifner", "openmpi"};
  Words seen;
  for (const std::string& name : settings.all_reduce) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      values.add("--all-reduce: " + unknown_name("algorithm", name, known));
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      values.expected("all-reduce", name, "each algorithm once");
    seen.push_back(name);
  }
}

}  // namespace

MessageOptions parse_message_options(int argc, const char* const* argv) {
  MessageOptions options;
  const po::variables_map words =
      parse_words(message_flags(), argc, argv, "--output, --bytes, --all-reduce");
  Words problems;
  OptionValues values(words, problems);
  read_bytes(values, options.settings);
  read_all_reduce(values, options.settings);
  options.settings.rule = read_sampling_rule(values);
  options.settings.rule.detects_preemption = false;  // a waiting rank uses little CPU time
  options.ranks_per_node = static_cast<int>(values.integer("ranks-per-node", 0, kMostRanks));
  options.title = values.text("title");
  options.machine = values.text("machine");
  if (!values.has("output")) {
    values.missing("output", "a trace file to write");
  } else {
    options.file = values.file_to_write("output");
  }
  if (!problems.empty()) throw UserError(problems);
  return options;
}

}  // namespace epochcast
