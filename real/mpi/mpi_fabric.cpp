// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/mpi_fabric.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <thread>

#include "collectives/one_to_all.hpp"
#include "collectives/registry.hpp"
#include "core/error.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/polite_wait.hpp"

namespace epochcast::real {
namespace {

constexpr int kMessageTag = 2;
constexpr double kLargePayload = 1 << 20;  // bytes: worth exchanging the weights first
constexpr std::size_t kLargestCount = std::size_t{1} << 30;  // MPI counts are ints

/// Calls use(values, count) for pieces that MPI can count.
template <typename Use>
void in_pieces(std::span<float> values, Use use) {
  for (std::size_t at = 0; at < values.size(); at += kLargestCount) {
    const std::size_t count = std::min(kLargestCount, values.size() - at);
    use(&values[at], static_cast<int>(count));
  }
}

std::int64_t sent_units(const Schedule& schedule, int rank, const std::function<bool(int)>& to) {
  std::int64_t units = 0;
  const std::int64_t rounds = schedule.rounds(rank);
  for (std::int64_t index = 0; index < rounds; ++index) {
    for (const Action& action : schedule.round(rank, index)) {
      if (action.kind == ActionKind::send && to(action.peer)) units += action.block.size();
    }
  }
  return units;
}

}  // namespace

/// What an all-reduce of so many bytes does.
struct MpiFabric::Plan {
  std::unique_ptr<Schedule> schedule;
  Traffic sent;
};

/// A communicator with what MPI and its schedules need.
struct MpiFabric::Group {
  Communicator communicator;
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;  ///< ours, among the members

  std::map<std::int64_t, Plan> plans;  ///< by bytes
  std::vector<float> weights;          ///< every member's, in a large all-reduce

  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (comm != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm);
  }

  [[nodiscard]] int index_of(int job_rank) const {
    const auto found =
        std::lower_bound(communicator.ranks.begin(), communicator.ranks.end(), job_rank);
    return static_cast<int>(found - communicator.ranks.begin());
  }
};

/// A message between two workers; its numbers live until it is done.
class MpiFabric::Message : public Operation {
 public:
  MPI_Request request = MPI_REQUEST_NULL;
};

std::vector<int> node_of_each_rank(int ranks_per_node) {
  int rank = 0;
  int size = 1;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  MPI_Comm machine = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine),
      "MPI_Comm_split_type");
  int leader = rank;  // the lowest rank of the machine names it
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &leader, 1, MPI_INT, MPI_MIN, machine), "MPI_Allreduce");
  int local = 0;
  check_mpi(MPI_Comm_rank(machine, &local), "MPI_Comm_rank");
  check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
  const int mine[2] = {leader, ranks_per_node > 0 ? local / ranks_per_node : 0};
  std::vector<int> all(2 * static_cast<std::size_t>(size));
  check_mpi(MPI_Allgather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, MPI_COMM_WORLD),
            "MPI_Allgather");
  std::map<std::vector<int>, int> nodes;
  std::vector<int> node_of_rank;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    const auto next = static_cast<int>(nodes.size());
    node_of_rank.push_back(nodes.try_emplace({all[i], all[i + 1]}, next).first->second);
  }
  return node_of_rank;
}

