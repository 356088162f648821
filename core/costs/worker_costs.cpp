// SPDX-License-Identifier: Apache-2.0
#include "core/costs/worker_costs.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "base/statistics/random.hpp"

namespace epochcast {
namespace {

constexpr std::size_t kMostSessions = 16;              // each needs its own learning passes
constexpr std::uint64_t kShuffle = ~std::uint64_t{0};  // a stream that no pass draws from

/// The deviation of batches that the platform states of a device model.
std::optional<double> stated_noise(const Platform& platform, const std::string& model) {
  for (const NodeGroup& group : platform.nodes) {
    for (const DeviceGroup& device : group.devices) {
      if (device.model == model && device.batch_noise) return device.batch_noise->deviation;
    }
  }
  return std::nullopt;
}

}  // namespace

WorkerCosts::WorkerCosts(const Job& job, const std::vector<WorkerInfo>& workers) {
  std::map<std::string, std::size_t> device_of_model;
  std::vector<std::size_t> trainers;  // by device
  for (const WorkerInfo& worker : workers) {
    const bool trains = worker.role == Role::trains;
    const auto [known, is_new] = device_of_model.try_emplace(worker.model, devices_.size());
    const std::size_t device = known->second;
    if (is_new) {
      // A server computes no batches.
      BatchCost cost = trains ? job.cost_of(worker) : BatchCost(1, 1);
      const std::optional<double> noise = stated_noise(job.platform, worker.model);
      if (noise && !cost.has_spread()) cost = cost.with_noise(*noise);
      std::vector<Bucket> buckets = cut_buckets(job.network,
                                                cost.backward_layers(),
                                                job.config.first_bucket_bytes,
                                                job.config.bucket_bytes);
      devices_.push_back({std::move(cost), std::move(buckets), {}, {}});
      trainers.push_back(0);
    }
    const std::size_t ranks = devices_[device].cost.ranks();
    const std::size_t number = trains ? trainers[device]++ : 0;
    places_.push_back(
        {.device = device, .rank = number % ranks, .group = number / ranks, .trains = trains});
  }
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    Device& device = devices_[i];
    const std::size_t ranks = std::max<std::size_t>(1, std::min(trainers[i], device.cost.ranks()));
    for (std::size_t rank = 0; rank < ranks; ++rank)
      device.by_rank.push_back(device.cost.of_worker(rank));
    for (std::size_t session = 0; session < device.cost.sessions(); ++session) {
      std::vector<BatchCost>& costs = device.by_session.emplace_back();
      for (std::size_t rank = 0; rank < ranks; ++rank)
        costs.push_back(device.cost.of_worker(rank, session));
    }
  }
}

const BatchCost& WorkerCosts::of(int rank, std::optional<std::size_t> session) const {
  const Device& device = devices_[place(rank).device];
  const auto& by_rank =
      session ? device.by_session[*session % device.by_session.size()] : device.by_rank;
  return by_rank[place(rank).rank];
}

const BatchCost& WorkerCosts::of_device(int rank) const {
  return devices_[place(rank).device].cost;
}

const std::vector<Bucket>& WorkerCosts::buckets(int rank) const {
  return devices_[place(rank).device].buckets;
}

std::vector<std::size_t> WorkerCosts::shuffled_sessions(std::uint64_t seed) const {
  std::size_t count = 1;
  for (const Device& device : devices_) count = std::max(count, device.by_session.size());
  std::vector<std::size_t> sessions(count);
  std::iota(sessions.begin(), sessions.end(), std::size_t{0});
  Random random(mix_seed(seed, kShuffle));
  for (std::size_t left = count; left > 1; --left) {
    std::swap(sessions[random.below(left)], sessions[left - 1]);
  }
  sessions.resize(std::min(count, kMostSessions));
  return sessions;
}

bool WorkerCosts::has_spread() const {
  return std::any_of(places_.begin(), places_.end(), [&](const Place& place) {
    return place.trains && devices_[place.device].by_rank[place.rank].has_spread();
  });
}

double WorkerCosts::deviation_of_slowest() const {
  double greatest = 0;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    const auto workers = std::count_if(places_.begin(), places_.end(), [&](const Place& place) {
      return place.trains && place.device == device;
    });
    for (const BatchCost& cost : devices_[device].by_rank)
      greatest = std::max(greatest, cost.deviation_of_slowest(static_cast<std::size_t>(workers)));
  }
  return greatest;
}

Grade WorkerCosts::grade() const {
  Grade grade = Grade::measured;
  for (const Place& place : places_) {
    if (place.trains) grade = lowest(grade, devices_[place.device].cost.grade());
  }
  return grade;
}

}  // namespace epochcast
