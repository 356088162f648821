// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/mpi_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/process/exact_sleep.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_group.hpp"
#include "real/mpi/mpi_types.hpp"
#include "real/mpi/wait_with_backoff.hpp"

namespace epochcast::real {
namespace {

constexpr int kMessageTag = 2;

}  // namespace

/// A message between two workers; its numbers live until it is done.
class MpiFabric::Message : public Operation {
 public:
  Message(std::string its_name, double its_bytes, double now_s)
      : name(std::move(its_name)), bytes(its_bytes), start_s(now_s) {}

  std::string name;  ///< on the timeline
  double bytes;
  double start_s;
  MPI_Request request = MPI_REQUEST_NULL;
  std::uint64_t done_in = 0;  ///< number of the wait_any() that found it done; 0: none
};

MpiFabric::MpiFabric(std::vector<WorkerInfo> workers,
                     const AllReduceChoice& all_reduce,
                     Timeline* timeline,
                     MPI_Comm job,
                     Cores cores)
    : workers_(std::move(workers)), job_(job), timeline_(timeline), cores_(cores), deals_(job) {
  check_mpi(MPI_Comm_rank(job_, &rank_), "MPI_Comm_rank");
  if (cores_ != Cores::messages)
    progress_ = std::make_unique<BackgroundProgress>(
        job_,
        cores_ == Cores::idle ? BackgroundProgress::kPauseOnIdleCores
                              : BackgroundProgress::kPauseBesideComputing);
  if (self().overlap.counts()) pace_ = std::make_unique<OverlapPace>(self().overlap);
  std::vector<int> all_ranks(workers_.size());
  std::iota(all_ranks.begin(), all_ranks.end(), 0);
  std::vector<int> neighbours;
  for (const int other : all_ranks) {
    if (workers_[static_cast<std::size_t>(other)].node == self().node) neighbours.push_back(other);
  }
  for (std::unique_ptr<CollectiveStream>& stream : streams_) {
    stream =
        std::make_unique<CollectiveStream>([this] { return now_s(); }, cores == Cores::computing);
  }
  world_ = &intern(all_ranks, all_reduce);
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
  // Collective over the members only; they create their groups in the same order.
  check_mpi(MPI_Comm_create_group(job_, members, 0, &group->comm), "MPI_Comm_create_group");
  check_mpi(MPI_Comm_set_errhandler(group->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_Group_free(&members);
  MPI_Group_free(&all);
  group->communicator = {.id = id, .ranks = std::move(ranks), .all_reduce = std::move(all_reduce)};
  group->rank = group->communicator.member_of(rank_);
  return groups_.emplace(id, std::move(group)).first->second->communicator;
}

const Communicator& MpiFabric::communicator(std::vector<int> ranks, AllReduceChoice all_reduce) {
  return intern(std::move(ranks), std::move(all_reduce));
}

MpiFabric::Group& MpiFabric::group_of(const Communicator& among) { return *groups_.at(among.id); }

MpiFabric::CollectiveStream& MpiFabric::stream_of(const Communicator& among) {
  return *streams_[static_cast<std::size_t>(among.all_reduce.stream)];
}

double MpiFabric::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - origin_).count();
}

void MpiFabric::compute(double seconds, std::string_view what) {
  if (pace_) {
    pace_->compute(seconds);
    compute_ends(now_s(), what);
    return;
  }
  sleep_exactly(seconds, cores_ == Cores::idle ? kSpinOnIdleCore_s : kSpinOnSharedCore_s);
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

Payload MpiFabric::with_numbers(const Payload& payload) {
  if (payload.has_numbers() || payload.count == 0) return payload;
  const auto size = size_of(payload.element) * static_cast<std::size_t>(payload.count);
  // A buffer that is too small is kept: an operation in progress may use it.
  if (zeros_.empty() || zeros_.back().size() < size) zeros_.emplace_back(size);
  const std::span<std::byte> data = std::span(zeros_.back()).first(size);
  if (payload.element == Element::float32)
    return {.element = Element::float32, .count = payload.count, .data = data};
  // As bytes: CPUs add them as fast as GPUs add theirs.
  return {.element = Element::byte, .count = static_cast<std::int64_t>(size), .data = data};
}

void MpiFabric::book(double since_s,
                     const std::shared_ptr<StreamOperation>& last,
                     CollectiveStream& stream) {
  auto& unbooked = stream.unbooked;
  double at_s = since_s;
  // Operations after `last` may be in progress; those before it are done.
  const auto found = std::find(unbooked.begin(), unbooked.end(), last);
  const auto end = found == unbooked.end() ? unbooked.begin() : found + 1;
  std::for_each(unbooked.begin(), end, [&](const auto& operation) {
    blocked_s_ += std::max(0.0, operation->start_s - at_s);
    at_s = std::max(at_s, operation->start_s);
    exposed_s_ += std::max(0.0, operation->end_s - at_s);
    at_s = std::max(at_s, operation->end_s);
    traffic_ += operation->sent;
    if (timeline_ != nullptr && operation->end_s > operation->start_s) {
      timeline_->add({.worker = rank_,
                      .stream = Stream::communication,
                      .name = operation->name,
                      .start_s = operation->start_s,
                      .end_s = operation->end_s});
    }
  });
  unbooked.erase(unbooked.begin(), end);
  const double now = now_s();
  exposed_s_ += now - at_s;
  computing_since_s_ = now;
}

void MpiFabric::run(const std::shared_ptr<StreamOperation>& operation, const Communicator& among) {
  const double since_s = now_s();
  compute_ends(since_s, "compute");
  CollectiveStream& stream = stream_of(among);
  stream.unbooked.push_back(operation);
  stream.messages.run(operation);
  book(since_s, operation, stream);
}

Request MpiFabric::start_all_reduce(Payload payload, double weight, const Communicator& among) {
  return start(all_reduction(payload, weight, among), among);
}

Request MpiFabric::start(std::shared_ptr<StreamOperation> operation, const Communicator& among) {
  CollectiveStream& stream = stream_of(among);
  operation->stream = among.all_reduce.stream;
  if (among.size() == 1 && stream.unbooked.empty()) {
    run(operation, among);  // runs at once, since it waits for no other rank
  } else {
    stream.unbooked.push_back(operation);
    stream.messages.start(operation);
  }
  return operation;
}

void MpiFabric::all_reduce(Payload payload, double weight, const Communicator& among) {
  run(all_reduction(payload, weight, among), among);
}

std::shared_ptr<MpiFabric::Message> MpiFabric::message_named(const char* action,
                                                             int peer,
                                                             const Payload& payload) const {
  std::string name = timeline_ == nullptr ? std::string() : action + std::to_string(peer);
  return std::make_shared<Message>(std::move(name), payload.bytes(), now_s());
}

Request MpiFabric::start_send(int to, Payload payload) {
  const auto message = message_named("send to ", to, payload);
  const Payload sent = with_numbers(payload);
  check_mpi(MPI_Isend(sent.data.data(),
                      static_cast<int>(sent.count),
                      mpi_type(sent.element),
                      to,
                      kMessageTag,
                      job_,
                      &message->request),
            "MPI_Isend");
  const bool is_inside = workers_[static_cast<std::size_t>(to)].node == self().node;
  (is_inside ? traffic_.intra_node_bytes : traffic_.inter_node_bytes) += payload.bytes();
  if (progress_) progress_->note_send();
  return message;
}

Request MpiFabric::start_receive(int from, Payload payload) {
  const auto message = message_named("receive from ", from, payload);
  const Payload received = with_numbers(payload);
  check_mpi(MPI_Irecv(received.data.data(),
                      static_cast<int>(received.count),
                      mpi_type(received.element),
                      from,
                      kMessageTag,
                      job_,
                      &message->request),
            "MPI_Irecv");
  if (progress_) progress_->note_send();
  return message;
}

void MpiFabric::wait(const Request& request) {
  const double since_s = now_s();
  compute_ends(since_s, "compute");
  if (const auto operation = std::dynamic_pointer_cast<StreamOperation>(request)) {
    CollectiveStream& stream = *streams_[static_cast<std::size_t>(operation->stream)];
    stream.messages.wait(*operation);
    book(since_s, operation, stream);
    return;
  }
  auto& message = dynamic_cast<Message&>(*request);
  {
    const BackgroundProgress::Moving moving(progress_.get());
    check_mpi(MPI_Wait(&message.request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  computing_since_s_ = now_s();
  exposed_s_ += computing_since_s_ - since_s;
  show(message);
}

void MpiFabric::show(const Message& message) {
  if (timeline_ == nullptr) return;
  timeline_->add({.worker = rank_,
                  .stream = Stream::communication,
                  .name = message.name,
                  .start_s = message.start_s,
                  .end_s = now_s(),
                  .bytes = message.bytes});
}

std::vector<MpiFabric::Message*> MpiFabric::messages_of(std::span<const Request> requests) {
  std::vector<Message*> messages;
  messages.reserve(requests.size());
  for (const Request& each : requests)
    messages.push_back(each ? &dynamic_cast<Message&>(*each) : nullptr);
  return messages;
}

std::optional<std::size_t> MpiFabric::test(std::span<Message* const> messages) {
  std::vector<MPI_Request> requests;
  std::vector<Message*> tested;
  for (Message* const message : messages) {
    if (message == nullptr || message->done_in > 0) continue;
    tested.push_back(message);
    requests.push_back(message->request);
  }
  if (!requests.empty()) {
    std::vector<int> done(requests.size());
    int count = 0;
    check_mpi(MPI_Testsome(static_cast<int>(requests.size()),
                           requests.data(),
                           &count,
                           done.data(),
                           MPI_STATUSES_IGNORE),
              "MPI_Testsome");
    for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->request = requests[i];
    for (int i = 0; i < count; ++i)
      tested[static_cast<std::size_t>(done[static_cast<std::size_t>(i)])]->done_in = tests_;
  }
  // Those found by earlier calls come first: a worker that is answered at once and sends again does
  // not overtake others.
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i] == nullptr || messages[i]->done_in == 0) continue;
    if (!first || messages[i]->done_in < messages[*first]->done_in) first = i;
  }
  return first;
}

std::size_t MpiFabric::wait_any(std::span<const Request> requests) {
  const double since_s = now_s();
  compute_ends(since_s, "compute");
  const std::vector<Message*> messages = messages_of(requests);
  ++tests_;
  std::optional<std::size_t> found;
  {
    const BackgroundProgress::Moving moving(progress_.get());
    wait_with_backoff([&] {
      found = test(messages);
      return found.has_value();
    });
  }
  computing_since_s_ = now_s();
  exposed_s_ += computing_since_s_ - since_s;
  show(*messages[*found]);
  return *found;
}

std::optional<std::size_t> MpiFabric::test_any(std::span<const Request> requests) {
  ++tests_;
  const std::vector<Message*> messages = messages_of(requests);
  const std::optional<std::size_t> found = test(messages);
  if (found) show(*messages[*found]);
  return found;
}

std::optional<std::int64_t> MpiFabric::deal(std::int64_t sequence, std::int64_t count, int owner) {
  if (owner == rank_) return deals_.deal(sequence, count, owner);
  const double since_s = now_s();
  compute_ends(since_s, "compute");
  const std::optional<std::int64_t> number = deals_.deal(sequence, count, owner);
  const bool is_inside = workers_[static_cast<std::size_t>(owner)].node == self().node;
  (is_inside ? traffic_.intra_node_bytes : traffic_.inter_node_bytes) += sizeof(sequence);
  computing_since_s_ = now_s();
  exposed_s_ += computing_since_s_ - since_s;
  return number;
}

void MpiFabric::repeat(const Communicator&,
                       std::int64_t count,
                       const std::function<void(std::int64_t)>& body) {
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

void MpiFabric::warm_up(Payload payload) {
  for (const auto& [id, group] : groups_) {
    const auto operation = all_reduction(payload, 1.0, group->communicator);
    operation->name = "first exchange";
    run(operation, group->communicator);
  }
}

PhaseTimes MpiFabric::phases() const {
  return {.compute_s = now_s() - exposed_s_ - blocked_s_,
          .exposed_communication_s = exposed_s_,
          .blocked_s = blocked_s_};
}

}  // namespace epochcast::real
