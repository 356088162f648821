// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_job.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <type_traits>

namespace epochcast::tests {

namespace {

/// Copies between buffers that may be the same.
void copy(std::span<const std::byte> from, std::span<std::byte> to) {
  if (from.data() != to.data()) std::ranges::copy(from, to.begin());
}

/// Numbers of 16 bits are added as float32, in the order of members, and rounded once.
template <typename T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

template <typename T>
void add_up(std::vector<FakeCollective::Part>& parts) {
  std::vector<Sum<T>> sum(values<T>(parts.front().payload).size(), 0);
  for (const FakeCollective::Part& part : parts) {
    check_weight(part.payload.element, part.weight);
    const std::span<T> numbers = values<T>(part.payload);
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] += static_cast<Sum<T>>(part.weight) * static_cast<Sum<T>>(numbers[i]);
  }
  for (const FakeCollective::Part& part : parts) {
    std::transform(sum.begin(), sum.end(), values<T>(part.payload).begin(), [](Sum<T> value) {
      if constexpr (std::is_integral_v<T>) return static_cast<T>(value);
      return T(static_cast<float>(value));
    });
  }
}

}  // namespace

void FakeCollective::check_sizes() const {
  const Payload& first = parts.front().payload;
  for (const Part& part : parts) {
    if (part.payload.element != first.element || part.payload.bytes() != first.bytes() ||
        part.payload.data.size() != first.data.size())
      throw std::logic_error(name + ": members bring different sizes");
  }
}

void FakeCollective::gather_into(const Payload& all) const {
  std::span<std::byte> room = all.data;
  for (const Part& part : parts) {
    if (part.mine.data.size() > room.size()) throw std::logic_error(name + ": there is no room");
    copy(part.mine.data, room);
    room = room.subspan(part.mine.data.size());
  }
}

void FakeCollective::move_numbers() {
  if (name == "all_gather_numbers") {
    for (const Part& part : parts)
      gathered.insert(gathered.end(), part.numbers.begin(), part.numbers.end());
    return;
  }
  if (name == "all_reduce" || name == "reduce_scatter") {
    check_sizes();
    if (!parts.front().payload.has_numbers()) return;
    with_element(parts.front().payload.element, [&](auto zero) { add_up<decltype(zero)>(parts); });
    if (name == "all_reduce") return;
    std::int64_t begin = 0;
    for (const Part& part : parts) {
      if (part.mine.has_numbers())
        copy(slice(part.payload, begin, part.mine.count).data, part.mine.data);
      begin += part.mine.count;
    }
    if (begin != parts.front().payload.count)
      throw std::logic_error("reduce_scatter: the parts do not make up the whole");
    return;
  }
  if (name == "all_gather") {
    for (const Part& part : parts) gather_into(part.payload);
    return;
  }
  if (root < 0) return;
  const auto found = std::find(among->ranks.begin(), among->ranks.end(), root);
  if (found == among->ranks.end()) throw std::logic_error(name + ": the root is no member");
  const Part& at_root = parts[static_cast<std::size_t>(found - among->ranks.begin())];
  if (name == "broadcast") {
    check_sizes();
    for (const Part& part : parts) copy(at_root.payload.data, part.payload.data);
    return;
  }
  gather_into(at_root.payload);
}

const Communicator& FakeJob::intern(std::vector<int> ranks, const AllReduceChoice& all_reduce) {
  for (const auto& known : communicators_) {
    if (known->ranks == ranks && known->all_reduce == all_reduce) return *known;
  }
  communicators_.push_back(std::make_unique<Communicator>());
  *communicators_.back() = {.id = static_cast<int>(communicators_.size()) - 1,
                            .ranks = std::move(ranks),
                            .all_reduce = all_reduce};
  return *communicators_.back();
}

std::shared_ptr<FakeCollective> FakeJob::join(int rank,
                                              const Communicator& among,
                                              const std::string& name,
                                              int root,
                                              FakeCollective::Part part) {
  const auto place = std::find(among.ranks.begin(), among.ranks.end(), rank);
  if (place == among.ranks.end()) throw std::logic_error(name + ": the caller is no member");
  const auto member = static_cast<std::size_t>(place - among.ranks.begin());
  auto& open = not_reached_by_all_[among.id];
  const auto mine = std::find_if(open.begin(), open.end(), [&](const auto& known) {
    const auto& waiting = stream_of(rank, among).calls;
    return std::find(waiting.begin(), waiting.end(), known) == waiting.end();
  });
  std::shared_ptr<FakeCollective> collective;
  if (mine == open.end()) {
    collective = std::make_shared<FakeCollective>();
    collective->among = &among;
    collective->name = name;
    collective->root = root;
    collective->parts.resize(among.ranks.size());
    open.push_back(collective);
  } else {
    collective = *mine;
  }
  if (collective->name != name || collective->root != root) {
    throw std::logic_error(name + ": another member calls " + collective->name);
  }
  collective->parts[member] = std::move(part);
  collective->start_s = std::max(collective->start_s, at(rank).now_s);
  if (++collective->reached == among.size()) open.pop_front();
  auto& calls = stream_of(rank, among).calls;
  calls.push_back(collective);
  if (calls.size() == 1) {
    ++collective->heads;
    advance(collective);
  }
  return collective;
}

