// SPDX-License-Identifier: Apache-2.0
// Training through parameter servers in which gradients are used as they arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "strategies/server_order.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {

/// A worker that trains, as the first server knows it.
struct Client {
  bool is_active = false;           ///< trains on a batch, or waits for an answer
  bool waits = false;               ///< has pushed, and has no answer yet
  std::int64_t pushes = 0;          ///< in this epoch
  std::int64_t pulled_version = 0;  ///< that of its parameters
};

/// The first server's knowledge when it decides.
struct ServerState {
  std::int64_t version = 0;  ///< updates of this epoch
  std::vector<Client> clients;

  /// Updates since the worker's pull.
  [[nodiscard]] std::int64_t staleness(int worker) const {
    return version - clients[static_cast<std::size_t>(worker)].pulled_version;
  }
};

/// The decisions of the first server, which all servers carry out.
class ServerRule {
 public:
  virtual ~ServerRule() = default;
  virtual void begin_epoch() {}
  /// A gradient has arrived. Every worker that has pushed is answered sooner or later, and its
  /// gradient is taken before or in the order that answers it, or dropped.
  [[nodiscard]] virtual ServerOrder arrived(const ServerState& state, int worker) = 0;
  /// Workers that no longer have to wait after others have left, ascending.
  [[nodiscard]] virtual std::vector<int> released(const ServerState& /*state*/) { return {}; }
};

/// The work of an epoch, and the rule for it.
struct ServedTraining {
  std::unique_ptr<ServerRule> rule;
  /// Gradients that updates take in an epoch.
  std::int64_t gradients = 0;
  /// Exchanges of each worker in an epoch; absent: those of as many gradients.
  std::optional<std::int64_t> rounds = {};
  /// The rule drops gradients: workers get batches until enough have been taken. Else each batch is
  /// dealt once.
  bool drops = false;
  /// Steps that a worker makes by itself before it pushes what its parameters have moved; absent:
  /// it pushes the gradient of one batch.
  std::optional<std::int64_t> local_steps = {};
};

/// All whole batches of the data set. Throws a UserError if it has none.
[[nodiscard]] std::int64_t batches_per_epoch(const Worker& worker);

/// Trains through parameter servers, the ranks that do not train.
///
/// A worker pushes a gradient and gets the number of its next batch and fresh parameters. The first
/// server deals batches: worker p begins an epoch with batch p, later ones go to whoever asks next.
/// Several servers have equal parts of the parameters; the first one decides about the gradients of
/// all, in messages to the others. After an epoch the servers broadcast their parts, so that all
/// ranks have the same parameters.
///
/// Staleness is the number of updates between a worker's pull and the update with its gradient.
void run_parameter_server(Worker& worker, ServedTraining training);

/// Throws a UserError for settings that no strategy with parameter servers has.
void check_parameter_server(const JobConfig& config, const DeviceNames& devices);

}  // namespace epochcast
