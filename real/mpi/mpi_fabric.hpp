// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/fabric.hpp"
#include "core/timeline.hpp"
#include "real/mpi/background_progress.hpp"
#include "real/mpi/deal_service.hpp"
#include "real/mpi/message_stream.hpp"
#include "real/mpi/overlap_pace.hpp"
#include "real/mpi/schedule_run.hpp"

namespace epochcast {
class Schedule;
}

namespace epochcast::real {

/// The index of each rank's node, in the order of first appearance. A node is a shared-memory
/// domain of MPI_Comm_split_type; with `ranks_per_node` > 0, every so many ranks of a machine are a
/// node. Collective over MPI_COMM_WORLD.
[[nodiscard]] std::vector<int> node_of_each_rank(int ranks_per_node = 0);

/// This rank's number among those of its machine. Collective over MPI_COMM_WORLD.
[[nodiscard]] int rank_on_machine();

/// The use of the cores that move a worker's messages.
enum class Cores {
  messages,   ///< messages only: the worker never computes
  idle,       ///< messages only: the worker sleeps instead of computing, or computes on a GPU
  computing,  ///< batches, too: threads that wait for messages leave them the cores
};

/// The fabric of one worker in a job of MPI processes, in real time.
///
/// Each collective begins with a barrier, to separate waiting for others (blocked) from moving data
/// (exposed communication); all time between calls is computing. All-reduces are executed as the
/// schedules of collectives/, except "openmpi", which is MPI_Allreduce. A payload without numbers
/// is replaced by as many bytes of zeros. Waiting for a message is exposed communication, also
/// before its sender has begun: MPI does not tell when.
class MpiFabric : public Fabric {
 public:
  /// Collective over `job`, whose errors must be returned: the job starts now. `workers`: every
  /// rank's, equal everywhere. `timeline` (may be null) gets this worker's exchanges, and the
  /// computing between them. `cores`: while it computes with an exchange under way.
  MpiFabric(std::vector<WorkerInfo> workers,
            const AllReduceChoice& all_reduce,
            Timeline* timeline = nullptr,
            MPI_Comm job = MPI_COMM_WORLD,
            Cores cores = Cores::idle);
  ~MpiFabric() override;
  MpiFabric(const MpiFabric&) = delete;
  MpiFabric& operator=(const MpiFabric&) = delete;

  int rank() const override { return rank_; }
  std::span<const WorkerInfo> workers() const override { return workers_; }
  const Communicator& world() const override { return *world_; }
  const Communicator& node() const override { return *node_; }
  const Communicator& communicator(std::vector<int> ranks, AllReduceChoice all_reduce) override;

  double now_s() const override;
  /// Sleeps for the computing time of an emulated device; longer during exchanges that slow it down
  /// by its worker's OverlapCost.
  void compute(double seconds, std::string_view what) override;

  Request start_all_reduce(Payload payload, double weight, const Communicator& among) override;
  Request start_reduce_scatter(Payload all,
                               Payload mine,
                               double weight,
                               const Communicator& among) override;
  Request start_all_gather(Payload mine, Payload all, const Communicator& among) override;
  Request start_send(int to, Payload payload) override;
  Request start_receive(int from, Payload payload) override;
  void wait(const Request& request) override;
  std::size_t wait_any(std::span<const Request> requests) override;
  std::optional<std::size_t> test_any(std::span<const Request> requests) override;
  std::optional<std::int64_t> deal(std::int64_t sequence, std::int64_t count, int owner) override;

  void all_reduce(Payload payload, double weight, const Communicator& among) override;
  void broadcast(Payload payload, int root, const Communicator& among) override;
  void gather(Payload mine, Payload all, int root, const Communicator& among) override;
  SharedNumbers all_gather_numbers(std::span<const double> mine,
                                   const Communicator& among) override;
  void barrier(const Communicator& among) override;
  void repeat(const Communicator& among,
              std::int64_t count,
              const std::function<void(std::int64_t)>& body) override;
  void warm_up(Payload payload) override;

  PhaseTimes phases() const override;
  Traffic traffic() const override { return traffic_; }

