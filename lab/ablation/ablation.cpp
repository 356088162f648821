// SPDX-License-Identifier: Apache-2.0
#include "lab/ablation/ablation.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json/or_null.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSameForecast = 1e-3;

/// Whether the forecasts of a row differ, relative to the same measured time.
bool is_moved(const ValidationRow& with, const ValidationRow& without) {
  const auto before = findings_of(with);
  const auto after = findings_of(without);
  if (!before || !after) return before.has_value() != after.has_value();
  return std::abs((1 + after->error) / (1 + before->error) - 1) > kSameForecast;
}

LeftOutFindings findings_of_pass(const std::vector<Mechanism>& left_out,
                                 const std::vector<ValidationRow>& with,
                                 const std::vector<ValidationRow>& without) {
  LeftOutFindings findings;
  const bool is_single = left_out.size() == 1;
  findings.name = is_single ? std::string(left_out.front().name) : "all of these";
  findings.without = is_single ? std::string(left_out.front().without) : "all of that";
  findings.all = summarize(without);
  std::vector<ValidationRow> concerned_with;
  std::vector<ValidationRow> concerned_without;
  for (std::size_t row = 0; row < with.size(); ++row) {
    if (!is_moved(with[row], without[row])) continue;
    findings.concerned.push_back(row);
    concerned_with.push_back(with[row]);
    concerned_without.push_back(without[row]);
  }
  findings.concerned_with = summarize(concerned_with);
  findings.concerned_without = summarize(concerned_without);
  return findings;
}

Json error_of(const ValidationRow& row) {
  const auto findings = findings_of(row);
  return findings ? Json(findings->error) : Json();
}

Json brief_json(const ValidationSummary& summary) {
  const bool has_errors = summary.configurations > 0;
  return {{"configurations", summary.configurations},
          {"failed", summary.failed},
          {"median_error", has_errors ? Json(summary.median_error) : Json()},
          {"worst_error", has_errors ? Json(summary.worst_error) : Json()},
          {"worst", has_errors ? Json(summary.worst) : Json()},
          {"pairs", summary.pairs()},
          {"wrong_pairs", summary.wrong_pairs()},
          {"run_coverage", or_null(summary.run_coverage)}};
}

}  // namespace

Ablation::Ablation(const std::vector<std::vector<Mechanism>>& left_out,
                   std::vector<std::vector<ValidationRow>> rows)
    : rows_(std::move(rows)), with_all_(summarize(rows_.front())) {
  for (std::size_t pass = 0; pass < left_out.size(); ++pass)
    left_out_.push_back(findings_of_pass(left_out[pass], rows_.front(), rows_[pass + 1]));
}

Json Ablation::json(const std::string& command, const std::string& date) const {
  Json json = {
      {"with_all", brief_json(with_all_)}, {"left_out", Json::array()}, {"rows", Json::array()}};
  for (const LeftOutFindings& each : left_out_) {
    json["left_out"].push_back({{"name", each.name},
                                {"without", each.without},
                                {"all", brief_json(each.all)},
                                {"concerned", each.concerned},
                                {"concerned_with", brief_json(each.concerned_with)},
                                {"concerned_without", brief_json(each.concerned_without)}});
  }
  for (std::size_t row = 0; row < rows_.front().size(); ++row) {
    const ValidationRow& with_all = rows_.front()[row];
    Json errors = Json::object();
    for (std::size_t pass = 0; pass < left_out_.size(); ++pass)
      errors[left_out_[pass].name] = error_of(rows_[pass + 1][row]);
    json["rows"].push_back({{"group", with_all.group},
                            {"point", with_all.point},
                            {"error", error_of(with_all)},
                            {"errors_without", errors}});
  }
  return result_document(
      "epochcast.ablation/1", std::move(json), {.command = command, .date = date});
}

std::vector<std::vector<Mechanism>> one_after_the_other(const std::vector<Mechanism>& mechanisms) {
  std::vector<std::vector<Mechanism>> passes;
  passes.reserve(passes.size() + mechanisms.size());
  for (const Mechanism& mechanism : mechanisms) passes.push_back({mechanism});
  if (mechanisms.size() > 1) passes.push_back(mechanisms);
  return passes;
}

}  // namespace epochcast
