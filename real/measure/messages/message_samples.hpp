// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "real/measure/messages/split_comm.hpp"
#include "real/mpi/mpi_fabric.hpp"

namespace epochcast::real {

/// Takes samples of messages: each function is collective over its group, begins with a barrier,
/// and returns this rank's seconds (docs/formats.md defines each kind).
class MessageSamples {
 public:
  /// Bytes that a rank sends to another while it receives the same number.
  struct Exchange {
    int peer = 0;             ///< rank in the group
    std::int64_t offset = 0;  ///< in this rank's buffers, which have a part for each peer
    std::int64_t bytes = 0;
  };

  /// Keeps the fabric. No message is larger than `most_bytes`.
  MessageSamples(MpiFabric& fabric, std::int64_t most_bytes);

  double ping_pong(const SplitComm& both, std::int64_t bytes);
  /// With two ranks, both neighbours are the other one: opposite messages.
  double ring_step(const SplitComm& group, std::int64_t bytes);
  /// All of this rank's exchanges at once; `bytes`: the hub's total.
  double hub_step(const SplitComm& group,
                  const std::vector<Exchange>& exchanges,
                  std::int64_t bytes);
  /// Every rank adds one buffer to another.
  double reduce(std::int64_t bytes);
  double all_reduce(const Communicator& among, std::int64_t bytes);

 private:
  MpiFabric& fabric_;
  std::vector<char> outgoing_;
  std::vector<char> incoming_;
  std::vector<float> numbers_;
  std::vector<float> addend_;
};

}  // namespace epochcast::real
