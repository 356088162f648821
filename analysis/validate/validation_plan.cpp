// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation_plan.hpp"

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json/json_file.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

constexpr int kMostRanks = 4096;

/// What an experiment says about validation.
struct ValidateObject {
  ValidationCluster cluster;
  Command command = Command::emulate;
  nlohmann::json rows;
};

ValidateObject read_validate(const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.experiment/1", problems);
  JsonInput input = top.at("validate");
  ValidateObject validate;
  JsonInput command = input.at("command");
  if (command.value() == "train") {
    validate.command = Command::train;
  } else if (command.value() != "emulate") {
    command.fail("\"emulate\" or \"train\"");
  }
  validate.cluster.name = input.at("cluster").string();
  if (const auto launch = input.maybe("launch")) validate.cluster.launch = launch->string();
  validate.cluster.ranks = static_cast<int>(input.at("ranks").integer(2, kMostRanks));
  JsonInput rows = input.at("rows");
  for (const JsonInput& row : rows.elements(1)) {
    if (!row.value().is_object()) row.fail("an object with settings");
  }
  input.finish();
  problems.throw_if_any();
  validate.rows = rows.value();
  return validate;
}

/// Batches are measured on CPUs, and nodes are machines.
void check_machine(const MachineConfig& machine, const std::string& file) {
  for (const std::string& device : machine.devices) {
    if (device != "cpu")
      throw UserError(file + ": /devices: got \"" + device + "\"; validation trains on cpu alone");
  }
  if (machine.ranks_per_node != 0)
    throw UserError(file +
                    ": /ranks-per-node: not for validation: \"launch\" decides what a node is");
}

/// "node-based, averaging-period 4"
std::string point_of(const nlohmann::json& row, const JobConfig& config) {
  std::string point = config.strategy;
  for (const auto& [name, value] : row.items()) {
    if (name == "strategy") continue;
    point += ", " + name + " " + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return point;
}

}  // namespace

std::vector<ValidationCase> load_validation_cases(const std::vector<std::filesystem::path>& files) {
  std::vector<ValidationCase> cases;
  for (const std::filesystem::path& path : files) {
    const std::string file = path.string();
    const nlohmann::json document = read_json_file(path);
    const ValidateObject validate = read_validate(document, file);
    for (std::size_t i = 0; i < validate.rows.size(); ++i) {
      ValidationCase one;
      one.cluster = validate.cluster;
      one.command = validate.command;
      apply_experiment(one.config, document, file);
      nlohmann::json row = validate.rows[i];
      row["schema"] = "epochcast.experiment/1";
      apply_experiment(one.config, row, file + ": /validate/rows/" + std::to_string(i));
      row.erase("schema");
      static_cast<void>(find_strategy(one.config.strategy));
      if (one.command == Command::train) check_machine(one.config.machine, file);
      one.point = point_of(row, one.config);
      one.group = one.config.network + ", " + validate.cluster.name + ", " +
                  (validate.command == Command::train ? "train" : "emulate");
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

}  // namespace epochcast