int rank_on_machine() {
  MPI_Comm machine = MPI_COMM_NULL;
  int rank = 0;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_rank(machine, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
  return rank;
}

MpiFabric::MpiFabric(std::vector<WorkerInfo> workers,
                     const AllReduceChoice& all_reduce,
                     Timeline* timeline,
                     MPI_Comm job)
    : workers_(std::move(workers)), job_(job), timeline_(timeline) {
  prctl(PR_SET_TIMERSLACK, 1);  // sleeps stand for computing: let them end on time
  check_mpi(MPI_Comm_rank(job_, &rank_), "MPI_Comm_rank");
  std::vector<int> everybody(workers_.size());
  std::iota(everybody.begin(), everybody.end(), 0);
  std::vector<int> neighbours;
  for (const int other : everybody) {
    if (workers_[static_cast<std::size_t>(other)].node == self().node) neighbours.push_back(other);
  }
  stream_ = std::make_unique<MessageStream>([this] { return now_s(); });
  world_ = &intern(everybody, all_reduce);
  node_ = &intern(neighbours, all_reduce);
  check_mpi(MPI_Barrier(job_), "MPI_Barrier");
  origin_ = std::chrono::steady_clock::now();
}

MpiFabric::~MpiFabric() = default;

const Communicator& MpiFabric::intern(std::vector<int> ranks, AllReduceChoice all_reduce) {
  for (const auto& [id, group] : groups_) {
    if (group->communicator.ranks == ranks && group->communicator.all_reduce == all_reduce)
      return group->communicator;
  }
  auto group = std::make_unique<Group>();
  const int id = static_cast<int>(groups_.size());
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group members = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(job_, &all), "MPI_Comm_group");
  check_mpi(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &members),
            "MPI_Group_incl");
  // Collective over the members alone; they make their groups in the same order.
  check_mpi(MPI_Comm_create_group(job_, members, 0, &group->comm), "MPI_Comm_create_group");
  check_mpi(MPI_Comm_set_errhandler(group->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_Group_free(&members);
  MPI_Group_free(&all);
  group->communicator = {.id = id, .ranks = std::move(ranks), .all_reduce = std::move(all_reduce)};
  group->rank = group->index_of(rank_);
  return groups_.emplace(id, std::move(group)).first->second->communicator;
}

const Communicator& MpiFabric::communicator(std::vector<int> ranks, AllReduceChoice all_reduce) {
  return intern(std::move(ranks), std::move(all_reduce));
}

MpiFabric::Group& MpiFabric::group_of(const Communicator& among) { return *groups_.at(among.id); }

double MpiFabric::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - origin_).count();
}

void MpiFabric::compute(double seconds, std::string_view what) {
  if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  compute_ends(now_s(), what);
}

void MpiFabric::compute_ends(double at_s, std::string_view what) {
  if (timeline_ != nullptr && at_s > computing_since_s_) {
    timeline_->add({.worker = rank_,
                    .stream = Stream::compute,
                    .name = std::string(what),
                    .start_s = computing_since_s_,
                    .end_s = at_s});
  }
  computing_since_s_ = at_s;
}

std::span<float> MpiFabric::numbers(const Payload& payload) {
  if (!payload.values.empty()) return payload.values;
  const auto count = static_cast<std::size_t>(std::ceil(payload.bytes / sizeof(float)));
  // A buffer that is too small is kept: an operation under way may be using it.
  if (zeros_.empty() || zeros_.back().size() < count) zeros_.emplace_back(count, 0.0F);
  return std::span(zeros_.back()).first(count);
}

void MpiFabric::book(double since_s, const std::shared_ptr<StreamOperation>& last) {
  double at_s = since_s;
  // Those started after `last` may still be under way; those before it are over.
  const auto found = std::find(unbooked_.begin(), unbooked_.end(), last);
  const auto end = found == unbooked_.end() ? unbooked_.begin() : found + 1;
  std::for_each(unbooked_.begin(), end, [&](const auto& operation) {
    blocked_s_ += std::max(0.0, operation->start_s - at_s);
    at_s = std::max(at_s, operation->start_s);
    exposed_s_ += std::max(0.0, operation->end_s - at_s);
    at_s = std::max(at_s, operation->end_s);
    if (timeline_ != nullptr && operation->end_s > operation->start_s) {
      timeline_->add({.worker = rank_,
                      .stream = Stream::communication,
                      .name = operation->name,
                      .start_s = operation->start_s,
                      .end_s = operation->end_s});
    }
  });
  unbooked_.erase(unbooked_.begin(), end);
  const double now = now_s();
  exposed_s_ += now - at_s;
  computing_since_s_ = now;
}

std::shared_ptr<StreamOperation> MpiFabric::collective(const Communicator& among,
                                                       const char* name,
                                                       Body body) {
  return collective(
      among, name, [](Group& group) { polite_barrier(group.comm); }, std::move(body));
}

