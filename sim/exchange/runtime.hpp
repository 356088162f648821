// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <simgrid/s4u/Semaphore.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/timeline.hpp"
#include "sim/exchange/collective_call.hpp"
#include "sim/loops/loop_watch.hpp"
#include "sim/platform/cluster.hpp"

namespace epochcast::sim {

/// Seconds of one exchange given by hand; replaces the network.
struct FixedExchange {
  std::map<std::string, double> seconds;  ///< "all", "node" or a device class
};

/// The options of a job's simulation.
struct SimOptions {
  bool is_accelerated = true;  ///< replay collectives and extrapolate loops; off: every message and
                               ///< iteration is simulated
  bool runs_every_iteration = false;  ///< no loop is extrapolated: all results are needed
  std::optional<FixedExchange> fixed_exchange;
};

/// The options of one pass over a job's program.
struct PassOptions {
  bool is_noisy = false;  ///< loops never repeat exactly: sample them
  /// Noisy: a pilot, which only samples iterations for later passes, at least this number of each
  /// loop. 0: no pilot.
  std::int64_t pilot_iterations = 0;
  std::uint64_t seed = 0;
  std::size_t session = 0;       ///< noisy: loops are equal only within one
  Timeline* timeline = nullptr;  ///< filled when given
};

class SimFabric;

/// The identity of a loop: session, communicator, epoch, and position in the program, which is for
/// each enclosing loop and for the loop itself the number of loops that the same iteration has
/// entered before.
using LoopKey = std::tuple<std::size_t, int, std::int64_t, std::vector<int>>;

/// A job on a simulated cluster: its workers, their clocks, and their collectives.
///
/// There are two kinds of clocks. SimGrid's clock advances only in simulated messages. Each worker
/// has its own clock, ahead of SimGrid's: computing and replayed collectives advance only that. A
/// worker's clock is never behind SimGrid's, and all operations that SimGrid has to order are
/// passed to it at the worker's time.
class Runtime {
 public:
  Runtime(Cluster& cluster,
          std::vector<WorkerInfo> workers,
          const AllReduceChoice& all_reduce,
          SimOptions options);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Runs `program` on every worker until all have returned, from within Cluster::run(). Costs of
  /// collectives learned by one pass are replayed by later ones. Rethrows the first exception of a
  /// worker. Returns false when an acceleration was not valid: the result must be discarded, and
  /// later passes simulate in full.
  [[nodiscard]] bool run_pass(const std::function<void(Fabric&)>& program, const PassOptions& pass);

  /// Whether pilot passes have found loops to sample; else every iteration is run, without
  /// pilots.
  [[nodiscard]] bool samples_loops() const {
    return options_.is_accelerated && !loop_statistics_.empty();
  }

  /// Messages sent through SimGrid until now.
  [[nodiscard]] std::int64_t simulated_messages() const { return simulated_messages_; }

 private:
  friend class SimFabric;
  struct Rank;
  struct CommunicatorState;

  Rank& rank(int index) { return *ranks_[static_cast<std::size_t>(index)]; }
  CommunicatorState& state_of(const Communicator& among) {
    return *communicators_[static_cast<std::size_t>(among.id)];
  }
  CommunicatorState& intern(std::vector<int> ranks, const AllReduceChoice& all_reduce);
  void begin_pass(const PassOptions& pass);

  [[nodiscard]] double clock_s() const;  ///< SimGrid's clock since the pass began
  void sleep_until(double when_s);
  [[nodiscard]] Footprint footprint_of(const std::vector<int>& ranks) const;
  /// The route from one rank to another.
  struct Path {
    simgrid::s4u::Mailbox* mailbox = nullptr;
    Cluster::Route route;
    /// Of point-to-point messages: released when the previous one's bytes have been offered, or
    /// requested. Order is kept even if the next one's latency is shorter.
    simgrid::s4u::SemaphorePtr offered, asked;
  };
  [[nodiscard]] Path& path(int from, int to, int channel);
  /// Starts the transfer of a message after its latency: its bytes over the links, at most
  /// `bytes_per_s`.
  [[nodiscard]] static simgrid::s4u::CommPtr send_async(const Path& path,
                                                        void* content,
                                                        double bytes,
                                                        double bytes_per_s);
  /// The time of the barrier at the start of a collective among these ranks.
  [[nodiscard]] double barrier_s(const std::vector<int>& ranks) const;
  /// Message costs with measurements of such a call; null if there are none.
  [[nodiscard]] const MessageCosts* measured_costs(const CollectiveCall& call) const;
  [[nodiscard]] Traffic traffic_between(int from, int to, double bytes) const;

