// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/validate/validation.hpp"
#include "base/error.hpp"
#include "base/files/text_file.hpp"
#include "base/json/json_file.hpp"
#include "base/json/json_input.hpp"
#include "base/json/or_null.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

Json findings_json(const ValidationRow& row) {
  const auto findings = findings_of(row);
  if (!findings) return nullptr;
  Json json = {{"measured_s", findings->measured_s},
               {"measured_spread_s", interval_json(findings->measured_spread)},
               {"error", findings->error}};
  put_phases(json["measured_phases"], findings->measured_phases);
  put_phases(json["phase_errors"], findings->phase_errors, "");
  json["is_inside"] = or_null(findings->is_inside);
  json["runs_inside"] = findings->runs_inside;
  json["runs_with_interval"] = findings->runs_with_interval;
  json["run_shares"] = findings->run_shares;
  json["ks"] = or_null(findings->ks);
  return json;
}

Json row_json(const ValidationRow& row) {
  Json json = {{"cluster", row.cluster},
               {"command", row.command},
               {"group", row.group},
               {"point", row.point},
               {"tier", to_string(row.tier)},
               {"calibrated", row.calibrated},
               {"findings", findings_json(row)},
               {"problems", row.problems},
               {"forecast", nullptr},
               {"measured", Json::array()}};
  if (row.forecast) json["forecast"] = to_json(*row.forecast);
  for (const RunResult& run : row.measured) json["measured"].push_back(to_json(run));
  return json;
}

Json summary_json(const ValidationSummary& summary) {
  const bool has_errors = summary.configurations > 0;
  Json json = {{"configurations", summary.configurations},
               {"failed", summary.failed},
               {"median_error", has_errors ? Json(summary.median_error) : Json()},
               {"p90_error", has_errors ? Json(summary.p90_error) : Json()},
               {"p95_error", has_errors ? Json(summary.p95_error) : Json()},
               {"worst_error", has_errors ? Json(summary.worst_error) : Json()},
               {"worst", has_errors ? Json(summary.worst) : Json()},
               {"p90_phase_error", has_errors ? Json(summary.p90_phase_error) : Json()},
               {"tau", or_null(summary.tau)},
               {"pairs", summary.pairs()},
               {"wrong_pairs", summary.wrong_pairs()},
               {"coverage", or_null(summary.coverage)},
               {"runs", summary.runs},
               {"runs_inside", summary.runs_inside},
               {"run_coverage", or_null(summary.run_coverage)},
               {"ks", or_null(summary.ks)},
               {"groups", Json::array()}};
  for (const GroupRanking& ranking : summary.rankings) {
    json["groups"].push_back({{"group", ranking.group},
                              {"rows", ranking.rows},
                              {"tau", ranking.tau},
                              {"pairs", ranking.pairs},
                              {"wrong_pairs", ranking.wrong_pairs},
                              {"is_best_right", ranking.is_best_right}});
  }
  return json;
}

/// A text that may be empty.
std::string text_of(const JsonInput& input) {
  if (input.value().is_string()) return input.value().get<std::string>();
  input.fail("a text");
  return {};
}

std::vector<std::string> texts_of(const JsonInput& input) {
  std::vector<std::string> texts;
  for (const JsonInput& element : input.elements()) texts.push_back(text_of(element));
  return texts;
}

Tier tier_of(const JsonInput& input) {
  const std::string text = text_of(input);
  for (const Tier tier : kTiers) {
    if (text == to_string(tier)) return tier;
  }
  input.fail("\"same cluster\" or \"extrapolated\"");
  return Tier::same_cluster;
}

