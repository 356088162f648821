// SPDX-License-Identifier: Apache-2.0
#include "strategies/server_part.hpp"

#include <algorithm>
#include <span>

#include "strategies/training.hpp"

namespace epochcast {

ServerLayout::ServerLayout(Worker& worker)
    : trainers_(trainer_count(worker.fabric)),
      servers_(worker.fabric.world().size() - trainers_),
      parameters_(worker.learner.gradients().count) {
  ranks_.reserve(static_cast<std::size_t>(servers_));
  for (int server = 0; server < servers_; ++server) ranks_.push_back(rank_of(server));
}

std::vector<Payload> ServerLayout::parts(const Payload& all) const {
  std::vector<Payload> parts;
  parts.reserve(static_cast<std::size_t>(servers_));
  for (int server = 0; server < servers_; ++server) parts.push_back(part(all, server));
  return parts;
}

void start_push(Fabric& fabric,
                const ServerLayout& layout,
                const Payload& pushed,
                std::vector<Request>& under_way) {
  fabric.start_send_parts(layout.ranks(), layout.parts(pushed), under_way);
}

void start_pull(Worker& worker, const ServerLayout& layout, std::vector<Request>& under_way) {
  worker.fabric.start_receive_parts(
      layout.ranks(), layout.parts(worker.learner.parameters()), under_way);
}

void broadcast_parts(Worker& worker, const ServerLayout& layout) {
  Fabric& fabric = worker.fabric;
  const Payload parameters = worker.learner.parameters();
  for (int server = 0; server < layout.servers(); ++server)
    fabric.broadcast(layout.part(parameters, server), layout.rank_of(server), fabric.world());
  // Messages of the next epoch would meet those that are still under way.
  worker.fabric.barrier(worker.fabric.world());
}

ServerPart::ServerPart(Worker& worker, const ServerLayout& layout, Pushed pushed)
    : worker_(worker),
      layout_(layout),
      number_(worker.fabric.rank() - layout.rank_of(0)),
      pushed_(pushed) {
  clients_.reserve(static_cast<std::size_t>(layout.trainers()));
  const Payload like = pushed == Pushed::gradients ? sum() : parameters();
  for (int each = 0; each < layout.trainers(); ++each) clients_.emplace_back(like, parameters());
}

Payload ServerPart::sum() const { return layout_.part(worker_.learner.gradients(), number_); }

Payload ServerPart::parameters() const {
  return layout_.part(worker_.learner.parameters(), number_);
}

Request ServerPart::start_receive(int from) {
  return worker_.fabric.start_receive_part(
      from, clients_[static_cast<std::size_t>(from)].pushed.payload());
}

void ServerPart::carry_out(const ServerOrder& order, double epoch_share) {
  const bool is_single = is_sum_empty_ && order.taken.size() == 1 && order.weight == 1;
  if (is_single && order.rate > 0) {
    const auto from = static_cast<std::size_t>(order.taken.front());
    return update(clients_[from].pushed.payload(), order.rate, epoch_share);
  }
  for (const int from : order.taken)
    add(clients_[static_cast<std::size_t>(from)].pushed.payload(), order.weight);
  if (order.rate > 0) {
    update(sum(), order.rate, epoch_share);
    is_sum_empty_ = true;
  }
}

void ServerPart::add(const Payload& gradients, double weight) {
  const Payload sum = this->sum();
  const std::span<float> sums = sum.has_numbers() ? values<float>(sum) : std::span<float>();
  const auto factor = static_cast<float>(weight);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float added = factor * values<float>(gradients)[i];
    sums[i] = is_sum_empty_ ? added : sums[i] + added;
  }
  // Reads the gradient and the sum, and writes the sum.
  worker_.learner.kernel("add", (is_sum_empty_ ? 2 : 3) * gradients.bytes());
  is_sum_empty_ = false;
}

void ServerPart::update(const Payload& sum, double rate, double epoch_share) {
  if (pushed_ == Pushed::gradients) {
    worker_.learner.apply(sum, layout_.begin(number_), rate, epoch_share);
    return;
  }
  const Payload parameters = this->parameters();
  const std::span<float> own =
      parameters.has_numbers() ? values<float>(parameters) : std::span<float>();
  const auto factor = static_cast<float>(rate);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] += factor * values<float>(sum)[i];
  worker_.learner.kernel("update", 3 * parameters.bytes());
}

Request ServerPart::start_answer(int to) {
  // Later updates must not change what is being sent.
  const Payload& answer = clients_[static_cast<std::size_t>(to)].answer.payload();
  std::ranges::copy(parameters().data, answer.data.begin());
  worker_.learner.kernel("copy", 2 * answer.bytes());
  return worker_.fabric.start_send_part(to, answer);
}

}  // namespace epochcast
