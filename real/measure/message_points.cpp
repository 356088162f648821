// SPDX-License-Identifier: Apache-2.0
#include "real/measure/message_points.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <span>
#include <thread>
#include <utility>

#include "real/mpi/mpi_call.hpp"
#include "real/mpi/polite_wait.hpp"

namespace epochcast::real {
namespace {

constexpr int kTag = 3;
/// Steps of small messages take less than the barrier before them leaves ranks apart: several in a
/// row.
constexpr std::int64_t kSmallBytes = 65536;
constexpr int kStepsOfSmall = 16;
constexpr std::chrono::milliseconds kLate{5};  ///< how much later than others the last one comes

std::vector<WorkerInfo> workers_of(const std::vector<int>& node_of_rank) {
  std::vector<WorkerInfo> workers;
  workers.reserve(node_of_rank.size());
  for (const int node : node_of_rank)
    workers.push_back({.node = node, .device_class = "cpu", .model = "cpu"});
  return workers;
}

}  // namespace

/// The ranks of MPI_COMM_WORLD with the same colour; MPI_COMM_NULL for those without one.
class SplitComm {
 public:
  SplitComm(bool is_member, int colour) {
    check_mpi(MPI_Comm_split(MPI_COMM_WORLD, is_member ? colour : MPI_UNDEFINED, 0, &comm_),
              "MPI_Comm_split");
    if (comm_ == MPI_COMM_NULL) return;
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }
  ~SplitComm() {
    if (comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
  }
  SplitComm(const SplitComm&) = delete;
  SplitComm& operator=(const SplitComm&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
};

double clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string MessagePoint::text() const {
  return cost.kind + (cost.algorithm.empty() ? "" : " " + cost.algorithm) + ", " + cost.scope +
         ", " + std::to_string(cost.bytes) + " B";
}

MessagePoints::MessagePoints(const MessageSettings& settings, const std::vector<int>& node_of_rank)
    : settings_(settings), fabric_(workers_of(node_of_rank), {}) {
  const std::int64_t most = *std::max_element(settings.bytes.begin(), settings.bytes.end());
  outgoing_.assign(static_cast<std::size_t>(most), 'a');
  incoming_.assign(static_cast<std::size_t>(most), 'b');
  numbers_.assign(static_cast<std::size_t>(most) / sizeof(float), 1.0F);
  addend_.assign(numbers_.size(), 0.0F);
  add_pair(find_pair(node_of_rank, true), "node");
  add_pair(find_pair(node_of_rank, false), "between");
  add_group("all", fabric_.world());
  const bool has_nodes = find_pair(node_of_rank, true) && find_pair(node_of_rank, false);
  if (has_nodes) add_group("node", fabric_.node());
  for (const std::int64_t bytes : whole_floats())
    add({.kind = "reduce", .scope = "all", .bytes = bytes},
        [this, bytes] { return reduce(bytes); });
}

MessagePoints::~MessagePoints() = default;

void MessagePoints::add_pair(const std::optional<RankPair>& pair, const std::string& scope) {
  if (!pair) return;
  const bool is_member = rank() == pair->first || rank() == pair->second;
  comms_.push_back(std::make_unique<SplitComm>(is_member, 0));
  const SplitComm& both = *comms_.back();
  for (const std::int64_t bytes : settings_.bytes) {
    add({.kind = "ping-pong", .scope = scope, .bytes = bytes},
        is_member ? [this, &both, bytes] { return ping_pong(both, bytes); } : Sample());
  }
  for (const std::int64_t bytes : settings_.bytes) {
    add({.kind = "opposite", .scope = scope, .bytes = bytes},
        is_member ? [this, &both, bytes] { return ring_step(both, bytes); } : Sample());
  }
}

void MessagePoints::add_group(const std::string& scope, const Communicator& among) {
  const bool is_member = among.size() > 1;
  comms_.push_back(std::make_unique<SplitComm>(is_member, among.ranks.front()));
  const SplitComm& group = *comms_.back();
  for (const std::int64_t bytes : settings_.bytes) {
    add({.kind = "ring-step", .scope = scope, .bytes = bytes},
        is_member ? [this, &group, bytes] { return ring_step(group, bytes); } : Sample());
  }
  add({.kind = "barrier", .scope = scope},
      is_member ? [this, &group] { return late_barrier(group); } : Sample());
  for (const std::string& name : settings_.all_reduce) {
    const Communicator& own = fabric_.communicator(among.ranks, {.algorithm = name, .servers = {}});
    for (const std::int64_t bytes : whole_floats()) {
      add({.kind = "all-reduce", .scope = scope, .algorithm = name, .bytes = bytes},
          is_member ? [this, &own, bytes] { return all_reduce(own, bytes); } : Sample());
    }
  }
}

std::vector<std::int64_t> MessagePoints::whole_floats() const {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : settings_.bytes) {
    const std::int64_t bytes = size - size % std::int64_t{sizeof(float)};
    if (bytes > 0 && (sizes.empty() || sizes.back() != bytes)) sizes.push_back(bytes);
  }
  return sizes;
}

void MessagePoints::add(MessageCost cost, Sample sample) {
  points_.push_back({.cost = std::move(cost), .sample = std::move(sample)});
}

double MessagePoints::ping_pong(const SplitComm& both, std::int64_t bytes) {
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
  polite_barrier(both.comm());  // either may have rested
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

double MessagePoints::ring_step(const SplitComm& group, std::int64_t bytes) {
  const int count = static_cast<int>(bytes);
  const int right = (group.rank() + 1) % group.size();
  const int left = (group.rank() + group.size() - 1) % group.size();
  const int steps = bytes <= kSmallBytes ? kStepsOfSmall : 1;
  polite_barrier(group.comm());
  const double start_s = clock_s();
  for (int step = 0; step < steps; ++step) {
    // As a round of a collective: MPI_Sendrecv, which blocks in its send, takes twice the time
    // whenever the other side begins late.
    std::array<MPI_Request, 2> both{};
    check_mpi(MPI_Isend(outgoing_.data(), count, MPI_CHAR, right, kTag, group.comm(), both.data()),
              "MPI_Isend");
    check_mpi(MPI_Irecv(incoming_.data(), count, MPI_CHAR, left, kTag, group.comm(), &both[1]),
              "MPI_Irecv");
    check_mpi(MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
  return (clock_s() - start_s) / steps;
}

double MessagePoints::late_barrier(const SplitComm& group) {
  const bool is_late = barriers_++ % group.size() == group.rank();
  check_mpi(MPI_Barrier(group.comm()), "MPI_Barrier");
  if (is_late) std::this_thread::sleep_for(kLate);
  const double start_s = clock_s();
  polite_barrier(group.comm());
  check_mpi(MPI_Barrier(group.comm()), "MPI_Barrier");  // over when all have left the first
  const double all_left_s = clock_s();
  check_mpi(MPI_Barrier(group.comm()), "MPI_Barrier");
  const double barrier_s = clock_s() - all_left_s;
  return is_late ? std::max(1e-7, all_left_s - start_s - barrier_s) : 0;
}

double MessagePoints::reduce(std::int64_t bytes) {
  const std::size_t count = static_cast<std::size_t>(bytes) / sizeof(float);
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const double start_s = clock_s();
  for (std::size_t i = 0; i < count; ++i) numbers_[i] += addend_[i];
  return clock_s() - start_s;
}

double MessagePoints::all_reduce(const Communicator& among, std::int64_t bytes) {
  const std::span<float> values =
      std::span(numbers_).first(static_cast<std::size_t>(bytes) / sizeof(float));
  const double before_s = fabric_.phases().exposed_communication_s;
  // The mean: the numbers stay what they are, and the weight costs what it costs in training.
  fabric_.all_reduce(
      {.bytes = static_cast<double>(bytes), .values = values}, 1.0 / among.size(), among);
  return fabric_.phases().exposed_communication_s - before_s;
}

}  // namespace epochcast::real
