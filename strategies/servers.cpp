// SPDX-License-Identifier: Apache-2.0
#include "strategies/servers.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace epochcast {
namespace {

/// Common parts of all servers.
class AnyServer : public Server {
 protected:
  AnyServer(Worker& worker, const ServerLayout& layout, const ServedTraining& training)
      : fabric_(worker.fabric),
        training_(training),
        workers_(static_cast<std::size_t>(layout.trainers())),
        part_(worker,
              layout,
              training.local_steps ? ServerPart::Pushed::moves : ServerPart::Pushed::gradients) {}

  /// Workers that begin an epoch with a batch.
  [[nodiscard]] std::int64_t first_active() const {
    return std::min(static_cast<std::int64_t>(workers_), training_.gradients);
  }
  void count(const ServerOrder& order) { taken_ += static_cast<std::int64_t>(order.taken.size()); }
  /// After count().
  void carry_out(const ServerOrder& order) {
    part_.carry_out(order, static_cast<double>(taken_) / static_cast<double>(training_.gradients));
  }
  void wait(Request& request) {
    if (request) fabric_.wait(std::exchange(request, nullptr));
  }

  Fabric& fabric_;
  const ServedTraining& training_;
  std::size_t workers_;
  ServerPart part_;
  std::int64_t taken_ = 0;  ///< gradients of this epoch
};

/// The first server: deals batches, and decides about the gradients of all servers.
class FirstServer : public AnyServer {
 public:
  FirstServer(Worker& worker, const ServerLayout& layout, const ServedTraining& training)
      : AnyServer(worker, layout, training),
        report_(worker.report),
        layout_(layout),
        under_way_(2 * workers_),
        deals_(workers_),
        is_taken_(workers_),
        sending_deals_(workers_),
        answered_by_(workers_) {
    state_.clients.resize(workers_);
  }

  void serve_epoch(std::int64_t epoch) override {
    begin(epoch);
    while (active_ > 0) {
      const std::size_t done = fabric_.wait_any(under_way_);
      under_way_[done] = nullptr;
      if (done >= workers_) continue;  // parameters that were sent
      const auto from = static_cast<int>(done);
      Client& client = state_.clients[done];
      ++client.pushes;
      client.waits = true;
      forget_orders(answered_by_[done]);
      decide(training_.rule->arrived(state_, from));
      for (std::vector<int> more = training_.rule->released(state_); !more.empty();
           more = training_.rule->released(state_))
        decide({.answered = std::move(more)});
    }
    for (std::size_t each = 0; each < workers_; ++each) {
      wait(under_way_[workers_ + each]);
      wait(sending_deals_[each]);
    }
    forget_orders(orders_);
  }

 private:
  /// An order that is being sent to the other servers.
  struct SentOrder {
    OrderMessage message;
    std::vector<Request> sends;
  };

  void begin(std::int64_t epoch) {
    epoch_ = epoch;
    taken_ = dealt_ = orders_ = 0;
    state_.version = 0;
    active_ = first_active();
    training_.rule->begin_epoch();
    for (std::size_t each = 0; each < workers_; ++each) {
      state_.clients[each] = {.is_active = next_deal() != kNoBatch};
      answered_by_[each] = 0;
      if (state_.clients[each].is_active)
        under_way_[each] = part_.start_receive(static_cast<int>(each));
    }
  }

  /// The next of the epoch's gradients: those that are dealt, or taken if others are dropped. A
  /// simulated clock may omit some.
  std::optional<std::int64_t> next_gradient() {
    return fabric_.deal(epoch_, training_.gradients, fabric_.rank());
  }

  std::int64_t next_deal() {
    if (!training_.drops) return next_gradient().value_or(kNoBatch);
    return taken_ < training_.gradients ? dealt_++ : kNoBatch;
  }

  /// Carries out an order; workers that get no batch leave instead of being answered.
  void decide(ServerOrder order) {
    for (const int worker : order.taken) {
      note(state_.staleness(worker));
      is_taken_[static_cast<std::size_t>(worker)] = 1;
    }
    const std::vector<int> answered = std::exchange(order.answered, {});
    count(order);
    if (training_.drops) {
      for (std::size_t each = 0; each < order.taken.size(); ++each)
        taken_ = next_gradient().value_or(training_.gradients - 1) + 1;
    }
    for (const int worker : answered) {
      if (deal(worker) != kNoBatch) {
        order.answered.push_back(worker);
      } else {
        state_.clients[static_cast<std::size_t>(worker)].is_active = false;
        --active_;
      }
    }
    tell_others(order);
    carry_out(order);
    if (order.rate > 0) ++state_.version;
    for (const int worker : order.answered) answer(worker);
  }

