// SPDX-License-Identifier: Apache-2.0
#include "cli/options/run_flags.hpp"

#include <boost/program_options.hpp>

#include "base/error.hpp"
#include "cli/options/job_options.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace po = boost::program_options;
namespace {

/// FILE-seed2.EXT; empty for an empty one.
std::filesystem::path with_seed(const std::filesystem::path& file, std::uint64_t seed) {
  if (file.empty()) return {};
  std::filesystem::path name = file.stem();
  name += "-seed" + std::to_string(seed);
  name += file.extension();
  return file.parent_path() / name;
}

/// Not part of the help: for the laboratory (lab/README.md), and what `train` tells its ranks when
/// workers have died.
po::options_description hidden_flags(Command command) {
  po::options_description options;
  options.add_options()("time-exchanges", po::value<std::string>());
  if (command == Command::train) {
    options.add_options()("time-batches", po::value<std::string>()->implicit_value("on"))(
        "members", po::value<std::string>())("pause-after", po::value<std::string>())(
        "history", po::value<std::vector<std::string>>());
  }
  return options;
}

/// "0:0,2:0": number and place of each rank.
std::vector<Member> parse_members(const std::string& text) {
  std::vector<Member> members;
  for (const std::string& part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) throw UserError("got \"" + text + "\"; expected 0:0,2:0");
    members.push_back({.number = parse_small_count(part.substr(0, colon), 0),
                       .place = parse_small_count(part.substr(colon + 1), 0)});
  }
  return members;
}

/// Whether --on-failure is `continue`.
bool parse_on_failure(const std::string& text) {
  if (text != "stop" && text != "continue")
    throw UserError("got \"" + text + "\"; expected stop or continue");
  return text == "continue";
}

/// Throws a UserError when a job that continues without workers that die has no checkpoints, or
/// such that other workers cannot use.
void check_continues(const RunOptions& options) {
  const std::string flag = "--on-failure continue: ";
  if (options.checkpoint.empty())
    throw UserError(flag + "the others continue from a checkpoint; add --checkpoint FOLDER");
  if (options.checkpoint_every > 0) {
    throw UserError(flag +
                    "the others continue from the end of an epoch, which they divide among fewer "
                    "workers; leave out --checkpoint-every");
  }
}

}  // namespace

po::options_description own_run_flags(Command command) {
  po::options_description own("The run", 110, 60);
  const auto file = [] { return po::value<std::string>()->value_name("FILE"); };
  own.add_options()("timeline", file(), "write what every worker does as Chrome trace JSON")(
      "bar",
      po::value<std::string>()->value_name("on|off")->implicit_value("on"),
      "show a progress bar (default: where stderr is a terminal)");
  if (command == Command::train) {
    own.add_options()(
        "metrics", file(), "write loss, accuracy and seconds of every epoch as JSON lines")(
        "images",
        po::value<std::string>()->value_name("FOLDER"),
        "write a picture of images that the network makes after every epoch (gan)")(
        "checkpoint",
        po::value<std::string>()->value_name("FOLDER"),
        "save the job's state after every epoch")(
        "checkpoint-every",
        po::value<std::string>()->value_name("COUNT"),
        "and after every COUNT iterations (local SGD: rounds)")(
        "resume",
        po::value<std::string>()->value_name("on|off")->implicit_value("on"),
        "continue from the last checkpoint, if there is one; of its folder, checkpoint.json and "
        "the "
        "files that it names are read")(
        "on-failure",
        po::value<std::string>()->value_name("stop|continue"),
        "continue: when a worker dies, the others continue from the last checkpoint; it joins "
        "again "
        "after an epoch (diloco, time-synced, large-batch); default: stop")(
        "seeds",
        po::value<std::string>()->value_name("COUNT")->default_value("1"),
        "train as often, with seeds from --seed on; output has means and deviations. Files get the "
        "seed in their names, FILE-seed2.EXT, folders a folder of it");
  }
  return own;
}

po::options_description run_flags(Command command) {
  po::options_description all;
  all.add(setting_options(command)).add(own_run_flags(command)).add(common_options());
  all.add(hidden_flags(command));
  return all;
}

po::options_description mpirun_flags() {
  po::options_description options("Where", 110, 60);
  options.add_options()("hosts",
                        po::value<std::string>()->value_name("NAME[:RANKS],..."),
                        "machines that mpirun reaches (default: this one)")(
      "mpi-arguments",
      po::value<std::string>()->value_name("WORDS"),
      "more words for mpirun, such as \"--mca btl_tcp_if_include eth0\"");
  return options;
}

RunOptions run_options_from(const po::variables_map& values) {
  const auto text = [&](const std::string& name) {
    return values.count(name) > 0 ? values[name].as<std::string>() : std::string();
  };
  const auto parsed = [&](const std::string& name, const auto& parse) {
    try {
      return parse(text(name));
    } catch (const UserError& error) {
      throw UserError("--" + name + ": " + error.what());
    }
  };
  RunOptions options;
  options.timeline = file_from(values, "timeline");
  options.metrics = file_from(values, "metrics");
  options.images = file_from(values, "images");
  options.checkpoint = file_from(values, "checkpoint");
  if (!text("bar").empty()) options.has_bar = parsed("bar", parse_switch);
  if (!text("time-batches").empty()) options.times_batches = parsed("time-batches", parse_switch);
  if (!text("time-exchanges").empty()) {
    options.timed_exchange_bytes = parsed("time-exchanges", [](const std::string& given) {
      constexpr double kMost = 4e9;  // every rank needs a multiple of it
      const double bytes = parse_positive(given, Dimension::bytes);
      if (bytes > kMost) throw UserError("got \"" + given + "\"; expected at most 4GB");
      return bytes;
    });
  }
  if (!text("resume").empty()) options.is_resumed = parsed("resume", parse_switch);
  if (!text("checkpoint-every").empty()) {
    options.checkpoint_every =
        parsed("checkpoint-every", [](const std::string& given) { return parse_count(given, 1); });
  }
  if (options.checkpoint.empty() && (options.is_resumed || options.checkpoint_every > 0)) {
    throw UserError(std::string(options.is_resumed ? "--resume" : "--checkpoint-every") +
                    ": needs --checkpoint FOLDER");
  }
  if (!text("on-failure").empty()) options.continues = parsed("on-failure", parse_on_failure);
  if (options.continues) check_continues(options);
  if (!text("members").empty()) options.members = parsed("members", parse_members);
  if (!text("pause-after").empty()) {
    options.pause_after =
        parsed("pause-after", [](const std::string& given) { return parse_count(given, 1); });
  }
  if (values.count("history") > 0)
    options.history = values["history"].as<std::vector<std::string>>();
  return options;
}

RunOptions options_of(std::uint64_t seed, int seeds, RunOptions options) {
  if (seeds == 1) return options;
  options.timeline = with_seed(options.timeline, seed);
  options.metrics = with_seed(options.metrics, seed);
  const std::string folder = "seed-" + std::to_string(seed);
  if (!options.images.empty()) options.images /= folder;
  if (!options.checkpoint.empty()) options.checkpoint /= folder;
  return options;
}

}  // namespace epochcast
