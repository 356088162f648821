// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation_plan.hpp"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/validate/validation_check.hpp"
#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "core/job/experiment.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

constexpr int kMostRanks = 4096;
constexpr std::int64_t kLargestBatch = 1'000'000;

/// The "validate" object of an experiment.
struct ValidateObject {
  ValidationCluster cluster;
  std::optional<ValidationCluster> calibrate;
  std::string network;                     // of "calibrate"; empty: as the case's
  std::optional<std::int64_t> batch;       // likewise
  std::optional<double> link_bytes_per_s;  // likewise
  Command command = Command::emulate;
  nlohmann::json rows;
};

ValidationCluster read_cluster(JsonInput& input, const char* name) {
  ValidationCluster cluster;
  cluster.name = input.at(name).string();
  if (const auto launch = input.maybe("launch")) cluster.launch = launch->string();
  cluster.ranks = static_cast<int>(input.at("ranks").integer(2, kMostRanks));
  return cluster;
}

/// "calibrate" has only settings that change measurements.
void read_calibrate(JsonInput input, ValidateObject& validate) {
  validate.calibrate = read_cluster(input, "name");
  if (const auto network = input.maybe("network")) validate.network = network->string();
  if (const auto batch = input.maybe("batch")) {
    validate.batch = batch->integer(1, kLargestBatch);
    if (validate.command != Command::train)
      batch->fail("no batch: those of emulated devices are given, not measured");
  }
  if (const auto bandwidth = input.maybe(kBandwidthFigure))
    validate.link_bytes_per_s = bandwidth->quantity(Dimension::bytes_per_s);
  input.finish();
}

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
  validate.cluster = read_cluster(input, "cluster");
  if (const auto calibrate = input.maybe("calibrate")) read_calibrate(*calibrate, validate);
  JsonInput rows = input.at("rows");
  for (const JsonInput& row : rows.elements(1)) {
    if (!row.value().is_object()) row.fail("an object with settings");
  }
  input.finish();
  problems.throw_if_any();
  validate.rows = rows.value();
  return validate;
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

/// Runs `part`; adds the problems of a UserError to `problems`. Returns whether it threw none.
bool holds(std::vector<std::string>& problems, const std::function<void()>& part) {
  try {
    part();
    return true;
  } catch (const UserError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    return false;
  }
}

/// Given settings that no strategy has: of a row, its own strategy; of the file, that of any row.
void check_settings_have_strategies(const nlohmann::json& settings,
                                    const std::string& strategies,
                                    const std::string& where) {
  JobConfig given;
  apply_experiment(given, all_settings(), settings, where);
  given.strategy = strategies;
  try {
    check_strategies_have_settings(given);
  } catch (const UserError& error) {
    std::vector<std::string> problems = error.problems();
    for (std::string& problem : problems) problem = where + ": " + problem;
    throw UserError(problems);
  }
}

/// One experiment: its cases and their problems. Cases with wrong settings are left out.
class ExperimentFile {
 public:
  explicit ExperimentFile(const std::filesystem::path& path) : file_(path.string()) {
    if (!holds(problems, [&] {
          document_ = read_json_file(path);
          validate_ = read_validate(document_, file_);
        }))
      return;
    rows = validate_.rows.size();
    JobConfig common;
    const bool is_common_good =
        holds(problems, [&] { apply_experiment(common, all_settings(), document_, file_); });
    for (std::size_t i = 0; i < rows; ++i) add_row(i, common, is_common_good);
    // A setting that no row uses is a mistake, if all rows are valid.
    if (cases.size() != rows) return;
    std::vector<std::string> strategies;
    for (const ValidationCase& one : cases) strategies.push_back(one.config.strategy);
    strategies = chosen_strategies(joined(strategies));
    holds(problems, [&] { check_settings_have_strategies(document_, joined(strategies), file_); });
  }

  std::size_t rows = 0;
  std::vector<ValidationCase> cases;
  std::vector<std::size_t> row_of_case;
  std::vector<std::string> problems;

  /// Adds the problems of the cases, in their order: once for the file if all rows have them.
  void add(const std::vector<std::vector<std::string>>& problems_by_case) {
    std::map<std::string, std::size_t> counts;
    for (const auto& of_case : problems_by_case) {
      for (const std::string& problem : of_case) ++counts[problem];
    }
    for (std::size_t i = 0; i < problems_by_case.size(); ++i) {
      for (const std::string& problem : problems_by_case[i]) {
        if (counts[problem] < rows) {
          problems.push_back(row_name(row_of_case[i]) + ": " + problem);
        } else if (i == 0) {
          problems.push_back(file_ + ": " + problem);
        }
      }
    }
  }

 private:
  [[nodiscard]] std::string row_name(std::size_t row) const {
    return file_ + ": /validate/rows/" + std::to_string(row);
  }

  void add_row(std::size_t i, const JobConfig& common, bool is_common_good) {
    ValidationCase one;
    one.cluster = validate_.cluster;
    one.command = validate_.command;
    one.config = common;
    nlohmann::json row = validate_.rows[i];
    row["schema"] = "epochcast.experiment/1";
    if (!holds(problems, [&] { apply_experiment(one.config, all_settings(), row, row_name(i)); }))
      return;
    std::vector<std::string> of_strategy;
    holds(of_strategy, [&] { static_cast<void>(find_strategy(one.config.strategy)); });
    for (const std::string& problem : of_strategy) problems.push_back(row_name(i) + ": " + problem);
    if (!of_strategy.empty()) return;
    if (!holds(problems,
               [&] { check_settings_have_strategies(row, one.config.strategy, row_name(i)); }))
      return;
    if (!is_common_good) return;
    row.erase("schema");
    one.point = point_of(row, one.config);
    one.group =
        one.config.network + ", " + one.cluster.name + ", " + std::string(to_string(one.command));
    if (validate_.calibrate) {
      one.other = {.cluster = *validate_.calibrate,
                   .network = validate_.network.empty() ? one.config.network : validate_.network,
                   .batch = validate_.batch.value_or(one.config.batch),
                   .link_bytes_per_s = validate_.link_bytes_per_s};
      one.group += ", calibrated on " + one.other->cluster.name;
    }
    cases.push_back(std::move(one));
    row_of_case.push_back(i);
  }

  std::string file_;
  nlohmann::json document_;
  ValidateObject validate_;
};

}  // namespace

CalibratedCluster ValidationCase::calibrated() const {
  if (other) return *other;
  return {.cluster = cluster, .network = config.network, .batch = config.batch};
}

std::vector<ValidationCase> load_validation_cases(const std::vector<std::filesystem::path>& files,
                                                  const Catalog& catalog) {
  std::vector<ExperimentFile> experiments(files.begin(), files.end());
  std::vector<ValidationCase> cases;
  for (const ExperimentFile& each : experiments)
    cases.insert(cases.end(), each.cases.begin(), each.cases.end());
  const std::vector<std::vector<std::string>> found = problems_of_cases(cases, catalog);
  std::vector<std::string> problems;
  auto next = found.begin();
  for (ExperimentFile& each : experiments) {
    const auto end = next + static_cast<std::ptrdiff_t>(each.cases.size());
    each.add({next, end});
    next = end;
    problems.insert(problems.end(), each.problems.begin(), each.problems.end());
  }
  if (!problems.empty()) throw UserError(problems);
  return cases;
}

}  // namespace epochcast
