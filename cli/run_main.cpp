// SPDX-License-Identifier: Apache-2.0
// One worker of a real job. Started by mpirun, which `epochcast train` and `epochcast emulate`
// start.
#include <boost/program_options.hpp>
#include <iostream>

#include "cli/forecast_writer.hpp"
#include "cli/job_options.hpp"
#include "cli/run_options.hpp"
#include "core/error.hpp"
#include "core/suggest.hpp"
#include "real/mpi/give_up.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/run/train_job.hpp"
#include "real/torch/memory.hpp"

namespace epochcast {
namespace {

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || (arguments[0] != "train" && arguments[0] != "emulate")) {
    throw UserError(
        "expected train or emulate; `epochcast train` starts this program as it should be");
  }
  const bool trains = arguments[0] == "train";
  const std::vector<std::string> flags(arguments.begin() + 1, arguments.end());
  const Command command = trains ? Command::train : Command::emulate;
  const auto values = parse_flags(arguments[0], flags, run_flags(command));
  const JobConfig config = config_from(command, values);
  const real::RunOptions options = run_options_from(values);
  const Catalog catalog = Catalog::standard();
  const std::optional<RunResult> result = trains
                                              ? real::train(config, catalog, options)
                                              : real::emulate(load_job(config, catalog), options);
  if (result) {
    std::vector<std::string> words = {"epochcast"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    ForecastOutcome outcome;
    outcome.task = {.config = config, .strategy = config.strategy, .point = {}};
    outcome.run = result;
    const auto writer = make_forecast_writer(std::cout, format_from(values), shell_text(words));
    writer->add(outcome);
    writer->finish();
    std::cout.flush();
  }
  return 0;
}

}  // namespace
}  // namespace epochcast

int main(int count, char** arguments) {
  epochcast::real::keep_freed_memory();
  int rank = 0;
  try {
    const epochcast::real::MpiSession session(&count, &arguments);
    rank = session.rank();
    try {
      return epochcast::run({arguments + 1, arguments + count});
    } catch (const epochcast::UserError& error) {
      epochcast::real::give_up("epochcast", rank, error.problems(), 2);
    } catch (const std::exception& error) {
      epochcast::real::give_up("epochcast", rank, {error.what()}, 1);
    }
  } catch (const std::exception& error) {
    std::cerr << "epochcast: " << error.what() << '\n';
    return 1;
  }
}
