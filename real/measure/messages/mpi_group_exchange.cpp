// SPDX-License-Identifier: Apache-2.0
#include "real/measure/messages/mpi_group_exchange.hpp"

#include <algorithm>
#include <optional>

namespace epochcast::real {
namespace {

std::vector<WorkerInfo> workers_by_rank() {
  std::vector<WorkerInfo> workers;
  for (const int node : node_of_each_rank())
    workers.push_back({.node = node, .device_class = "cpu", .model = "cpu"});
  return workers;
}

}  // namespace

MpiGroupExchange::MpiGroupExchange(const std::string& all_reduce, Cores cores)
    : fabric_(workers_by_rank(),
              {.algorithm = all_reduce, .servers = {}},
              &timeline_,
              MPI_COMM_WORLD,
              cores) {}

void MpiGroupExchange::run(double bytes) {
  timeline_ = {};
  fabric_.all_reduce(floats_of_bytes(bytes), 1, fabric_.world());
}

void MpiGroupExchange::start(std::int64_t count, double bytes) {
  timeline_ = {};
  started_s_ = fabric_.now_s();
  for (std::int64_t i = 0; i < count; ++i)
    requests_.push_back(fabric_.start_all_reduce(floats_of_bytes(bytes), 1, fabric_.world()));
}

ExchangeSpan MpiGroupExchange::finish() {
  for (const Request& request : requests_) fabric_.wait(request);
  requests_.clear();
  // From the exchange itself, not the time of this call: it may have ended long before.
  std::optional<ExchangeSpan> span;
  for (const TimelineEvent& event : timeline_.events()) {
    if (event.stream != Stream::communication) continue;
    if (!span) span = {.began_s = event.start_s, .ended_s = event.end_s};
    span->began_s = std::min(span->began_s, event.start_s);
    span->ended_s = std::max(span->ended_s, event.end_s);
  }
  if (!span) return {};
  return {.began_s = span->began_s - started_s_, .ended_s = span->ended_s - started_s_};
}

double MpiGroupExchange::largest(double mine) {
  const SharedNumbers gathered = fabric_.all_gather_numbers(std::span(&mine, 1), fabric_.world());
  const std::vector<double>& all = gathered.values();
  return *std::max_element(all.begin(), all.end());
}

}  // namespace epochcast::real
