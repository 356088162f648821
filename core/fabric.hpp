// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/payload.hpp"
#include "core/shared_numbers.hpp"

namespace epochcast {

/// The role of a worker in a job.
enum class Role {
  trains,  ///< computes gradients
  sums,    ///< only adds buffers that others push to it (a BytePS summation server)
};

/// How much longer a worker's batches and exchanges take while they overlap: both need cores,
/// memory or multiprocessors.
struct OverlapCost {
  double batch_slowdown = 1;     ///< of computing while its stream moves messages
  double exchange_slowdown = 1;  ///< of those messages, while it computes
  bool is_known = false;         ///< if not, overlap is taken as free

  /// Whether overlap costs anything.
  [[nodiscard]] bool counts() const { return batch_slowdown > 1 || exchange_slowdown > 1; }
};

/// One process of a job: its node and device.
struct WorkerInfo {
  int node = 0;              ///< index of its node
  int device = 0;            ///< index of its device within the node
  std::string device_class;  ///< "cpu", "gpu", ...
  std::string model;         ///< "v100-32gb", ...
  Role role = Role::trains;
  int sharers = 1;               ///< workers on its device, itself included
  double speed = 1;              ///< of its device, relative to its model's costs
  double reduce_s_per_byte = 0;  ///< γ of its device, when all who share it add at once
  double memory_bytes = 0;       ///< its part of the device's; 0: unknown
  OverlapCost overlap = {};
};

/// Links of a platform, for a library that uses all links of a node at once.
struct NodeLinks {
  bool has_nvlink = false;                  ///< among the devices of a node
  double in_node_bytes_per_s = 12e9;        ///< of a device, to the others of its node, one way
  double between_nodes_bytes_per_s = 12e9;  ///< of a node, one way

  bool operator==(const NodeLinks&) const = default;
};

/// Streams of a worker for collectives.
inline constexpr int kStreams = 2;

/// Which all-reduce a communicator uses, and on which stream; see collectives/registry.hpp.
struct AllReduceChoice {
  std::string algorithm = "ring";
  int servers = 0;             ///< push-pull only: how many members, the last ones, add
  double partition_bytes = 0;  ///< push-pull only: largest piece pushed at once
  NodeLinks links = {};        ///< nccl only
  int stream = 0;              ///< of each member, below kStreams: collectives of one are in order

  bool operator==(const AllReduceChoice&) const = default;
};

/// An ordered set of ranks that exchange together.
struct Communicator {
  int id = 0;              ///< unique within the fabric
  std::vector<int> ranks;  ///< ascending; a member's index is its rank in the collective
  AllReduceChoice all_reduce;

  [[nodiscard]] int size() const { return static_cast<int>(ranks.size()); }
  /// The member that a rank of the job is; it has to be one. Searched for: a table by rank in each
  /// of as many communicators as there are nodes would be quadratic.
  [[nodiscard]] int member_of(int rank) const {
    return static_cast<int>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
  }
};

/// A worker's time by phase. The three add up to the time on its clock.
struct PhaseTimes {
  double compute_s = 0;
  double exposed_communication_s = 0;  ///< waiting while data moved on its behalf
  double blocked_s = 0;                ///< waiting for other workers to arrive

  [[nodiscard]] double total_s() const { return compute_s + exposed_communication_s + blocked_s; }

  bool operator==(const PhaseTimes&) const = default;
  PhaseTimes& operator+=(const PhaseTimes& other) {
    compute_s += other.compute_s;
    exposed_communication_s += other.exposed_communication_s;
    blocked_s += other.blocked_s;
    return *this;
  }
  friend PhaseTimes operator*(double factor, const PhaseTimes& times) {
    return {.compute_s = factor * times.compute_s,
            .exposed_communication_s = factor * times.exposed_communication_s,
            .blocked_s = factor * times.blocked_s};
  }
  friend PhaseTimes operator-(const PhaseTimes& a, const PhaseTimes& b) {
    return {.compute_s = a.compute_s - b.compute_s,
            .exposed_communication_s = a.exposed_communication_s - b.exposed_communication_s,
            .blocked_s = a.blocked_s - b.blocked_s};
  }
};

/// Bytes a worker has sent.
struct Traffic {
  double intra_node_bytes = 0;
  double inter_node_bytes = 0;