std::shared_ptr<StreamOperation> MpiFabric::collective(const Communicator& among,
                                                       const char* name,
                                                       Body meet,
                                                       Body body) {
  Group& group = group_of(among);
  auto operation = std::make_shared<StreamOperation>();
  operation->name = name;
  operation->run =
      [this, &group, meet = std::move(meet), body = std::move(body)](StreamOperation& self) {
        if (group.communicator.size() > 1) meet(group);
        self.start_s = now_s();
        body(group);
      };
  return operation;
}

void MpiFabric::run(const std::shared_ptr<StreamOperation>& operation) {
  const double since_s = now_s();
  compute_ends(since_s, "compute");
  unbooked_.push_back(operation);
  stream_->run(operation);
  book(since_s, operation);
}

const MpiFabric::Plan& MpiFabric::plan_of(Group& group, double bytes) {
  Plan& plan = group.plans[std::llround(bytes)];
  if (!plan.schedule) {
    plan.schedule = make_all_reduce(group.communicator, workers_, std::llround(bytes));
    plan.sent = sent_by(group, *plan.schedule, bytes);
  }
  return plan;
}

Traffic MpiFabric::sent_by(const Group& group, const Schedule& schedule, double bytes) const {
  const auto is_inside = [&](int member) {
    const int peer = group.communicator.ranks[static_cast<std::size_t>(member)];
    return workers_[static_cast<std::size_t>(peer)].node == self().node;
  };
  const double unit_bytes = bytes / static_cast<double>(schedule.divisions());
  const auto inside = sent_units(schedule, group.rank, is_inside);
  const auto outside = sent_units(schedule, group.rank, std::not_fn(is_inside));
  return {.intra_node_bytes = unit_bytes * static_cast<double>(inside),
          .inter_node_bytes = unit_bytes * static_cast<double>(outside)};
}

Request MpiFabric::start_all_reduce(Payload payload, double weight, const Communicator& among) {
  auto operation = all_reduction(payload, weight, among);
  unbooked_.push_back(operation);
  stream_->start(operation);
  return operation;
}

void MpiFabric::all_reduce(Payload payload, double weight, const Communicator& among) {
  run(all_reduction(payload, weight, among));
}

std::shared_ptr<StreamOperation> MpiFabric::all_reduction(const Payload& payload,
                                                          double weight,
                                                          const Communicator& among) {
  Group& own = group_of(among);
  const std::span<float> values = numbers(payload);
  const Plan& plan = plan_of(own, payload.bytes);
  traffic_ += plan.sent;
  const auto factor = static_cast<float>(weight);
  if (among.all_reduce.algorithm != "openmpi") {
    const bool is_large = payload.bytes >= kLargePayload;
    const auto meet = [factor, is_large](Group& group) {
      if (!is_large) return polite_barrier(group.comm);
      // Nobody has all weights before everybody has come: as good as a barrier.
      group.weights.resize(static_cast<std::size_t>(group.communicator.size()));
      MPI_Request everybody = MPI_REQUEST_NULL;
      check_mpi(
          MPI_Iallgather(
              &factor, 1, MPI_FLOAT, group.weights.data(), 1, MPI_FLOAT, group.comm, &everybody),
          "MPI_Iallgather");
      wait_politely(everybody);  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): tests until done
    };
    return collective(
        among, "all-reduce", meet, [this, values, factor, is_large, &plan](Group& group) {
          const std::span<const float> weights =
              is_large ? std::span<const float>(group.weights) : std::span<const float>();
          schedule_run_.all_reduce(*plan.schedule, values, factor, weights, group.rank, group.comm);
        });
  }
  return collective(among, "all-reduce", [values, factor](Group& group) {
    if (factor != 1.0F) {
      for (float& value : values) value *= factor;
    }
    in_pieces(values, [&](float* piece, int count) {
      check_mpi(MPI_Allreduce(MPI_IN_PLACE, piece, count, MPI_FLOAT, MPI_SUM, group.comm),
                "MPI_Allreduce");
    });
  });
}

Request MpiFabric::start_send(int to, Payload payload) {
  auto message = std::make_shared<Message>();
  const std::span<float> values = numbers(payload);
  check_mpi(MPI_Isend(values.data(),
                      static_cast<int>(values.size()),
                      MPI_FLOAT,
                      to,
                      kMessageTag,
                      job_,
                      &message->request),
            "MPI_Isend");
  const bool is_inside = workers_[static_cast<std::size_t>(to)].node == self().node;
  (is_inside ? traffic_.intra_node_bytes : traffic_.inter_node_bytes) += payload.bytes;
  return message;
}

