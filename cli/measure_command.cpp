// SPDX-License-Identifier: Apache-2.0
// `epochcast measure` and `describe`: start the programs that measure, with mpirun where there are
// several ranks, and the one that looks into models.
#include <unistd.h>

#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "cli/commands.hpp"
#include "cli/launch/launch.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

using Words = std::vector<std::string>;

/// Removes "--NAME VALUE" or "--NAME=VALUE" from the words.
std::optional<std::string> take(Words& words, const std::string& name) {
  std::optional<std::string> value;
  for (auto word = words.begin(); word != words.end();) {
    const bool is_joined = word->starts_with(name + "=");
    if (!is_joined && (*word != name || word + 1 == words.end())) {
      ++word;
      continue;
    }
    if (value) throw UserError(name + ": given more than once");
    value = is_joined ? word->substr(name.size() + 1) : *(word + 1);
    check_plain_text(*value, name);
    word = words.erase(word, word + (is_joined ? 1 : 2));
  }
  return value;
}

/// The user's options for mpirun, and the words for the program itself.
struct Launch {
  std::optional<int> ranks;
  std::vector<Host> hosts;  ///< empty: this machine
  Words mpi_arguments;
  Words rest;
};

Launch launch_from(Words words) {
  Launch launch;
  if (const auto ranks = take(words, "--ranks")) launch.ranks = parse_ranks("--ranks", *ranks);
  if (const auto hosts = take(words, "--hosts")) launch.hosts = parse_hosts(*hosts, 1);
  std::istringstream more(take(words, "--mpi-arguments").value_or(""));
  for (std::string word; more >> word;) launch.mpi_arguments.push_back(word);
  launch.rest = std::move(words);
  return launch;
}

int run_ranks(const Launch& launch, int ranks, Words program) {
  // mpirun counts cores and would refuse more ranks than cores.
  Words words = {"mpirun", "--bind-to", "none", "--oversubscribe"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  if (!launch.hosts.empty()) words.insert(words.end(), {"--host", hosts_text(launch.hosts)});
  words.insert(words.end(), launch.mpi_arguments.begin(), launch.mpi_arguments.end());
  words.insert(words.end(), {"-n", std::to_string(ranks)});
  words.insert(words.end(), program.begin(), program.end());
  words.insert(words.end(), launch.rest.begin(), launch.rest.end());
  return run_mpirun(words).status;
}

int measure_batches(const Launch& launch) {
  const int ranks = launch.ranks.value_or(launch.hosts.empty() ? 1 : room(launch.hosts));
  const std::string program = sibling("epochcast-measure");
  // One rank on this machine needs no mpirun.
  if (!launch.hosts.empty() || ranks > 1)
    return run_ranks(launch, ranks, {program, "--ranks", std::to_string(ranks)});
  Words words = {program};
  words.insert(words.end(), launch.rest.begin(), launch.rest.end());
  return run_words(words).status;
}

}  // namespace

int run_describe(const Words& arguments) {
  Words words = {sibling("epochcast-describe")};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_words(words).status;
}

int run_measure(const Words& arguments) {
  const bool has_what = !arguments.empty() && !arguments[0].starts_with("-");
  if (!has_what)
    throw UserError(
        "measure: expected batches or messages; `epochcast measure --help` explains both");
  const Launch launch = launch_from({arguments.begin() + 1, arguments.end()});
  if (arguments[0] == "batches") return measure_batches(launch);
  if (arguments[0] == "messages")
    return run_ranks(launch, launch.ranks.value_or(2), {sibling("epochcast-measure-messages")});
  throw UserError(unknown_name("measurement", arguments[0], {"batches", "messages"}));
}

}  // namespace epochcast
