// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "strategies/strategy.hpp"

namespace epochcast {

/// What parameter servers do with the gradients that arrive.
struct ServerRules {
  /// Adds the gradients of a round, one of each worker, before an update; else each is one.
  bool adds_rounds = false;
  /// Iterations by which a worker may be ahead of the slowest; absent: any number.
  std::optional<std::int64_t> most_ahead = {};
  /// Divides the learning rate by the staleness of the gradient.
  bool divides_rate = false;
};

/// Trains through parameter servers, the ranks that do not train.
///
/// A worker pushes the gradient of a batch and gets the number of its next batch and fresh
/// parameters. Several servers have equal parts of the parameters. The first one deals batches:
/// worker p begins an epoch with batch p, later ones go to whoever asks next. An epoch is all whole
/// batches of the data set, each used once; then the servers broadcast their parts, so that all
/// ranks have the same parameters.
///
/// Staleness is the number of updates between a worker's pull and the update with its gradient.
void run_parameter_server(Worker& worker, const ServerRules& rules);

/// Throws a UserError for settings that no strategy with parameter servers has.
void check_parameter_server(const JobConfig& config, const DeviceNames& devices);

}  // namespace epochcast