Request MpiFabric::start_receive(int from, Payload payload) {
  auto message = std::make_shared<Message>();
  const std::span<float> values = numbers(payload);
  check_mpi(MPI_Irecv(values.data(),
                      static_cast<int>(values.size()),
                      MPI_FLOAT,
                      from,
                      kMessageTag,
                      job_,
                      &message->request),
            "MPI_Irecv");
  return message;
}

void MpiFabric::wait(const Request& request) {
  const double since_s = now_s();
  compute_ends(since_s, "compute");
  if (const auto operation = std::dynamic_pointer_cast<StreamOperation>(request)) {
    stream_->wait(*operation);
    book(since_s, operation);
    return;
  }
  auto& message = dynamic_cast<Message&>(*request);
  check_mpi(MPI_Wait(&message.request, MPI_STATUS_IGNORE), "MPI_Wait");
  exposed_s_ += now_s() - since_s;
}

void MpiFabric::broadcast(Payload payload, int root, const Communicator& among) {
  Group& own = group_of(among);
  const int member = own.index_of(root);
  const std::span<float> values = numbers(payload);
  traffic_ += sent_by(own, BinomialBroadcast(among.size(), member), payload.bytes);
  run(collective(among, "broadcast", [values, member](Group& group) {
    in_pieces(values, [&](float* piece, int count) {
      check_mpi(MPI_Bcast(piece, count, MPI_FLOAT, member, group.comm), "MPI_Bcast");
    });
  }));
}

void MpiFabric::gather(Payload mine, Payload all, int root, const Communicator& among) {
  Group& own = group_of(among);
  const int member = own.index_of(root);
  const std::span<float> sent = numbers(mine);
  const std::span<float> received = member == own.rank ? numbers(all) : std::span<float>();
  if (member != own.rank) {
    const bool is_inside = workers_[static_cast<std::size_t>(root)].node == self().node;
    (is_inside ? traffic_.intra_node_bytes : traffic_.inter_node_bytes) += mine.bytes;
  }
  run(collective(among, "gather", [sent, received, member](Group& group) {
    const auto count = static_cast<int>(sent.size());
    std::vector<int> counts(static_cast<std::size_t>(group.communicator.size()));
    check_mpi(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, member, group.comm),
              "MPI_Gather");
    std::vector<int> begins(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
    if (member == group.rank &&
        begins.back() + counts.back() > static_cast<std::int64_t>(received.size())) {
      throw std::logic_error("gather: " + std::to_string(begins.back() + counts.back()) +
                             " numbers arrive, there is room for " +
                             std::to_string(received.size()));
    }
    check_mpi(MPI_Gatherv(sent.data(),
                          count,
                          MPI_FLOAT,
                          received.data(),
                          counts.data(),
                          begins.data(),
                          MPI_FLOAT,
                          member,
                          group.comm),
              "MPI_Gatherv");
  }));
}

std::vector<double> MpiFabric::all_gather(std::span<const double> mine, const Communicator& among) {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(among.size()));
  traffic_ += plan_of(group_of(among), sizeof(double) * static_cast<double>(all.size())).sent;
  run(collective(among, "all-gather", [&all, mine](Group& group) {
    const auto count = static_cast<int>(mine.size());
    check_mpi(
        MPI_Allgather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, group.comm),
        "MPI_Allgather");
  }));
  return all;
}

void MpiFabric::barrier(const Communicator& among) {
  run(collective(among, "barrier", [](Group&) {}));
}

void MpiFabric::repeat(const Communicator&,
                       std::int64_t count,
                       const std::function<void(std::int64_t)>& body) {
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

PhaseTimes MpiFabric::phases() const {
  return {.compute_s = now_s() - exposed_s_ - blocked_s_,
          .exposed_communication_s = exposed_s_,
          .blocked_s = blocked_s_};
}

}  // namespace epochcast::real
