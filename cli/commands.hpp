// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// `epochcast simulate`: arguments after the command's name. Returns the exit status; throws
/// UserError.
int run_simulate(const std::vector<std::string>& arguments);
/// `epochcast rehearse`: real training on a simulated clock.
int run_rehearse(const std::vector<std::string>& arguments);
/// `epochcast tune`: settings that reach an accuracy first.
int run_tune(const std::vector<std::string>& arguments);
/// `epochcast calibrate`: traces to a platform.
int run_calibrate(const std::vector<std::string>& arguments);
/// `epochcast validate`: forecasts against real runs.
int run_validate(const std::vector<std::string>& arguments);
/// `epochcast train`: starts mpirun and the workers.
int run_train(const std::vector<std::string>& arguments);
/// `epochcast emulate`: the same for slept computing.
int run_emulate(const std::vector<std::string>& arguments);
/// `epochcast measure batches|messages`: starts the program that measures.
int run_measure(const std::vector<std::string>& arguments);
/// `epochcast describe`: starts the program that looks into a model file.
int run_describe(const std::vector<std::string>& arguments);
/// `epochcast import`: cost traces from other programs' records of a job.
int run_import(const std::vector<std::string>& arguments);
/// `epochcast report`: results of comparing forecasts with real runs, shown again.
int run_report(const std::vector<std::string>& arguments);
/// `epochcast list`.
int run_list(const std::vector<std::string>& arguments);

}  // namespace epochcast
