// SPDX-License-Identifier: Apache-2.0
// Checks what `epochcast-measure-messages --bytes 1,64,16384 --all-reduce ring,openmpi` has
// written. Arguments: the trace, and the node of each rank, such as 0011.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace {

using Json = nlohmann::json;

/// Every "KIND SCOPE ALGORITHM BYTES" of such a job, followed by " NODES" if they are named;
/// without groups of faster nodes.
std::set<std::string> expected_costs(const std::string& nodes) {
  std::set<std::string> costs;
  const bool has_nodes = nodes.find('1') != std::string::npos;
  const auto add_pair = [&](const std::string& kind, const std::string& scope) {
    for (const char* bytes : {" 1", " 64", " 16384"})
      costs.insert(kind + " " + scope + " -" + bytes);
  };
  const auto add_group = [&](const std::string& scope) {
    for (const char* bytes : {" 1", " 64", " 16384"})
      costs.insert("ring-step " + scope + " -" + bytes);
    // 1 B is not a float.
    for (const char* name : {" ring", " openmpi"}) {
      for (const char* bytes : {" 64", " 16384"})
        costs.insert("all-reduce " + scope + name + bytes);
    }
  };
  costs.insert("reduce all - 64");
  costs.insert("reduce all - 16384");
  const int node_count = nodes.back() - '0' + 1;
  for (int node = 0; node_count > 2 && node < node_count; ++node) {
    costs.insert("hub-step between - 16384 [" + std::to_string(node) + "]");
    for (int other = node + 1; other < node_count; ++other)
      costs.insert("opposite between - 16384 " + Json{node, other}.dump());
  }
  add_pair("ping-pong", "node");
  add_group("all");
  if (has_nodes) {
    add_pair("ping-pong", "between");
    add_group("node");
  }
  return costs;
}

/// The error in the trace, "" without one.
std::string problem_of(const Json& trace, const std::string& nodes) {
  if (trace.at("schema") != "epochcast.message-trace/1") return "schema";
  if (trace.at("source").at("grade") != "measured") return "grade";
  if (trace.at("source").at("versions").empty()) return "versions";
  if (trace.at("ranks") != nodes.size()) return "ranks";
  if (trace.at("nodes") != nodes.back() - '0' + 1) return "nodes";
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    if (trace.at("node_of_rank").at(rank) != nodes[rank] - '0') return "node_of_rank";
  }
  std::set<std::string> missing = expected_costs(nodes);
  for (const Json& cost : trace.at("costs")) {
    const std::string name = cost.at("kind").get<std::string>() + " " +
                             cost.at("scope").get<std::string>() + " " +
                             cost.value("algorithm", "-") + " " + cost.at("bytes").dump() +
                             (cost.contains("nodes") ? " " + cost.at("nodes").dump() : "");
    if (missing.erase(name) == 0) return "unexpected or twice: " + name;
    const Json& samples = cost.at("samples_s");
    if (samples.size() < 10 || samples.size() > 12) return "number of samples: " + name;
    for (const Json& sample_s : samples) {
      if (!(sample_s.get<double>() > 0)) return "a sample that is not positive: " + name;
    }
  }
  return missing.empty() ? "" : "missing: " + *missing.begin();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream file(argv[1]);
  const std::string problem = problem_of(Json::parse(file), argv[2]);
  if (!problem.empty()) std::printf("%s: %s\n", argv[1], problem.c_str());
  return problem.empty() ? 0 : 1;
}