 private:
  struct Group;
  class Message;
  struct CollectiveStream;
  using Meet = std::function<void(Group&)>;
  /// Returns what this worker has sent.
  using Body = std::function<Traffic(Group&)>;

  Group& group_of(const Communicator& among);
  [[nodiscard]] CollectiveStream& stream_of(const Communicator& among);
  /// These messages, and null for null.
  [[nodiscard]] std::shared_ptr<Message> message_named(const char* action,
                                                       int peer,
                                                       const Payload& payload) const;
  /// Shows a message that is done on the timeline, if there is one.
  void show(const Message& message);
  [[nodiscard]] static std::vector<Message*> messages_of(std::span<const Request> requests);
  /// Tests these messages, and numbers those that are found to be done: together, all the same.
  /// Returns the index of the one with the least number, if any is done.
  [[nodiscard]] std::optional<std::size_t> test(std::span<Message* const> messages);
  const Communicator& intern(std::vector<int> ranks, AllReduceChoice all_reduce);
  std::shared_ptr<StreamOperation> collective(const Communicator& among,
                                              const char* name,
                                              Body body);
  /// `meet` returns when all members have come; not called in a group of one.
  std::shared_ptr<StreamOperation> collective(const Communicator& among,
                                              const char* name,
                                              Meet meet,
                                              Body body);
  void run(const std::shared_ptr<StreamOperation>& operation, const Communicator& among);
  /// The payload, with zeros for numbers if it has none: float32, or as many bytes.
  Payload with_numbers(const Payload& payload);
  std::shared_ptr<StreamOperation> all_reduction(const Payload& payload,
                                                 double weight,
                                                 const Communicator& among);
  /// A schedule, and what it sends.
  struct Plan;
  /// Names the schedule of a half of an all-reduce with these parts.
  using MakeHalf = std::unique_ptr<Schedule> (*)(const Communicator&,
                                                 const std::vector<std::int64_t>& counts,
                                                 std::int64_t bytes);
  const Plan& plan_of(Group& group, double bytes);
  Request start(std::shared_ptr<StreamOperation> operation, const Communicator& among);
  /// A reduce-scatter or all-gather, in place in `all`: members tell each other their counts when
  /// they meet. Copies `mine` in or out.
  Request start_half(const char* name,
                     MakeHalf make,
                     const Payload& all,
                     const Payload& mine,
                     double weight,
                     const Communicator& among);
  void run_schedule(const Schedule& schedule,
                    const Payload& numbers,
                    float weight,
                    std::span<const float> weights,
                    const Group& group);
  [[nodiscard]] Traffic sent_by(const Group& group, const Schedule& schedule, double bytes) const;
  /// Books the wait from `since_s` to now for the stream's operations up to `last`: blocked before
  /// an operation's start, exposed after it.
  void book(double since_s, const std::shared_ptr<StreamOperation>& last, CollectiveStream& stream);
  /// Names the computing since the last call or wait.
  void compute_ends(double at_s, std::string_view what);

  std::vector<WorkerInfo> workers_;
  MPI_Comm job_;
  int rank_ = 0;
  Timeline* timeline_;
  Cores cores_;
  std::chrono::steady_clock::time_point origin_;
  std::map<int, std::unique_ptr<Group>> groups_;  ///< by Communicator::id
  const Communicator* world_ = nullptr;
  const Communicator* node_ = nullptr;
  std::deque<std::vector<std::byte>> zeros_;  ///< stand in for payloads without numbers
  Traffic traffic_;
  std::uint64_t tests_ = 0;  ///< calls of wait_any() and test_any()
  double exposed_s_ = 0;
  double blocked_s_ = 0;
  double computing_since_s_ = 0;
  std::unique_ptr<OverlapPace> pace_;             ///< if overlap has a cost
  std::unique_ptr<BackgroundProgress> progress_;  ///< for ranks that compute
  DealService deals_;
  /// Destroyed before the members that they use.
  std::array<std::unique_ptr<CollectiveStream>, kStreams> streams_;
};

}  // namespace epochcast::real
