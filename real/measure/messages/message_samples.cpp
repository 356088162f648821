// SPDX-License-Identifier: Apache-2.0
#include "real/measure/messages/message_samples.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "real/measure/sampling/sampling.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/wait_with_backoff.hpp"

namespace epochcast::real {
namespace {

constexpr int kTag = 3;
/// A step of small messages is shorter than the skew after the preceding barrier: several in a row.
constexpr std::int64_t kSmallBytes = 65536;
constexpr int kStepsOfSmall = 16;

/// Mean seconds of a step of the whole group; of several in a row for small messages.
double step_s(const SplitComm& group, std::int64_t bytes, const std::function<void()>& step) {
  const int steps = bytes <= kSmallBytes ? kStepsOfSmall : 1;
  barrier_with_backoff(group.comm());
  const double start_s = clock_s();
  for (int i = 0; i < steps; ++i) step();
  return (clock_s() - start_s) / steps;
}

}  // namespace

MessageSamples::MessageSamples(MpiFabric& fabric, std::int64_t most_bytes)
    : fabric_(fabric),
      outgoing_(static_cast<std::size_t>(most_bytes), 'a'),
      incoming_(outgoing_.size(), 'b'),
      numbers_(outgoing_.size() / sizeof(float), 1.0F),
      addend_(numbers_.size(), 0.0F) {}

double MessageSamples::ping_pong(const SplitComm& both, std::int64_t bytes) {
  const int count = static_cast<int>(bytes);
  const int peer = 1 - both.rank();
  const auto send = [&] {
    check_mpi(MPI_Send(outgoing_.data(), count, MPI_CHAR, peer, kTag, both.comm()), "MPI_Send");
  };
  const auto receive = [&] {
    check_mpi(
        MPI_Recv(incoming_.data(), count, MPI_CHAR, peer, kTag, both.comm(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  };
  barrier_with_backoff(both.comm());  // either may have been idle
  if (both.rank() == 1) {
    receive();
    send();
    return 0;
  }
  const double start_s = clock_s();
  send();
  receive();
  return 0.5 * (clock_s() - start_s);
}

double MessageSamples::ring_step(const SplitComm& group, std::int64_t bytes) {
  const int count = static_cast<int>(bytes);
  const int right = (group.rank() + 1) % group.size();
  const int left = (group.rank() + group.size() - 1) % group.size();
  return step_s(group, bytes, [&] {
    // As a round of a collective. MPI_Sendrecv, which blocks in its send, takes twice the time if
    // the other side begins late.
    std::array<MPI_Request, 2> both{};
    check_mpi(MPI_Isend(outgoing_.data(), count, MPI_CHAR, right, kTag, group.comm(), both.data()),
              "MPI_Isend");
    check_mpi(MPI_Irecv(incoming_.data(), count, MPI_CHAR, left, kTag, group.comm(), &both[1]),
              "MPI_Irecv");
    check_mpi(MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  });
}

double MessageSamples::hub_step(const SplitComm& group,
                                const std::vector<Exchange>& exchanges,
                                std::int64_t bytes) {
  std::vector<MPI_Request> requests(2 * exchanges.size());
  return step_s(group, bytes, [&] {
    auto request = requests.begin();
    for (const Exchange& exchange : exchanges) {
      const int count = static_cast<int>(exchange.bytes);
      char* to = incoming_.data() + exchange.offset;
      const char* from = outgoing_.data() + exchange.offset;
      check_mpi(MPI_Isend(from, count, MPI_CHAR, exchange.peer, kTag, group.comm(), &*request++),
                "MPI_Isend");
      check_mpi(MPI_Irecv(to, count, MPI_CHAR, exchange.peer, kTag, group.comm(), &*request++),
                "MPI_Irecv");
    }
    check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
  });
}

double MessageSamples::reduce(std::int64_t bytes) {
  const std::size_t count = static_cast<std::size_t>(bytes) / sizeof(float);
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const double start_s = clock_s();
  for (std::size_t i = 0; i < count; ++i) numbers_[i] += addend_[i];
  return clock_s() - start_s;
}

double MessageSamples::all_reduce(const Communicator& among, std::int64_t bytes) {
  const std::span<float> values =
      std::span(numbers_).first(static_cast<std::size_t>(bytes) / sizeof(float));
  const double before_s = fabric_.phases().exposed_communication_s;
  // The mean: the numbers do not grow, and the weight costs the same as in training.
  fabric_.all_reduce(payload_of(values), 1.0 / among.size(), among);
  return fabric_.phases().exposed_communication_s - before_s;
}

}  // namespace epochcast::real
