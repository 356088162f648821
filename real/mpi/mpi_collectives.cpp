// SPDX-License-Identifier: Apache-2.0
// The collectives of MpiFabric: the barrier at their start, and their transfers.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "collectives/all_gather.hpp"
#include "collectives/one_to_all.hpp"
#include "collectives/registry.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_group.hpp"
#include "real/mpi/mpi_types.hpp"
#include "real/mpi/wait_with_backoff.hpp"

namespace epochcast::real {
namespace {

constexpr double kLargePayload = 1 << 20;  // bytes: worth exchanging the weights first
constexpr std::int64_t kLargestCount = std::int64_t{1} << 30;  // MPI counts are ints

/// Calls use(data, count) for pieces that MPI can count.
template <typename Use>
void in_pieces(const Payload& payload, Use use) {
  for (std::int64_t at = 0; at < payload.count; at += kLargestCount) {
    const Payload piece = slice(payload, at, std::min(kLargestCount, payload.count - at));
    use(piece.data.data(), static_cast<int>(piece.count));
  }
}

/// The message of each member to the others when they meet.
struct Part {
  std::int64_t count = 0;
  double weight = 1;
};

/// Copies between buffers that may be the same.
void copy(const Payload& from, const Payload& to) {
  if (from.data.data() != to.data.data()) std::ranges::copy(from.data, to.data.begin());
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
                                                       Meet meet,
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
        self.sent = body(group);
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
  const Payload numbers = with_numbers(payload);
  const Plan& plan = plan_of(own, payload.bytes());
  const float factor = payload.has_numbers() || numbers.element == Element::float32
                           ? static_cast<float>(weight)
                           : 1.0F;  // bytes stand for numbers
  check_weight(numbers.element, factor);
  if (among.all_reduce.algorithm != "openmpi") {
    const bool is_large = payload.bytes() >= kLargePayload;
    const auto meet = [factor, is_large](Group& group) {
      if (!is_large) return barrier_with_backoff(group.comm);
      // The all-gather of weights also serves as the barrier.
      group.weights.resize(static_cast<std::size_t>(group.communicator.size()));
      MPI_Request request = MPI_REQUEST_NULL;
      check_mpi(
          MPI_Iallgather(
              &factor, 1, MPI_FLOAT, group.weights.data(), 1, MPI_FLOAT, group.comm, &request),
          "MPI_Iallgather");
      wait_with_backoff(request);  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): tests until done
    };
    return collective(
        among, "all-reduce", meet, [this, numbers, factor, is_large, &plan](Group& group) {
          const std::span<const float> weights =
              is_large ? std::span<const float>(group.weights) : std::span<const float>();
          run_schedule(*plan.schedule, numbers, factor, weights, group);
          return plan.sent;
        });
  }
  return collective(among, "all-reduce", [this, numbers, factor, &plan](Group& group) {
    // MPI_Allreduce spins while it waits, so lower the thread's priority.
    const auto place = stream_of(group.communicator).messages.beside_computing();
    scale(numbers, factor);
    in_pieces(numbers, [&](std::byte* piece, int count) {
      check_mpi(MPI_Allreduce(MPI_IN_PLACE,
                              piece,
                              count,
                              mpi_type(numbers.element),
                              mpi_sum(numbers.element),
                              group.comm),
                "MPI_Allreduce");
    });
    return plan.sent;
  });
}

void MpiFabric::run_schedule(const Schedule& schedule,
                             const Payload& numbers,
                             float weight,
                             std::span<const float> weights,
                             const Group& group) {
  CollectiveStream& stream = stream_of(group.communicator);
  std::function<bool()> has_to_sleep;
  if (stream.messages.is_beside_computing())
    has_to_sleep = [&stream] { return stream.messages.has_to_sleep(); };
  stream.schedule_run.run(schedule, numbers, weight, weights, group.rank, group.comm, has_to_sleep);
}

Request MpiFabric::start_half(const char* name,
                              MakeHalf make,
                              const Payload& all,
                              const Payload& mine,
                              double weight,
                              const Communicator& among) {
  const Payload numbers = with_numbers(all);
  const bool has_bytes_instead = numbers.element != all.element;
  const Part own = {.count = has_bytes_instead
                                 ? static_cast<std::int64_t>(size_of(all.element)) * mine.count
                                 : mine.count,
                    .weight = has_bytes_instead ? 1 : weight};
  check_weight(numbers.element, own.weight);
  const auto parts =
      std::make_shared<std::vector<Part>>(static_cast<std::size_t>(among.size()), own);
  const auto meet = [own, parts](Group& group) {
    constexpr int kBytes = sizeof(Part);
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallgather(
                  &own, kBytes, MPI_BYTE, parts->data(), kBytes, MPI_BYTE, group.comm, &request),
              "MPI_Iallgather");
    wait_with_backoff(request);  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): tests until done
  };
  const double bytes = all.bytes();
  return start(collective(among,
                          name,
                          meet,
                          [this, make, numbers, mine, bytes, parts](Group& group) {
                            std::vector<std::int64_t> counts;
                            std::vector<float> weights;
                            for (const Part& part : *parts) {
                              counts.push_back(part.count);
                              weights.push_back(static_cast<float>(part.weight));
                            }
                            const auto rank = static_cast<std::size_t>(group.rank);
                            const auto begin = std::accumulate(
                                counts.begin(), counts.begin() + group.rank, std::int64_t{0});
                            const Payload place = slice(numbers, begin, counts[rank]);
                            const bool is_gather = make == make_all_gather;
                            if (is_gather && mine.has_numbers()) copy(mine, place);
                            Plan& plan = group.halves[{make, std::llround(bytes), counts}];
                            if (!plan.schedule) {
                              plan.schedule = make(group.communicator, counts, std::llround(bytes));
                              plan.sent = sent_by(group, *plan.schedule, bytes);
                            }
                            run_schedule(*plan.schedule, numbers, weights[rank], weights, group);
                            if (!is_gather && mine.has_numbers()) copy(place, mine);
                            return plan.sent;
                          }),
               among);
}

