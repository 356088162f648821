// SPDX-License-Identifier: Apache-2.0
// The servers of a job with parameter servers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "strategies/parameter_server.hpp"
#include "strategies/server_part.hpp"

namespace epochcast {

/// The message of the first server to a worker before parameters: the number of its next batch, and
/// whether its gradient was taken (1) or dropped (0).
using Deal = std::array<std::int64_t, 2>;
/// The batch after the last one of an epoch.
constexpr std::int64_t kNoBatch = -1;

/// The work of a server in an epoch.
class Server {
 public:
  virtual ~Server() = default;
  virtual void serve_epoch(std::int64_t epoch) = 0;
};

/// The server of this rank. All references must outlive it.
[[nodiscard]] std::unique_ptr<Server> make_server(Worker& worker,
                                                  const ServerLayout& layout,
                                                  const ServedTraining& training);

}  // namespace epochcast