/// The row that `json` is, whose settings keep their order there.
ValidationRow read_row(JsonInput input, const Json& json, Problems& problems) {
  ValidationRow row;
  row.cluster = text_of(input.at("cluster"));
  row.command = text_of(input.at("command"));
  row.group = input.at("group").string();
  row.point = input.at("point").string();
  row.tier = tier_of(input.at("tier"));
  row.calibrated = text_of(input.at("calibrated"));
  row.problems = texts_of(input.at("problems"));
  if (const JsonInput forecast = input.at("forecast"); !forecast.value().is_null()) {
    row.forecast = read_run(json["forecast"], forecast.path(), problems);
  }
  const std::vector<JsonInput> measured = input.at("measured").elements();
  for (std::size_t i = 0; i < measured.size(); ++i)
    row.measured.push_back(read_run(json["measured"][i], measured[i].path(), problems));
  (void)input.maybe("findings");
  input.finish();
  return row;
}

/// Adds a text to `parts` unless they contain it.
void add_once(std::vector<std::string>& parts, const std::string& text) {
  if (!text.empty() && std::find(parts.begin(), parts.end(), text) == parts.end())
    parts.push_back(text);
}

std::string joined_by(const std::string& separator, const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

}  // namespace

Json to_json(const std::vector<ValidationRow>& rows,
             const std::string& command,
             const std::string& date) {
  Json json = {{"summary", summary_json(summarize(rows))},
               {"tiers", Json::array()},
               {"rows", Json::array()}};
  for (const TierSummary& each : summarize_tiers(rows)) {
    Json tier = {{"tier", to_string(each.tier)}};
    tier.update(summary_json(each.summary));
    json["tiers"].push_back(std::move(tier));
  }
  for (const ValidationRow& row : rows) json["rows"].push_back(row_json(row));
  return result_document(kValidationSchema, std::move(json), {.command = command, .date = date});
}

std::vector<ValidationRow> validation_from_json(const Json& json, const std::string& file) {
  const nlohmann::json document = json;  // JsonInput reads the unordered kind
  Problems problems(file);
  JsonInput top = open_document(document, kValidationSchema, problems);
  std::vector<ValidationRow> rows;
  for (const JsonInput& input : top.at("rows").elements())
    rows.push_back(read_row(input, json["rows"][rows.size()], problems));
  (void)read_provenance(top.at("provenance"), false);
  (void)top.maybe("summary");
  (void)top.maybe("tiers");
  top.finish();
  problems.throw_if_any();
  return rows;
}

ValidationFile read_validation(const std::filesystem::path& file) {
  const std::string text = read_text_file(file, kSamplesFile);
  (void)parse_json(text, file.string());  // refuses what is no JSON, or too deep
  const Json json = Json::parse(text);
  ValidationFile validation;
  validation.rows = validation_from_json(json, file.string());
  validation.command = json["provenance"]["command"];
  validation.date = json["provenance"].value("date", "");
  return validation;
}

ValidationFile read_validations(const std::vector<std::filesystem::path>& files) {
  ValidationFile all;
  std::vector<std::string> file_of_row;
  std::vector<std::string> commands;
  std::vector<std::string> dates;
  std::vector<std::string> problems;
  for (const std::filesystem::path& path : files) {
    const std::string file = path.string();
    ValidationFile one;
    try {
      one = read_validation(path);
    } catch (const UserError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
      continue;
    }
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
      const auto same =
          std::find_if(all.rows.begin(), all.rows.end(), [&](const ValidationRow& row) {
            return row.group == one.rows[i].group && row.point == one.rows[i].point;
          });
      if (same != all.rows.end()) {
        problems.push_back(file + ": /rows/" + std::to_string(i) + ": \"" + same->point +
                           "\" of \"" + same->group + "\" is in " +
                           file_of_row[static_cast<std::size_t>(same - all.rows.begin())] +
                           " already");
      }
      all.rows.push_back(std::move(one.rows[i]));
      file_of_row.push_back(file);
    }
    add_once(commands, one.command);
    add_once(dates, one.date);
  }
  if (!problems.empty()) throw UserError(problems);
  all.command = joined_by("\n", commands);
  all.date = joined_by(", ", dates);
  return all;
}

}  // namespace epochcast