Request MpiFabric::start_reduce_scatter(Payload all,
                                        Payload mine,
                                        double weight,
                                        const Communicator& among) {
  return start_half("reduce-scatter", make_reduce_scatter, all, mine, weight, among);
}

Request MpiFabric::start_all_gather(Payload mine, Payload all, const Communicator& among) {
  return start_half("all-gather", make_all_gather, all, mine, 1, among);
}

void MpiFabric::broadcast(Payload payload, int root, const Communicator& among) {
  Group& own = group_of(among);
  const int member = own.communicator.member_of(root);
  const Payload numbers = with_numbers(payload);
  const Traffic bytes = sent_by(own, BinomialBroadcast(among.size(), member), payload.bytes());
  run(collective(among,
                 "broadcast",
                 [numbers, member, bytes](Group& group) {
                   in_pieces(numbers, [&](std::byte* piece, int count) {
                     check_mpi(
                         MPI_Bcast(piece, count, mpi_type(numbers.element), member, group.comm),
                         "MPI_Bcast");
                   });
                   return bytes;
                 }),
      among);
}

void MpiFabric::gather(Payload mine, Payload all, int root, const Communicator& among) {
  Group& own = group_of(among);
  const int member = own.communicator.member_of(root);
  const Payload sent = with_numbers(mine);
  const Payload received = member == own.rank ? with_numbers(all) : Payload();
  Traffic bytes;
  if (member != own.rank) {
    const bool is_inside = workers_[static_cast<std::size_t>(root)].node == self().node;
    (is_inside ? bytes.intra_node_bytes : bytes.inter_node_bytes) = mine.bytes();
  }
  run(collective(
          among,
          "gather",
          [sent, received, member, bytes](Group& group) {
            const auto count = static_cast<int>(sent.count);
            const MPI_Datatype type = mpi_type(sent.element);
            std::vector<int> counts(static_cast<std::size_t>(group.communicator.size()));
            check_mpi(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, member, group.comm),
                      "MPI_Gather");
            std::vector<int> begins(counts.size());
            std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
            if (member == group.rank && begins.back() + counts.back() > received.count) {
              throw std::logic_error("gather: " + std::to_string(begins.back() + counts.back()) +
                                     " numbers arrive, there is room for " +
                                     std::to_string(received.count));
            }
            check_mpi(MPI_Gatherv(sent.data.data(),
                                  count,
                                  type,
                                  received.data.data(),
                                  counts.data(),
                                  begins.data(),
                                  type,
                                  member,
                                  group.comm),
                      "MPI_Gatherv");
            return bytes;
          }),
      among);
}

SharedNumbers MpiFabric::all_gather_numbers(std::span<const double> mine,
                                            const Communicator& among) {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(among.size()));
  const Traffic sent = sent_by(group_of(among),
                               BruckAllGather(among.size()),
                               sizeof(double) * static_cast<double>(all.size()));
  run(collective(
          among,
          "all-gather",
          [&all, mine, sent](Group& group) {
            const auto count = static_cast<int>(mine.size());
            check_mpi(
                MPI_Allgather(
                    mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, group.comm),
                "MPI_Allgather");
            return sent;
          }),
      among);
  return all;
}

void MpiFabric::barrier(const Communicator& among) {
  run(collective(among, "barrier", [](Group&) { return Traffic(); }), among);
}

}  // namespace epochcast::real