  /// The next call of a member.
  [[nodiscard]] std::shared_ptr<CollectiveCall> next_call(CommunicatorState& state, int member);
  /// Puts the member, with its part filled in, onto its stream; the last one starts the
  /// call.
  void join(const std::shared_ptr<CollectiveCall>& call, int member);
  void reach_head(std::shared_ptr<CollectiveCall> call);
  void start(const std::shared_ptr<CollectiveCall>& shared);
  void end(CollectiveCall& call, int member, double end_s, const Traffic& traffic);
  /// Whether its end is known at its start, and it has ended.
  bool ends_at_once(CollectiveCall& call);
  [[nodiscard]] bool replay(CollectiveCall& call);
  /// The learned cost of the collective, if it applies now.
  [[nodiscard]] const LearnedCost* replayed_cost(CollectiveCall& call);
  void simulate(const std::shared_ptr<CollectiveCall>& shared);
  void simulate_member(const std::shared_ptr<CollectiveCall>& shared, int member);
  /// Simulates the messages of one round of a member from `start_s` on. Returns the end of the
  /// reduction of received data, which is later than SimGrid's clock.
  [[nodiscard]] double simulate_round(
      CollectiveCall& call, int member, const Round& round, double start_s, Traffic& traffic);
  /// Waits for `start_s` and the messages' latencies, posts all transfers, and waits for them.
  void transfer(const CollectiveCall& call,
                int member,
                double unit_bytes,
                std::span<const Action> actions,
                double start_s);
  /// The same for many transfers, by several actors.
  void share_out(const CollectiveCall& call,
                 int member,
                 double unit_bytes,
                 std::span<const Action> actions,
                 double start_s);
  /// Simulates the rounds of a member. Returns the bytes that it has sent.
  Traffic simulate_rounds(CollectiveCall& call, int member);
  void learn(CollectiveCall& call);

  /// Whether computation slows the collective down, or its messages slow computation down.
  [[nodiscard]] bool overlap_costs(const CollectiveCall& call) const;
  /// Lets a worker with a busy stream compute for `seconds` of uncontended time. Returns the
  /// contended time.
  [[nodiscard]] double compute_beside(int index, double seconds);
  /// Adds members that compute during a collective, with this slowdown of it.
  void apply_contention(CollectiveCall& call, double slowdown, int members);
  /// A member's part of a collective, from its start to its end.
  void exchange_beside(const std::shared_ptr<CollectiveCall>& shared, int member);
  /// A member's stream begins to transfer a collective's messages.
  void begin_moving(const std::shared_ptr<CollectiveCall>& call, int member);
  /// Returns when the collective has made the progress of `uncontended_s` seconds without
  /// computation: its end for the member.
  void pace(CollectiveCall& call, int member, double uncontended_s);

  void serve_stream(int rank);
  [[nodiscard]] std::shared_ptr<const Schedule> schedule_of(const CollectiveCall& call);
  /// The label of an all-reduce on the timeline: "all-reduce", "all-reduce inside node 3",
  /// "all-reduce of 8 workers on 4 nodes".
  [[nodiscard]] std::string all_reduce_label(const Communicator& among) const;
  [[nodiscard]] std::optional<double> fixed_s(const CollectiveCall& call) const;

  Cluster& cluster_;
  std::vector<WorkerInfo> workers_;
  SimOptions options_;
  bool overlap_costs_ = false;     ///< any worker
  double largest_contention_ = 1;  ///< the largest exchange_slowdown of any worker
  PassOptions pass_;
  int node_count_ = 0;   ///< up to the last one with a worker
  double origin_s_ = 0;  ///< SimGrid's clock when the pass began
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::unique_ptr<CommunicatorState>> communicators_;
  std::unordered_map<int, std::vector<CommunicatorState*>>
      communicators_from_;  ///< by their first rank
  std::map<CollectiveKey, LearnedCost> learned_;
  std::map<CollectiveKey, std::shared_ptr<const Schedule>> schedules_;
  std::unordered_map<std::uint64_t, Path> paths_;
  std::unique_ptr<Interference> interference_;
  std::map<LoopKey, LoopStatistics> loop_statistics_;  ///< from pilot passes
  std::int64_t epochs_to_sample_ =
      0;  ///< iterations of the outermost loop until it repeats; 0: all
  std::int64_t simulated_messages_ = 0;
  std::size_t running_ = 0;  ///< workers that have not returned
  simgrid::s4u::SemaphorePtr done_;
  std::exception_ptr error_;
};

}  // namespace epochcast::sim
