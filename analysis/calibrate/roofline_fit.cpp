// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/roofline_fit.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unsupported/Eigen/LevenbergMarquardt>
#include <unsupported/Eigen/NumericalDiff>
#include <utility>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/statistics/spread.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/formats/network_file.hpp"

namespace epochcast {
namespace {

using Row = MeasuredBatch;
using Rows = std::vector<const Row*>;

constexpr const char* kThroughputSchema = "epochcast.throughput/1";

/// The start values of the fit, which remain without rows that determine them.
Efficiency usual_efficiency(const std::string& device_class) {
  Efficiency usual;
  usual.of_products = {{ProductKind::convolution, 0.4},
                       {ProductKind::grouped_convolution, 0.05},
                       {ProductKind::matrix, 0.5},
                       {ProductKind::recurrent, 0.2}};
  usual.of_memory = 0.6;
  usual.of_cores = 0.5;
  usual.operation_s = device_class == "cpu" ? 2e-5 : 5e-6;
  return usual;
}

/// Shares lie between 0 and 2, times above 0: as numbers without bounds.
constexpr double kMostShare = 2;
double from_share(double share) { return std::log(share / (kMostShare - share)); }
double to_share(double number) { return kMostShare / (1 + std::exp(-number)); }

Eigen::VectorXd numbers_of(const Efficiency& efficiency) {
  std::vector<double> numbers;
  for (const auto& [kind, share] : efficiency.of_products) numbers.push_back(from_share(share));
  numbers.push_back(from_share(efficiency.of_memory));
  numbers.push_back(from_share(efficiency.of_cores));
  numbers.push_back(std::log(efficiency.operation_s));
  return Eigen::Map<Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

Efficiency efficiency_of(const Eigen::VectorXd& numbers, Efficiency like) {
  Eigen::Index at = 0;
  for (auto& [kind, share] : like.of_products) share = to_share(numbers[at++]);
  like.of_memory = to_share(numbers[at++]);
  like.of_cores = to_share(numbers[at++]);
  like.operation_s = std::exp(numbers[at]);
  return like;
}

double estimated_s(const Row& row, const Efficiency& efficiency) {
  return seconds_of(
      work_of(row.network, row.batch, row.precision), row.device, row.precision, efficiency);
}

/// The rows of one network on one device have a total weight of 1.
double weight_of(const Row& row, const Rows& rows) {
  const auto like = std::count_if(rows.begin(), rows.end(), [&](const Row* other) {
    return other->device.name == row.device.name && other->network.name == row.network.name;
  });
  return 1 / std::sqrt(static_cast<double>(like));
}

/// The deviation of estimates from measurements, for Eigen.
class Misfit : public Eigen::DenseFunctor<double> {
 public:
  Misfit(const Rows& rows, const Efficiency& usual)
      : DenseFunctor(static_cast<int>(numbers_of(usual).size()),
                     static_cast<int>(rows.size()) + static_cast<int>(numbers_of(usual).size())),
        rows_(rows),
        usual_(usual),
        usual_numbers_(numbers_of(usual)) {
    for (const Row* row : rows) weights_.push_back(weight_of(*row, rows));
  }

  int operator()(const Eigen::VectorXd& numbers, Eigen::VectorXd& misfits) const {
    constexpr double kPull = 0.05;  // a parameter off by e costs as much as a row off by 5 %
    const Efficiency efficiency = efficiency_of(numbers, usual_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      misfits[static_cast<Eigen::Index>(i)] =
          weights_[i] * std::log(estimated_s(*rows_[i], efficiency) / rows_[i]->seconds);
    }
    misfits.tail(inputs()) = kPull * (numbers - usual_numbers_);
    return 0;
  }

 private:
  Rows rows_;
  std::vector<double> weights_;
  Efficiency usual_;
  Eigen::VectorXd usual_numbers_;
};

Efficiency fit(const Rows& rows, const std::string& device_class) {
  const Efficiency usual = usual_efficiency(device_class);
  Eigen::NumericalDiff<Misfit> misfit(Misfit(rows, usual));
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Misfit>> method(misfit);
  Eigen::VectorXd numbers = numbers_of(usual);
  method.minimize(numbers);
  return efficiency_of(numbers, usual);
}

/// For each value of `key`: fits without its rows and estimates them.
void leave_out(const std::vector<Row*>& rows,
               const std::string& device_class,
               const std::function<std::string(const Row&)>& key,
               double Row::*estimate_s) {
  std::set<std::string> keys;
  for (const Row* row : rows) keys.insert(key(*row));
  for (const std::string& left_out : keys) {
    Rows others;
    for (const Row* row : rows) {
      if (key(*row) != left_out) others.push_back(row);
    }
    const Efficiency efficiency = fit(others, device_class);
    for (Row* row : rows) {
      if (key(*row) == left_out) row->*estimate_s = estimated_s(*row, efficiency);
    }
  }
}

struct Errors {
  double usual = 1;
  double most = 1;
};

/// A logarithm of a ratio, and its weight.
struct Weighted {
  double logarithm = 0;
  double weight = 1;
};

/// The weighted quantile of absolute logarithms.
double weighted_quantile(const std::vector<Weighted>& ascending, double share) {
  double total = 0;
  for (const Weighted& each : ascending) total += each.weight;
  double below = 0;
  for (const Weighted& each : ascending) {
    below += each.weight;
    if (below >= share * total) return each.logarithm;
  }
  return ascending.empty() ? 0 : ascending.back().logarithm;
}

Errors errors_of(std::vector<Weighted> logarithms) {
  constexpr double kMost = 0.9;
  for (Weighted& each : logarithms) each.logarithm = std::abs(each.logarithm);
  std::sort(logarithms.begin(), logarithms.end(), [](const Weighted& a, const Weighted& b) {
    return a.logarithm < b.logarithm;
  });
  return {.usual = std::exp(weighted_quantile(logarithms, 0.5)),
          .most = std::exp(weighted_quantile(logarithms, kMost))};
}

/// Whether a network was measured on more than one of the devices.
bool is_on_several_devices(const std::string& network, const std::vector<Row*>& rows) {
  std::set<std::string> devices;
  for (const Row* row : rows) {
    if (row->network.name == network) devices.insert(row->device.name);
  }
  return devices.size() > 1;
}

/// Errors for networks left out; or for devices left out, if the network was measured on another
/// one. All rows of one network on one device together count as one.
Errors left_out_errors(const std::vector<Row*>& rows, double Row::*estimate_s) {
  const Rows all(rows.begin(), rows.end());
  std::vector<Weighted> errors;
  for (const Row* row : rows) {
    if (estimate_s == &Row::without_device_s && !is_on_several_devices(row->network.name, rows))
      continue;
    const double weight = weight_of(*row, all);
    errors.push_back({std::log(row->*estimate_s / row->seconds), weight * weight});
  }
  return errors_of(std::move(errors));
}

/// The error of a network on a device, the mean over batch sizes and precisions.
std::map<std::pair<std::string, std::string>, double> error_by_place(
    const std::vector<Row*>& rows) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> all;
  for (const Row* row : rows) {
    all[{row->device.name, row->network.name}].push_back(
        std::log(row->without_network_s / row->seconds));
  }
  std::map<std::pair<std::string, std::string>, double> means;
  for (const auto& [place, errors] : all) means[place] = mean_of(errors);
  return means;
}

/// Errors relative to another network on the same device: a common factor cancels.
Errors scaled_errors(const std::vector<Row*>& rows) {
  const auto errors = error_by_place(rows);
  std::vector<Weighted> scaled;
  for (const auto& [place, error] : errors) {
    for (const auto& [other, of_other] : errors) {
      if (other.first == place.first && other.second != place.second)
        scaled.push_back({error - of_other});
    }
  }
  return errors_of(std::move(scaled));
}

Row row_of(const Catalog& catalog,
           const std::string& device,
           const std::string& network,
           const std::vector<std::int64_t>& input) {
  Row row;
  row.device = load_device(catalog.find("models/devices", device, "device"));
  row.network =
      load_network(catalog.find("models/networks", network, "network"), dataset_of_shape(input));
  return row;
}

std::vector<Row> rows_of_trace(const TraceFile& trace, const Catalog& catalog) {
  std::vector<Row> rows;
  for (const CostTrace& cost : trace.costs) {
    const BatchCost batches(cost);
    Row row = row_of(catalog, cost.device, cost.network, cost.input);
    row.precision = cost.precision;
    for (const std::int64_t batch : batches.measured_batches()) {
      row.batch = batch;
      row.seconds = batches.median(batch).total_s();
      rows.push_back(row);
    }
  }
  return rows;
}

Row read_row(JsonInput input, const Catalog& catalog) {
  const std::string device = input.at("device").identifier();
  const std::string network = input.at("network").identifier();
  const std::vector<std::int64_t> shape = read_shape(input.at("input"));
  const JsonInput precision = input.at("precision");
  const Precision in_precision = read_precision(precision);
  const auto kernels = input.maybe("kernels");
  const std::int64_t batch = input.at("batch").integer(1);
  const std::vector<double> rate = input.at("samples_per_second").samples();
  static_cast<void>(input.at("reference").string());
  static_cast<void>(input.maybe("peak_bytes"));  // allocated memory: not used by estimates
  input.finish();
  Row row;
  try {
    row = row_of(catalog, device, network, shape);
  } catch (const UserError& error) {
    input.problem(error.what());
  }
  row.batch = batch;
  row.precision = in_precision;
  if (kernels) row.kernels = read_kernels(*kernels);
  if (!row.device.name.empty() && row.device.rate(row.precision) == 0)
    precision.fail("a precision that " + row.device.name + " has a peak rate of");
  if (rate.size() == 1 && rate.front() > 0) row.seconds = static_cast<double>(batch) / rate.front();
  if (row.seconds == 0) input.problem("expected samples_per_second: [a positive number]");
  return row;
}

}  // namespace

std::vector<MeasuredBatch> load_measured_batches(const std::filesystem::path& file,
                                                 const Catalog& catalog) {
  const nlohmann::json document = read_json_file(file, kSamplesFile);
  if (!document.is_object() || document.value("schema", "") != kThroughputSchema)
    return rows_of_trace(parse_trace(document, file.string()), catalog);
  Problems problems(file.string());
  JsonInput top = open_document(document, kThroughputSchema, problems);
  static_cast<void>(top.at("title").string());
  static_cast<void>(read_source(top.at("source")));
  std::vector<MeasuredBatch> rows;
  for (const JsonInput& row : top.at("rows").elements(1)) rows.push_back(read_row(row, catalog));
  top.finish();
  problems.throw_if_any();
  return rows;
}

Roofline fit_roofline(std::vector<MeasuredBatch>& rows) {
  std::map<std::pair<std::string, Kernels>, std::vector<Row*>> by_class;
  for (Row& row : rows) by_class[{row.device.device_class, row.kernels}].push_back(&row);
  Roofline roofline;
  for (const auto& [key, members] : by_class) {
    const std::string& device_class = key.first;
    std::set<std::string> networks;
    for (const Row* row : members) networks.insert(row->network.name);
    if (networks.size() < 2)
      throw UserError("rows of class " + device_class + " are of one network; expected several");
    leave_out(
        members,
        device_class,
        [](const Row& row) { return row.network.name; },
        &Row::without_network_s);
    leave_out(
        members,
        device_class,
        [](const Row& row) { return row.device.name; },
        &Row::without_device_s);
    Efficiency efficiency = fit({members.begin(), members.end()}, device_class);
    const Errors of_networks = left_out_errors(members, &Row::without_network_s);
    const Errors of_devices = left_out_errors(members, &Row::without_device_s);
    const Errors scaled = scaled_errors(members);
    efficiency.usual_error = std::max(of_networks.usual, of_devices.usual);
    efficiency.most_error = std::max(of_networks.most, of_devices.most);
    efficiency.usual_scaled_error = scaled.usual;
    efficiency.most_scaled_error = scaled.most;
    for (const Row* row : members) {
      if (row->device.cores > 1)
        efficiency.most_cores_error =
            std::max(efficiency.most_cores_error,
                     std::exp(std::abs(std::log(row->without_device_s / row->seconds))));
    }
    roofline.by_class[key] = efficiency;
  }
  return roofline;
}

}  // namespace epochcast