void FakeJob::advance(const std::shared_ptr<FakeCollective>& collective) {
  if (collective->heads < collective->among->size()) return;
  double bytes = 0;
  for (const FakeCollective::Part& part : collective->parts) {
    const bool is_gather = collective->name == "gather" || collective->name == "all_gather";
    bytes = is_gather ? bytes + part.mine.bytes() : std::max(bytes, part.payload.bytes());
    bytes += sizeof(double) * static_cast<double>(part.numbers.size());
  }
  for (const int rank : collective->among->ranks) {
    collective->start_s = std::max(collective->start_s, stream_of(rank, *collective->among).free_s);
  }
  const bool is_free = collective->name == "barrier" || collective->among->size() == 1;
  collective->end_s = collective->start_s + (is_free ? 0 : seconds(bytes));
  collective->move_numbers();
  collective->is_done = true;
  for (const int rank : collective->among->ranks) {
    FakeWorker::CollectiveStream& stream = stream_of(rank, *collective->among);
    stream.free_s = collective->end_s;
    stream.busy.push_back({collective->start_s, collective->end_s});
    stream.calls.pop_front();
  }
  for (const int rank : collective->among->ranks) {
    const auto& calls = stream_of(rank, *collective->among).calls;
    if (calls.empty()) continue;
    const std::shared_ptr<FakeCollective> next = calls.front();
    ++next->heads;
    advance(next);
  }
}

std::shared_ptr<FakeMessage> FakeJob::send(int from, int to, Payload payload) {
  auto& waiting = unsent_[{from, to}];
  if (waiting.empty()) {
    waiting.push_back(std::make_shared<FakeMessage>());
    unreceived_[{from, to}].push_back(waiting.back());
  }
  const std::shared_ptr<FakeMessage> message = waiting.front();
  waiting.pop_front();
  message->source = payload;
  message->is_sent = true;
  match(*message, from);
  return message;
}

std::shared_ptr<FakeMessage> FakeJob::receive(int from, int to, Payload payload) {
  auto& waiting = unreceived_[{from, to}];
  if (waiting.empty()) {
    waiting.push_back(std::make_shared<FakeMessage>());
    unsent_[{from, to}].push_back(waiting.back());
  }
  const std::shared_ptr<FakeMessage> message = waiting.front();
  waiting.pop_front();
  message->target = payload;
  message->is_received = true;
  match(*message, to);
  return message;
}

void FakeJob::match(FakeMessage& message, int rank) {
  message.start_s = std::max(message.start_s, at(rank).now_s);
  if (!message.is_sent || !message.is_received) return;
  if (message.source.data.size() != message.target.data.size())
    throw std::logic_error("a message has another size than its receiver expects");
  std::ranges::copy(message.source.data, message.target.data.begin());
  message.end_s = message.start_s + seconds(message.source.bytes());
  message.is_done = true;
}

void FakeJob::take_turn(int rank) {
  std::unique_lock lock(mutex_);
  turn_changed_.wait(lock, [&] { return turn_ == rank; });
  if (error_) throw Stopped();
}

void FakeJob::hand_over(int rank) {
  const std::lock_guard lock(mutex_);
  for (int i = 1; i <= size(); ++i) {
    turn_ = (rank + i) % size();
    if (is_running_[static_cast<std::size_t>(turn_)]) break;
  }
  turn_changed_.notify_all();
}

void FakeJob::wait_until(int rank, const std::string& what, const std::function<bool()>& is_true) {
  while (!is_true()) idle_turn(rank, what);
  idle_turns_ = 0;
}

void FakeJob::idle_turn(int rank, const std::string& what) {
  // One round to find that nobody goes on, one for the first of those that wait for any message.
  if (++idle_turns_ > 2 * std::count(is_running_.begin(), is_running_.end(), true))
    throw std::logic_error("all ranks wait: rank " + std::to_string(rank) + " for " + what);
  hand_over(rank);
  take_turn(rank);
}

bool FakeJob::is_next(int rank) const {
  // Everybody has had a turn to do something earlier.
  if (idle_turns_ < std::count(is_running_.begin(), is_running_.end(), true)) return false;
  const std::optional<double>& own_s = states_[static_cast<std::size_t>(rank)].next_s;
  return own_s && std::ranges::none_of(states_, [&](const FakeWorker& other) {
           return other.next_s && *other.next_s < *own_s;
         });
}

std::size_t FakeJob::wait_for_first(int rank,
                                    const std::vector<std::shared_ptr<FakeMessage>>& messages) {
  FakeWorker& self = at(rank);
  while (true) {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (!messages[i] || !messages[i]->is_done) continue;
      if (!first || messages[i]->end_s < messages[*first]->end_s) first = i;
    }
    self.next_s =
        first ? std::optional(std::max(self.now_s, messages[*first]->end_s)) : std::nullopt;
    if (is_next(rank)) {
      self.next_s.reset();
      idle_turns_ = 0;
      return *first;
    }
    idle_turn(rank, "any message");
  }
}

void FakeJob::wait_for_turn(int rank, const std::string& what) {
  FakeWorker& self = at(rank);
  self.next_s = self.now_s;
  while (!is_next(rank)) idle_turn(rank, what);
  self.next_s.reset();
  idle_turns_ = 0;
}

std::optional<std::size_t> FakeJob::first_ended(
    int rank, const std::vector<std::shared_ptr<FakeMessage>>& messages) {
  wait_for_turn(rank, "its turn to test messages");
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i] || !messages[i]->is_done || messages[i]->end_s > at(rank).now_s) continue;
    if (!first || messages[i]->end_s < messages[*first]->end_s) first = i;
  }
  return first;
}

void FakeJob::run(const std::function<void(int)>& program) {
  is_running_.assign(workers.size(), true);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size(); ++rank) {
    threads.emplace_back([this, rank, &program] {
      try {
        take_turn(rank);
        idle_turns_ = 0;
        program(rank);
      } catch (const Stopped&) {
        // Another worker has failed: its exception is the one to report.
      } catch (...) {
        if (!error_) error_ = std::current_exception();
      }
      is_running_[static_cast<std::size_t>(rank)] = false;
      idle_turns_ = 0;
      hand_over(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (error_) std::rethrow_exception(error_);
}

}  // namespace epochcast::tests
