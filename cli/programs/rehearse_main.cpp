// SPDX-License-Identifier: Apache-2.0
// One rehearsal: real training on a simulated clock. `epochcast rehearse` and `tune` start this
// program, as it uses up its process's SimGrid engine.
#include <algorithm>
#include <boost/program_options.hpp>
#include <csignal>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/process/fork_server.hpp"
#include "cli/options/job_options.hpp"
#include "core/job/setting_text.hpp"
#include "real/torch/memory.hpp"
#include "real/torch/training_setup.hpp"
#include "rehearse/rehearsal.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

po::options_description own_flags() {
  po::options_description own("The rehearsal", 110, 60);
  own.add_options()("state",
                    po::value<std::string>()->value_name("FILE"),
                    "keep the job's state here after every epoch, and continue from it")(
      "other-state",
      po::value<std::vector<std::string>>()->composing()->value_name("EPOCH:FILE"),
      "keep the state after that epoch here, too")(
      "batches-at-a-time",
      po::value<std::string>()->default_value("1")->value_name("COUNT"),
      "compute batches of so many workers at the same time, where no number depends on it")(
      "stop-after",
      po::value<std::string>()->value_name("TIME"),
      "end with the first epoch after which training has taken so long on the simulated clock");
  own.add(target_options("end with the first epoch that reaches"));
  return own;
}

std::vector<std::pair<std::int64_t, std::filesystem::path>> other_states_in(
    const std::vector<std::string>& texts) {
  std::vector<std::pair<std::int64_t, std::filesystem::path>> states;
  for (const std::string& text : texts) {
    const std::size_t colon = std::min(text.find(':'), text.size() - 1);
    states.emplace_back(parse_count(text.substr(0, colon), 1), text.substr(colon + 1));
  }
  return states;
}

/// The only argument of a copy of this program that rehearses what serve_forks() receives.
constexpr const char* kServe = "--serve";

/// The output: warnings, a line for each epoch at its end, then the result of the job.
void print_line(const nlohmann::ordered_json& json) { std::cout << json.dump() << std::endl; }

int run(const std::vector<std::string>& arguments) {
  po::options_description flags;
  flags.add(setting_options(Command::rehearse)).add(own_flags()).add(common_options());
  const po::variables_map values = parse_flags("rehearse", arguments, flags);
  if (values.count("help") > 0) {
    std::cout << "epochcast-rehearse: one rehearsal, as JSON lines; `epochcast rehearse` is made "
                 "for people\n\n"
              << flags;
    return 0;
  }
  const JobConfig config = config_from(Command::rehearse, values);
  const Catalog catalog = Catalog::standard();
  const Job job = load_job(config, catalog);
  const real::DataSplit data = real::training_data(config, real::training_dataset(config, catalog));
  RehearsalOptions options;
  options.stop_after_s = seconds_from(values, "stop-after");
  options.stop_at = target_from(values);
  options.state = file_from(values, "state");
  options.batches_at_a_time = parse_small_count(values["batches-at-a-time"].as<std::string>(), 1);
  if (values.count("other-state") > 0)
    options.other_states = other_states_in(values["other-state"].as<std::vector<std::string>>());
  options.after_epoch = [&](const CurvePoint& point, bool is_known) {
    nlohmann::ordered_json line = to_json(point);
    line["is_known"] = is_known;
    print_line(line);
  };
  options.warn = [](const std::string& text) { print_line({{"warning", text}}); };
  const Rehearsal rehearsal =
      rehearse(job, data, config.machine.devices.front(), config.machine.threads, options);
  nlohmann::ordered_json end = {
      {"schema", kRehearsalSchema},
      {"run", to_json(rehearsal.result)},
      {"learning", {{"sequence", rehearsal.sequence}, {"notes", rehearsal.notes}}},
      {"curve", to_json(rehearsal.curve)}};
  print_line(end);
  return 0;
}

}  // namespace
}  // namespace epochcast

int main(int count, char** words) {
  using namespace epochcast;
  real::keep_freed_memory();
  const auto run_one = [](const std::vector<std::string>& arguments) {
    std::signal(SIGPIPE, SIG_IGN);
    return exit_status("epochcast", [&] { return run(arguments); });
  };
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments != std::vector<std::string>{kServe}) return run_one(arguments);
  return exit_status("epochcast", [&] {
    serve_forks(run_one);
    return 0;
  });
}