  Traffic& operator+=(const Traffic& other) {
    intra_node_bytes += other.intra_node_bytes;
    inter_node_bytes += other.inter_node_bytes;
    return *this;
  }
  friend Traffic operator*(double factor, const Traffic& traffic) {
    return {.intra_node_bytes = factor * traffic.intra_node_bytes,
            .inter_node_bytes = factor * traffic.inter_node_bytes};
  }
  friend Traffic operator-(const Traffic& a, const Traffic& b) {
    return {.intra_node_bytes = a.intra_node_bytes - b.intra_node_bytes,
            .inter_node_bytes = a.inter_node_bytes - b.inter_node_bytes};
  }
};

/// A pending operation; pass it to Fabric::wait() exactly once.
class Operation {
 public:
  virtual ~Operation() = default;
};
using Request = std::shared_ptr<Operation>;

/// The communication and the clock of one worker of a job: by SimGrid, by MPI, or a fake in tests.
///
/// Contract (checked by tests/support/fabric_contract.hpp for every implementation):
/// - Collectives are called by all members of the communicator in the same order.
/// - Collectives of a worker, blocking or not, are in the order of their start if their
/// communicators have the same stream; those of another stream need not wait for them.
/// - A collective starts when its last member has reached it and the earlier ones on every member's
/// stream are done.
/// - All members pass payloads of the same element, and of the same count where parts are not
/// theirs.
/// - Waiting for a message is blocked until both sides have started it, then exposed; fabrics in
/// real time count all of it as exposed, as MPI does not tell when the other side began.
/// - now_s() never decreases; phases() always adds up to the time since the job's start.
class Fabric {
 public:
  virtual ~Fabric() = default;

  [[nodiscard]] virtual int rank() const = 0;
  /// Every worker of the job, by rank; those that only sum come last.
  [[nodiscard]] virtual std::span<const WorkerInfo> workers() const = 0;
  [[nodiscard]] const WorkerInfo& self() const {
    return workers()[static_cast<std::size_t>(rank())];
  }

  /// All workers.
  [[nodiscard]] virtual const Communicator& world() const = 0;
  /// The workers of this worker's node.
  [[nodiscard]] virtual const Communicator& node() const = 0;
  /// A communicator of the given ranks (ascending; all of them call this). Lives as long as the
  /// fabric.
  virtual const Communicator& communicator(std::vector<int> ranks, AllReduceChoice all_reduce) = 0;

  /// Seconds on this worker's clock since the job started.
  [[nodiscard]] virtual double now_s() const = 0;
  /// Those of them that belong to what repeat() and deal() have omitted.
  [[nodiscard]] virtual double omitted_s() const { return 0; }
  /// Computes for `seconds`; `what` is its name on the timeline.
  virtual void compute(double seconds, std::string_view what) = 0;