  std::int64_t deal(int worker) {
    const auto to = static_cast<std::size_t>(worker);
    wait(sending_deals_[to]);
    deals_[to] = {next_deal(), std::exchange(is_taken_[to], 0)};
    sending_deals_[to] = fabric_.start_send(worker, payload_of(std::span(deals_[to])));
    return deals_[to][0];
  }

  void answer(int worker) {
    const auto to = static_cast<std::size_t>(worker);
    Client& client = state_.clients[to];
    client.waits = false;
    client.pulled_version = state_.version;
    answered_by_[to] = orders_;
    wait(under_way_[workers_ + to]);
    under_way_[workers_ + to] = part_.start_answer(worker);
    under_way_[to] = part_.start_receive(worker);
  }

  void note(std::int64_t staleness) {
    std::vector<std::int64_t>& counts = report_.updates_by_staleness;
    const auto place = static_cast<std::size_t>(staleness);
    if (place >= counts.size()) counts.resize(place + 1);
    ++counts[place];
  }

  void tell_others(const ServerOrder& order) {
    ++orders_;
    if (layout_.servers() == 1) return;
    SentOrder& sent = sent_orders_.emplace_back(
        SentOrder{.message = OrderMessage(static_cast<int>(workers_)), .sends = {}});
    sent.message.write(order, active_);
    const std::span<const int> others = layout_.ranks().subspan(1);
    const std::vector<Payload> messages(others.size(),
                                        payload_of(std::span(sent.message.numbers())));
    fabric_.start_send_parts(others, messages, sent.sends);
  }

  /// Orders before this one have arrived, as a worker has pushed that they answered.
  void forget_orders(std::int64_t before) {
    while (!sent_orders_.empty() &&
           orders_ - static_cast<std::int64_t>(sent_orders_.size()) < before) {
      for (Request& request : sent_orders_.front().sends) wait(request);
      sent_orders_.pop_front();
    }
  }

  WorkerReport& report_;
  const ServerLayout& layout_;
  ServerState state_;
  std::vector<Request> under_way_;  ///< gradients by worker, then parameters by worker
  std::vector<Deal> deals_;
  std::vector<std::int64_t> is_taken_;  ///< 1 or 0, of a gradient that is not answered yet
  std::vector<Request> sending_deals_;
  std::vector<std::int64_t> answered_by_;  ///< orders, when the worker was answered
  std::deque<SentOrder> sent_orders_;      ///< the last ones
  std::int64_t orders_ = 0;                ///< of this epoch
  std::int64_t active_ = 0;                ///< workers
  std::int64_t dealt_ = 0;                 ///< batches, if gradients are dropped
  std::int64_t epoch_ = 0;
};

/// A server that does what the first one decides.
class OtherServer : public AnyServer {
 public:
  OtherServer(Worker& worker, const ServerLayout& layout, const ServedTraining& training)
      : AnyServer(worker, layout, training),
        first_(layout.rank_of(0)),
        receives_(workers_),
        answers_(workers_),
        message_(layout.trainers()) {}

  void serve_epoch(std::int64_t /*epoch*/) override {
    taken_ = 0;
    for (std::int64_t each = 0; each < first_active(); ++each)
      receives_[static_cast<std::size_t>(each)] = part_.start_receive(static_cast<int>(each));
    do {
      fabric_.wait(fabric_.start_receive_part(first_, payload_of(std::span(message_.numbers()))));
      const ServerOrder order = message_.order();
      for (const int worker : order.taken) wait(receives_[static_cast<std::size_t>(worker)]);
      count(order);
      carry_out(order);
      for (const int worker : order.answered) answer(worker);
    } while (message_.active() > 0);
    for (Request& request : receives_) wait(request);
    for (Request& request : answers_) wait(request);
  }

 private:
  void answer(int worker) {
    const auto to = static_cast<std::size_t>(worker);
    wait(receives_[to]);
    wait(answers_[to]);
    answers_[to] = part_.start_answer(worker);
    receives_[to] = part_.start_receive(worker);
  }

  int first_;
  std::vector<Request> receives_, answers_;  ///< by worker
  OrderMessage message_;
};

}  // namespace

std::unique_ptr<Server> make_server(Worker& worker,
                                    const ServerLayout& layout,
                                    const ServedTraining& training) {
  if (worker.fabric.rank() == layout.rank_of(0))
    return std::make_unique<FirstServer>(worker, layout, training);
  return std::make_unique<OtherServer>(worker, layout, training);
}

}  // namespace epochcast
