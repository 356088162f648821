// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/fake_fabric.hpp"

namespace epochcast::tests {

/// One collective call: every member's part, and its time.
struct FakeCollective {
 public:
  struct Part {
    Payload payload = {};              ///< the whole
    Payload mine = {};                 ///< this member's part of it
    double weight = 0;                 ///< of sums
    std::vector<double> numbers = {};  ///< all_gather_numbers
  };

  const Communicator* among = nullptr;
  std::string name;
  int root = -1;            ///< rank of the job
  std::vector<Part> parts;  ///< by member
  int reached = 0;          ///< members that have arrived
  int heads = 0;            ///< members whose stream it heads
  double start_s = 0;       ///< the latest arrival, or the end of earlier operations of the streams
  double end_s = 0;
  bool is_done = false;
  std::vector<double> gathered;  ///< all_gather_numbers: the values of all

  /// Computes its result from the parts' numbers.
  void move_numbers();

 private:
  void check_sizes() const;
  void gather_into(const Payload& all) const;
};

/// One message: starts when both sides have arrived.
struct FakeMessage {
  Payload source;
  Payload target;
  bool is_sent = false;
  bool is_received = false;
  bool is_done = false;
  double start_s = 0;
  double end_s = 0;
};

struct FakeWorker {
  struct Interval {
    double start_s;
    double end_s;
  };

  double now_s = 0;
  PhaseTimes phases;
  Traffic traffic;
  std::vector<FakeCall> calls;
  struct CollectiveStream {
    double free_s = 0;
    std::deque<std::shared_ptr<FakeCollective>> calls;  ///< entered, not done
    std::vector<Interval> busy;                         ///< not yet waited for
  };
  std::array<CollectiveStream, kStreams> streams;
  /// While it waits for its turn by the clock: when it can go on, if that is known.
  std::optional<double> next_s;
};

/// The state that the workers of a fake job share, and the turn that lets one run at a time.
class FakeJob {
 public:
  FakeJob(std::vector<WorkerInfo> infos, const ExchangeCost& cost)
      : workers(std::move(infos)), states_(workers.size()), cost_(cost) {}

  /// Runs `program(rank)` on one thread per worker. Rethrows the first exception.
  void run(const std::function<void(int)>& program);

  [[nodiscard]] int size() const { return static_cast<int>(workers.size()); }
  [[nodiscard]] FakeWorker& at(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] FakeWorker::CollectiveStream& stream_of(int rank, const Communicator& among) {
    return at(rank).streams[static_cast<std::size_t>(among.all_reduce.stream)];
  }
  const Communicator& intern(std::vector<int> ranks, const AllReduceChoice& all_reduce);

  std::shared_ptr<FakeCollective> join(int rank,
                                       const Communicator& among,
                                       const std::string& name,
                                       int root,
                                       FakeCollective::Part part);
  std::shared_ptr<FakeMessage> send(int from, int to, Payload payload);
  std::shared_ptr<FakeMessage> receive(int from, int to, Payload payload);

  /// Lets others run until `is_true()`.
  void wait_until(int rank, const std::string& what, const std::function<bool()>& is_true);
  /// Lets others run until nobody can do anything earlier than this worker with the first of these
  /// messages to end; nulls are ignored. Returns its index, the lowest of those that end together.
  std::size_t wait_for_first(int rank, const std::vector<std::shared_ptr<FakeMessage>>& messages);
  /// Lets others run until nobody can do anything earlier than this worker now.
  void wait_for_turn(int rank, const std::string& what);
  /// The index of the first of these messages to have ended by this worker's clock, if any has.
  [[nodiscard]] std::optional<std::size_t> first_ended(
      int rank, const std::vector<std::shared_ptr<FakeMessage>>& messages);
  /// The next number of a sequence.
  [[nodiscard]] std::int64_t deal(std::int64_t sequence) { return dealt_[sequence]++; }

  const std::vector<WorkerInfo> workers;

 private:
  struct Stopped {};  ///< thrown in workers when another one has failed
  using Pair = std::tuple<int, int>;

  void take_turn(int rank);
  void hand_over(int rank);
  void idle_turn(int rank, const std::string& what);
  [[nodiscard]] bool is_next(int rank) const;
  void advance(const std::shared_ptr<FakeCollective>& collective);
  void match(FakeMessage& message, int rank);
  [[nodiscard]] double seconds(double bytes) const {
    return cost_.alpha_s + cost_.beta_s_per_byte * bytes;
  }

  std::vector<FakeWorker> states_;
  ExchangeCost cost_;
  std::vector<std::unique_ptr<Communicator>> communicators_;
  std::map<int, std::deque<std::shared_ptr<FakeCollective>>> not_reached_by_all_;
  std::map<Pair, std::deque<std::shared_ptr<FakeMessage>>> unsent_, unreceived_;
  std::map<std::int64_t, std::int64_t> dealt_;  ///< numbers, by sequence

  std::mutex mutex_;
  std::condition_variable turn_changed_;
  int turn_ = 0;
  std::vector<bool> is_running_;
  int idle_turns_ = 0;  ///< in a row, without any progress
  std::exception_ptr error_;
};

}  // namespace epochcast::tests
