// SPDX-License-Identifier: Apache-2.0
// The collectives of MpiFabric: the barrier at their start, and their transfers.
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "collectives/all_gather.hpp"
#include "collectives/one_to_all.hpp"
#include "collectives/registry.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_group.hpp"
#include "real/mpi/wait_with_backoff.hpp"

namespace epochcast::real {
namespace {

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

std::shared_ptr<StreamOperation> MpiFabric::collective(const Communicator& among,
                                                       const char* name,
                                                       Body body) {
  return collective(
      among, name, [](Group& group) { barrier_with_backoff(group.comm); }, std::move(body));
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
        const bool has_others = group.communicator.size() > 1;
        const BackgroundProgress::Moving moving(has_others ? progress_.get() : nullptr);
        if (has_others) meet(group);
        self.start_s = now_s();
        if (pace_) pace_->begin_moving();
        body(group);
        if (pace_) pace_->end_moving();
      };
  return operation;
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
      if (!is_large) return barrier_with_backoff(group.comm);
      // The all-gather of weights also serves as the barrier.
      group.weights.resize(static_cast<std::size_t>(group.communicator.size()));
      MPI_Request everybody = MPI_REQUEST_NULL;
      check_mpi(
          MPI_Iallgather(
              &factor, 1, MPI_FLOAT, group.weights.data(), 1, MPI_FLOAT, group.comm, &everybody),
          "MPI_Iallgather");
      wait_with_backoff(
          everybody);  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): tests until done
    };
    return collective(
        among, "all-reduce", meet, [this, values, factor, is_large, &plan](Group& group) {
          const std::span<const float> weights =
              is_large ? std::span<const float>(group.weights) : std::span<const float>();
          std::function<bool()> has_to_sleep;
          if (stream_->is_beside_computing())
            has_to_sleep = [this] { return stream_->has_to_sleep(); };
          schedule_run_.all_reduce(
              *plan.schedule, values, factor, weights, group.rank, group.comm, has_to_sleep);
        });
  }
  return collective(among, "all-reduce", [this, values, factor](Group& group) {
    // MPI_Allreduce spins while it waits, so lower the thread's priority.
    const auto place = stream_->beside_computing();
    if (factor != 1.0F) {
      for (float& value : values) value *= factor;
    }
    in_pieces(values, [&](float* piece, int count) {
      check_mpi(MPI_Allreduce(MPI_IN_PLACE, piece, count, MPI_FLOAT, MPI_SUM, group.comm),
                "MPI_Allreduce");
    });
  });
}

void MpiFabric::broadcast(Payload payload, int root, const Communicator& among) {
  Group& own = group_of(among);
  const int member = own.communicator.member_of(root);
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
  const int member = own.communicator.member_of(root);
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

SharedNumbers MpiFabric::all_gather(std::span<const double> mine, const Communicator& among) {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(among.size()));
  const double bytes = sizeof(double) * static_cast<double>(all.size());
  traffic_ += sent_by(group_of(among), BruckAllGather(among.size()), bytes);
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

}  // namespace epochcast::real
