// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/loopback_fabric.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace epochcast::real {
namespace {

/// A payload to fill when it is waited for; empty for other exchanges.
class Arrival : public Operation {
 public:
  explicit Arrival(Payload to_fill) : payload(to_fill) {}
  Payload payload;
};

/// Copies as many bytes as both have.
void copy(const Payload& from, std::span<std::byte> to) {
  const std::size_t bytes = std::min(from.data.size(), to.size());
  if (from.data.data() != to.data()) std::copy_n(from.data.begin(), bytes, to.begin());
}

}  // namespace

LoopbackFabric::LoopbackFabric() : world_{.ranks = {0, 1}, .all_reduce = {}} {
  workers_[1].node = 1;
}

Request LoopbackFabric::start_all_reduce(Payload, double, const Communicator&) {
  return std::make_shared<Arrival>(Payload());
}

Request LoopbackFabric::start_reduce_scatter(Payload all,
                                             Payload mine,
                                             double,
                                             const Communicator&) {
  copy(all, mine.data);
  return std::make_shared<Arrival>(Payload());
}

Request LoopbackFabric::start_all_gather(Payload mine, Payload all, const Communicator&) {
  copy(mine, all.data);
  copy(mine, all.data.subspan(std::min(mine.data.size(), all.data.size())));
  return std::make_shared<Arrival>(Payload());
}

Request LoopbackFabric::start_send(int, Payload payload) {
  sent_ = payload;
  return std::make_shared<Arrival>(Payload());
}

Request LoopbackFabric::start_receive(int, Payload payload) {
  return std::make_shared<Arrival>(payload);
}

void LoopbackFabric::wait(const Request& request) {
  copy(sent_, dynamic_cast<const Arrival&>(*request).payload.data);
}

std::size_t LoopbackFabric::wait_any(std::span<const Request> requests) {
  const auto first =
      std::ranges::find_if(requests, [](const Request& each) { return each != nullptr; });
  wait(*first);
  return static_cast<std::size_t>(first - requests.begin());
}

std::optional<std::size_t> LoopbackFabric::test_any(std::span<const Request> requests) {
  if (std::ranges::all_of(requests, [](const Request& each) { return each == nullptr; }))
    return std::nullopt;
  return wait_any(requests);
}

std::optional<std::int64_t> LoopbackFabric::deal(std::int64_t sequence,
                                                 std::int64_t count,
                                                 int /*owner*/) {
  std::int64_t& next = dealt_[sequence];
  return next < count ? std::optional(next++) : std::nullopt;
}

SharedNumbers LoopbackFabric::all_gather_numbers(std::span<const double> mine,
                                                 const Communicator&) {
  std::vector<double> all(mine.begin(), mine.end());
  all.insert(all.end(), mine.begin(), mine.end());
  return SharedNumbers(std::move(all));
}

void LoopbackFabric::repeat(const Communicator&,
                            std::int64_t count,
                            const std::function<void(std::int64_t)>& body) {
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace epochcast::real
