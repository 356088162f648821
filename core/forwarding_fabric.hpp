// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast {

/// A fabric that hands all calls on to another one, which must outlive it: a base for fabrics that
/// watch some of them. Blocking collectives of the contract are their start and a wait, of this
/// fabric.
class ForwardingFabric : public Fabric {
 public:
  explicit ForwardingFabric(Fabric& inner) : inner_(inner) {}

  int rank() const override { return inner_.rank(); }
  std::span<const WorkerInfo> workers() const override { return inner_.workers(); }
  const Communicator& world() const override { return inner_.world(); }
  const Communicator& node() const override { return inner_.node(); }
  const Communicator& communicator(std::vector<int> ranks, AllReduceChoice all_reduce) override {
    return inner_.communicator(std::move(ranks), std::move(all_reduce));
  }

  double now_s() const override { return inner_.now_s(); }
  double omitted_s() const override { return inner_.omitted_s(); }
  void compute(double seconds, std::string_view what) override { inner_.compute(seconds, what); }

  Request start_all_reduce(Payload payload, double weight, const Communicator& among) override {
    return inner_.start_all_reduce(payload, weight, among);
  }
  Request start_reduce_scatter(Payload all,
                               Payload mine,
                               double weight,
                               const Communicator& among) override {
    return inner_.start_reduce_scatter(all, mine, weight, among);
  }
  Request start_all_gather(Payload mine, Payload all, const Communicator& among) override {
    return inner_.start_all_gather(mine, all, among);
  }
  Request start_send(int to, Payload payload) override { return inner_.start_send(to, payload); }
  Request start_receive(int from, Payload payload) override {
    return inner_.start_receive(from, payload);
  }
  void start_send_parts(std::span<const int> to,
                        std::span<const Payload> parts,
                        std::vector<Request>& under_way) override {
    inner_.start_send_parts(to, parts, under_way);
  }
  void start_receive_parts(std::span<const int> from,
                           std::span<const Payload> parts,
                           std::vector<Request>& under_way) override {
    inner_.start_receive_parts(from, parts, under_way);
  }
  Request start_send_part(int to, Payload part) override {
    return inner_.start_send_part(to, part);
  }
  Request start_receive_part(int from, Payload part) override {
    return inner_.start_receive_part(from, part);
  }
  void wait(const Request& request) override { inner_.wait(request); }
  std::size_t wait_any(std::span<const Request> requests) override {
    return inner_.wait_any(requests);
  }
  std::optional<std::size_t> test_any(std::span<const Request> requests) override {
    return inner_.test_any(requests);
  }
  std::optional<std::int64_t> deal(std::int64_t sequence, std::int64_t count, int owner) override {
    return inner_.deal(sequence, count, owner);
  }

  void broadcast(Payload payload, int root, const Communicator& among) override {
    inner_.broadcast(payload, root, among);
  }
  void gather(Payload mine, Payload all, int root, const Communicator& among) override {
    inner_.gather(mine, all, root, among);
  }
  SharedNumbers all_gather_numbers(std::span<const double> mine,
                                   const Communicator& among) override {
    return inner_.all_gather_numbers(mine, among);
  }
  void barrier(const Communicator& among) override { inner_.barrier(among); }
  void repeat(const Communicator& among,
              std::int64_t count,
              const std::function<void(std::int64_t)>& body) override {
    inner_.repeat(among, count, body);
  }
  void announce_change() override { inner_.announce_change(); }
  void warm_up(Payload payload) override { inner_.warm_up(payload); }

  PhaseTimes phases() const override { return inner_.phases(); }
  Traffic traffic() const override { return inner_.traffic(); }

 protected:
  [[nodiscard]] Fabric& inner() const { return inner_; }

 private:
  Fabric& inner_;
};

}  // namespace epochcast
