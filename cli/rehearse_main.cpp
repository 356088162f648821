// SPDX-License-Identifier: Apache-2.0
// One rehearsal: real training on a simulated clock. `epochcast rehearse` and `tune` start this
// program, as it uses up its process's SimGrid engine.
#include <boost/program_options.hpp>
#include <csignal>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/job_options.hpp"
#include "cli/progress_bar.hpp"
#include "core/error.hpp"
#include "core/setting_text.hpp"
#include "real/torch/memory.hpp"
#include "real/torch/training_setup.hpp"
#include "rehearse/rehearsal.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

po::options_description own_flags() {
  po::options_description own("The rehearsal", 110, 60);
  own.add_options()("state",
                    po::value<std::string>()->value_name("FILE"),
                    "keep the job's state here after every epoch, and go on from it")(
      "stop-after",
      po::value<std::string>()->value_name("TIME"),
      "end with the first epoch after which training has taken so long on the simulated clock")(
      "stop-at-accuracy",
      po::value<std::string>()->value_name("SHARE"),
      "end with the first epoch that reaches this test accuracy, such as 0.9")(
      "timeline",
      po::value<std::string>()->value_name("FILE"),
      "write what every worker does as Chrome trace JSON")(
      "bar",
      po::value<std::string>()->value_name("on|off")->implicit_value("on"),
      "show a progress bar");
  return own;
}

/// What is printed: a line for each epoch as it ends, then what became of the job.
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
  const bool has_bar = values.count("bar") > 0 && parse_switch(values["bar"].as<std::string>());
  const Catalog catalog = Catalog::standard();
  Job job = load_job(config, catalog);
  const real::DataSplit data = real::training_data(config, real::training_dataset(config, catalog));
  ProgressBar bar(std::cerr, has_bar, "rehearsing, epochs", static_cast<double>(config.epochs));
  Timeline timeline;
  RehearsalOptions options;
  options.stop_after_s = seconds_from(values, "stop-after");
  options.stop_at_accuracy = accuracy_from(values, "stop-at-accuracy");
  options.state = file_from(values, "state");
  const std::string timeline_file = file_from(values, "timeline");
  if (!timeline_file.empty()) options.timeline = &timeline;
  options.after_epoch = [&](const CurvePoint& point) {
    print_line(to_json(point));
    if (has_bar) bar.say(text_of(point, config.epochs));
  };
  if (has_bar) options.progress = [&](double epochs) { bar.update(epochs); };
  std::vector<WorkerInfo> workers;
  const Rehearsal rehearsal = rehearse(
      job, data, config.machine.devices.front(), config.machine.threads, options, &workers);
  if (!timeline_file.empty()) {
    std::ofstream out(timeline_file);
    timeline.write_chrome_trace(out, config.strategy + ", " + config.network, workers);
    out.close();
    if (!out) throw RunError(timeline_file + ": the timeline cannot be written");
  }
  nlohmann::ordered_json end = {{"schema", "epochcast.rehearsal/1"},
                                {"run", to_json(rehearsal.result)},
                                {"curve", nlohmann::ordered_json::array()},
                                {"has_ended", rehearsal.has_ended}};
  for (const CurvePoint& point : rehearsal.curve) end["curve"].push_back(to_json(point));
  print_line(end);
  return 0;
}

}  // namespace
}  // namespace epochcast

int main(int count, char** words) {
  epochcast::real::keep_freed_memory();
  std::signal(SIGPIPE, SIG_IGN);
  return epochcast::exit_status("epochcast", [&] {
    return epochcast::run({words + 1, words + count});
  });
}
