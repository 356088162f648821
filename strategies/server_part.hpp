// SPDX-License-Identifier: Apache-2.0
// The parameters of one server among several, and its messages to workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strategies/server_order.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {

/// The ranks of a job with parameter servers, and the part of each server.
class ServerLayout {
 public:
  explicit ServerLayout(Worker& worker);

  [[nodiscard]] int trainers() const { return trainers_; }
  [[nodiscard]] int servers() const { return servers_; }
  [[nodiscard]] int rank_of(int server) const { return trainers_ + server; }
  /// The first parameter of a server, which are those that have gradients.
  [[nodiscard]] std::int64_t begin(int server) const { return parameters_ * server / servers_; }
  /// Its part of all parameters, or of all gradients.
  [[nodiscard]] Payload part(const Payload& all, int server) const {
    return slice(all, begin(server), begin(server + 1) - begin(server));
  }
  /// The parts of all servers, by server.
  [[nodiscard]] std::vector<Payload> parts(const Payload& all) const;
  [[nodiscard]] std::span<const int> ranks() const { return ranks_; }  ///< of servers
  /// All of these that servers have.
  [[nodiscard]] Payload trained(const Payload& all) const { return slice(all, 0, parameters_); }

 private:
  int trainers_;
  int servers_;
  std::int64_t parameters_;
  std::vector<int> ranks_;
};

/// Numbers in a buffer of their own; none in worlds without numbers.
class Room {
 public:
  explicit Room(const Payload& like) : floats_(like.data.size() / sizeof(float)), payload_(like) {
    payload_.data = std::as_writable_bytes(std::span(floats_));
  }
  Room(Room&&) = default;
  [[nodiscard]] const Payload& payload() const { return payload_; }

 private:
  std::vector<float> floats_;
  Payload payload_;
};

/// Starts sending a worker's gradients, or what its parameters have moved, to all servers.
void start_push(Fabric& fabric,
                const ServerLayout& layout,
                const Payload& pushed,
                std::vector<Request>& under_way);
/// Starts receiving all servers' parameters.
void start_pull(Worker& worker, const ServerLayout& layout, std::vector<Request>& under_way);
/// Gives all ranks the parameters of all servers.
void broadcast_parts(Worker& worker, const ServerLayout& layout);

/// A server's part of the parameters.
class ServerPart {
 public:
  /// The push of workers: gradients, for a step of the optimizer, or the change of their
  /// parameters, which is added.
  enum class Pushed { gradients, moves };

  ServerPart(Worker& worker, const ServerLayout& layout, Pushed pushed);

  /// Starts receiving a worker's next gradient.
  [[nodiscard]] Request start_receive(int from);
  /// Adds gradients that have arrived to the sum, in the order of ranks, and makes the update.
  /// `epoch_share`: the completed share of the epoch then.
  void carry_out(const ServerOrder& order, double epoch_share);
  /// Starts sending a worker the parameters as they are now.
  [[nodiscard]] Request start_answer(int to);

 private:
  struct Rooms {
    explicit Rooms(const Payload& gradients, const Payload& parameters)
        : pushed(gradients), answer(parameters) {}
    Room pushed;
    Room answer;
  };

  void add(const Payload& gradients, double weight);
  void update(const Payload& sum, double rate, double epoch_share);

  /// Of gradients, in place of the learner's own.
  [[nodiscard]] Payload sum() const;
  [[nodiscard]] Payload parameters() const;

  Worker& worker_;
  const ServerLayout& layout_;
  int number_;  ///< of this server
  Pushed pushed_;
  std::vector<Rooms> clients_;
  bool is_sum_empty_ = true;
};

}  // namespace epochcast