  /// Starts replacing `payload` by Σ_q weight_q · payload_q over the communicator's members.
  /// Numbers of 16 bits are added as float32 and rounded once in each step of the schedule;
  /// integers and bytes wrap, and their weight is 1.
  [[nodiscard]] virtual Request start_all_reduce(Payload payload,
                                                 double weight,
                                                 const Communicator& among) = 0;
  /// Starts replacing `mine` by this member's part of Σ_q weight_q · all_q. Parts follow each other
  /// by member, may differ in length and together are `all`, whose numbers are used up. `mine` may
  /// be its own part of `all`.
  [[nodiscard]] virtual Request start_reduce_scatter(Payload all,
                                                     Payload mine,
                                                     double weight,
                                                     const Communicator& among) = 0;
  /// Starts filling `all` with every member's payload, by member; they may differ in length. `mine`
  /// may be its own part of `all`.
  [[nodiscard]] virtual Request start_all_gather(Payload mine,
                                                 Payload all,
                                                 const Communicator& among) = 0;
  /// Starts sending to / receiving from one worker; messages between a pair arrive in order.
  [[nodiscard]] virtual Request start_send(int to, Payload payload) = 0;
  [[nodiscard]] virtual Request start_receive(int from, Payload payload) = 0;
  /// Starts sending the parts of an array to several workers, and adds the requests to `under_way`.
  /// The other ends call start_receive_part(). A simulated fabric may let parts advance together,
  /// at the rate of the slowest, as one operation.
  virtual void start_send_parts(std::span<const int> to,
                                std::span<const Payload> parts,
                                std::vector<Request>& under_way) {
    for (std::size_t i = 0; i < to.size(); ++i) under_way.push_back(start_send(to[i], parts[i]));
  }
  /// Starts receiving parts of an array from several workers, which call start_send_part().
  virtual void start_receive_parts(std::span<const int> from,
                                   std::span<const Payload> parts,
                                   std::vector<Request>& under_way) {
    for (std::size_t i = 0; i < from.size(); ++i)
      under_way.push_back(start_receive(from[i], parts[i]));
  }
  [[nodiscard]] virtual Request start_send_part(int to, Payload part) {
    return start_send(to, part);
  }
  [[nodiscard]] virtual Request start_receive_part(int from, Payload part) {
    return start_receive(from, part);
  }
  virtual void wait(const Request& request) = 0;
  /// Waits for one of these sends and receives, of which at least one is not null; nulls are
  /// ignored. Returns the index of the one that ended first by the clock, of several the lowest;
  /// that one is done, the others stay pending. In real time, operations that are found to be done
  /// in the same call have ended at the same time.
  [[nodiscard]] virtual std::size_t wait_any(std::span<const Request> requests) = 0;
  /// The same without waiting: absent if none has ended by now. All may be null.
  [[nodiscard]] virtual std::optional<std::size_t> test_any(std::span<const Request> requests) = 0;
  /// Deals the numbers 0 ... count - 1 of a sequence: each once, to the worker that asks next; then
  /// absent. All workers that ask pass the same count and owner. The owner, which asks too, keeps
  /// the counter: others pay a message to it and its answer, whatever it does meanwhile.
  ///
  /// The caller promises that workers do the same work for each number, up to noise. A simulated
  /// clock may then omit numbers from the middle: clocks, phases and traffic are as if all had been
  /// dealt, within 2 % of the mean time between numbers at a confidence of 95 %, or 5 % where 128
  /// numbers of each worker do not suffice. It omits none of a sequence of up to 32 for each
  /// worker.
  [[nodiscard]] virtual std::optional<std::int64_t> deal(std::int64_t sequence,
                                                         std::int64_t count,
                                                         int owner) = 0;

  virtual void all_reduce(Payload payload, double weight, const Communicator& among) {
    wait(start_all_reduce(payload, weight, among));
  }
  void reduce_scatter(Payload all, Payload mine, double weight, const Communicator& among) {
    wait(start_reduce_scatter(all, mine, weight, among));
  }
  void all_gather(Payload mine, Payload all, const Communicator& among) {
    wait(start_all_gather(mine, all, among));
  }
  /// Every member gets `root`'s payload. `root` is a rank of the job.
  virtual void broadcast(Payload payload, int root, const Communicator& among) = 0;
  /// `root` gets every member's payload, concatenated by rank into `all` (ignored elsewhere).
  virtual void gather(Payload mine, Payload all, int root, const Communicator& among) = 0;
  /// Every member gets the numbers of all, concatenated by rank; all contribute the same count.
  /// They are known in worlds without numbers, too.
  [[nodiscard]] virtual SharedNumbers all_gather_numbers(std::span<const double> mine,
                                                         const Communicator& among) = 0;
  /// Returns when all members have reached it; costs no bytes.
  virtual void barrier(const Communicator& among) = 0;

  /// Calls body(0) ... body(count - 1).
  ///
  /// The caller promises that every member of `among` runs the same loop, that it can finish an
  /// iteration before any other member begins the next, and that iterations do the same work up to
  /// noise, unless it announces a change. A simulated clock may then skip iterations that repeat;
  /// phases, traffic and clock are the same as if all had run.
  virtual void repeat(const Communicator& among,
                      std::int64_t count,
                      const std::function<void(std::int64_t)>& body) = 0;

  /// Announces that later iterations of the loops around this call do other work on this worker
  /// than the current ones. Fabrics that run every iteration ignore it.
  virtual void announce_change() {}

  /// All-reduces `payload` (any values; the sums come back) once in every communicator made so far,
  /// on all workers: connections and memory are then set up before training begins. Simulated
  /// fabrics ignore it.
  virtual void warm_up(Payload /*payload*/) {}

  [[nodiscard]] virtual PhaseTimes phases() const = 0;
  [[nodiscard]] virtual Traffic traffic() const = 0;
};

}  // namespace epochcast
