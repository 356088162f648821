// SPDX-License-Identifier: Apache-2.0
#include "real/run/process_group.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "core/job/setting_text.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"

namespace epochcast::real {
namespace {

std::string text_of(const WorkerInfo& worker, double batch_s) {
  return nlohmann::json{{"node", worker.node},
                        {"device", worker.device},
                        {"class", worker.device_class},
                        {"model", worker.model},
                        {"sums", worker.role == Role::sums},
                        {"batch_s", batch_s}}
      .dump();
}

WorkerInfo worker_of(const nlohmann::json& json) {
  WorkerInfo worker;
  worker.node = json.at("node");
  worker.device = json.at("device");
  worker.device_class = json.at("class");
  worker.model = json.at("model");
  worker.role = json.at("sums").get<bool>() ? Role::sums : Role::trains;
  return worker;
}

/// Throws a UserError if --slow-down names something that no rank is called.
void check_slow_down(const MachineConfig& config, const WorkerInfo& own, int rank) {
  std::set<std::string> known;
  for (const std::string& name :
       all_gather_texts(own.device_class + "," + own.model, MPI_COMM_WORLD)) {
    for (const std::string& part : split(name, ',')) known.insert(part);
    known.insert(std::to_string(rank));
  }
  int size = 1;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  for (int other = 0; other < size; ++other) known.insert(std::to_string(other));
  for (const auto& [name, factor] : config.slow_down) {
    if (!known.contains(name)) {
      throw UserError("--slow-down: " + unknown_name("device class, model or rank",
                                                     name,
                                                     {known.begin(), known.end()}));
    }
  }
}

/// Gives roles to ranks of which none is named a server, as in simulations: CPUs serve if other
/// devices train. Returns which ranks have neither role.
std::vector<bool> choose_servers(std::vector<WorkerInfo>& all, const ServerChoice& choice) {
  const bool has_others = std::any_of(all.begin(), all.end(), [](const WorkerInfo& worker) {
    return worker.device_class != "cpu";
  });
  std::vector<bool> is_idle(all.size());
  if (!has_others && !choice.count) {  // nobody is left to train: see assemble()
    for (WorkerInfo& worker : all) worker.role = Role::sums;
    return is_idle;
  }
  std::vector<std::size_t> candidates;
  std::vector<int> nodes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (has_others && all[i].device_class != "cpu") continue;
    candidates.push_back(i);
    nodes.push_back(all[i].node);
    is_idle[i] = has_others;
  }
  for (const std::size_t chosen : chosen_servers(nodes, choice)) {
    all[candidates[chosen]].role = Role::sums;
    is_idle[candidates[chosen]] = false;
  }
  return is_idle;
}

}  // namespace

OwnDevice own_device(const MachineConfig& config,
                     const std::vector<Member>& members,
                     const std::function<std::string(const std::string&)>& model_of) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  const Member self = members.empty() ? Member{.number = rank, .place = rank_on_machine()}
                                      : members.at(static_cast<std::size_t>(rank));
  OwnDevice own;
  own.device = config.devices[static_cast<std::size_t>(self.place) % config.devices.size()];
  const bool is_server = own.device == "server";
  own.info.device = self.place;
  own.info.device_class = own.device.starts_with("cuda") ? "gpu" : "cpu";
  own.info.model = model_of(is_server ? "cpu" : own.device);
  own.info.role = is_server ? Role::sums : Role::trains;
  own.info.node = node_of_each_rank(config.ranks_per_node)[static_cast<std::size_t>(rank)];
  if (members.empty()) check_slow_down(config, own.info, rank);
  own.slow_down = slow_down_of(
      config.slow_down, {own.info.device_class, own.info.model, std::to_string(self.number)});
  own.info.model = slowed_name(own.info.model, own.slow_down);
  return own;
}

ProcessGroup assemble(const WorkerInfo& own,
                      const std::string& strategy,
                      Participants participants,
                      const ServerChoice& choice,
                      const std::function<double()>& batch_s) {
  const bool is_timed = participants == Participants::fastest_workers;
  const double own_s = is_timed && own.role == Role::trains ? batch_s() : 0;
  std::vector<WorkerInfo> all;
  std::vector<double> seconds;
  for (const std::string& text : all_gather_texts(text_of(own, own_s), MPI_COMM_WORLD)) {
    const auto json = nlohmann::json::parse(text);
    all.push_back(worker_of(json));
    seconds.push_back(json.at("batch_s"));
  }
  const auto sums = [](const WorkerInfo& worker) { return worker.role == Role::sums; };
  const bool has_servers = std::any_of(all.begin(), all.end(), sums);
  const bool needs_servers = participants == Participants::workers_and_servers ||
                             participants == Participants::workers_and_parameter_servers;
  if (has_servers && choice.count)
    throw UserError("--servers: --devices says already which ranks serve");
  std::vector<bool> is_idle(all.size());
  if (needs_servers && !has_servers) is_idle = choose_servers(all, choice);
  const auto servers = std::count_if(all.begin(), all.end(), sums);
  if (needs_servers && choice.count && *choice.count >= static_cast<std::int64_t>(all.size()))
    throw UserError("--servers: got " + std::to_string(*choice.count) + " of " +
                    std::to_string(all.size()) + " ranks; expected fewer, as the others train");
  if (needs_servers && (servers == 0 || servers == static_cast<std::ptrdiff_t>(all.size()))) {
    throw UserError("strategy " + strategy +
                    " needs ranks that train and ranks that sum; say which with --devices, such as "
                    "cpu,cpu,server, or how many serve with --servers");
  }
  if (!needs_servers && has_servers) {
    throw UserError("--devices: strategy " + strategy + " needs no server");
  }
  const auto fastest =
      static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
  const auto takes_part = [&](const WorkerInfo& worker) {
    if (is_idle[static_cast<std::size_t>(&worker - all.data())]) return false;
    return !is_timed || worker.model == all[fastest].model;
  };
  int rank = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  const WorkerInfo& self = all[static_cast<std::size_t>(rank)];
  ProcessGroup group;
  const int key = (sums(self) ? static_cast<int>(all.size()) : 0) + rank;
  check_mpi(MPI_Comm_split(MPI_COMM_WORLD, takes_part(self) ? 0 : MPI_UNDEFINED, key, &group.comm),
            "MPI_Comm_split");
  if (group.takes_part()) {
    check_mpi(MPI_Comm_set_errhandler(group.comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  std::copy_if(all.begin(), all.end(), std::back_inserter(group.workers), takes_part);
  std::stable_partition(group.workers.begin(), group.workers.end(), [&](const WorkerInfo& each) {
    return !sums(each);
  });
  // Nodes are numbered without those that have no process left.
  std::set<int> nodes;
  for (const WorkerInfo& worker : group.workers) nodes.insert(worker.node);
  for (WorkerInfo& worker : group.workers)
    worker.node = static_cast<int>(std::distance(nodes.begin(), nodes.find(worker.node)));
  return group;
}

}  // namespace epochcast::real
