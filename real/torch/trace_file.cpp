// SPDX-License-Identifier: Apache-2.0
#include "real/torch/trace_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "core/error.hpp"

namespace epochcast::real {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kTextWidth = 120;

double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return std::strtod(text, nullptr);
}

template <typename Phase>
Json sample_list(const BatchCosts& costs, Phase phase) {
  Json list = Json::array();
  for (const BatchTiming& timing : costs.samples) list.push_back(rounded(phase(timing)));
  return list;
}

Json batch_json(const BatchCosts& costs) {
  return {
      {"batch", costs.batch},
      {"seconds", sample_list(costs, [](const auto& timing) { return timing.batch_s(); })},
      {"load_seconds", sample_list(costs, [](const auto& timing) { return timing.load_s; })},
      {"forward_seconds", sample_list(costs, [](const auto& timing) { return timing.forward_s; })},
      {"backward_seconds",
       sample_list(costs, [](const auto& timing) { return timing.backward_s; })},
      {"step_seconds", sample_list(costs, [](const auto& timing) { return timing.step_s; })},
  };
}

Json cost_json(const NetworkCosts& costs) {
  Json json = {{"network", costs.network}, {"input", costs.input}, {"batches", Json::array()}};
  for (const BatchCosts& batch : costs.batches) json["batches"].push_back(batch_json(batch));
  if (!costs.backward_layers.empty()) {
    json["backward_layers"] = Json::array();
    for (const LayerShare& layer : costs.backward_layers) {
      json["backward_layers"].push_back({{"name", layer.name}, {"share", rounded(layer.share)}});
    }
  }
  return json;
}

void merge_batches(Json& batches, const Json& added) {
  for (const Json& batch : added) {
    const auto same = std::find_if(batches.begin(), batches.end(), [&](const Json& other) {
      return other.at("batch") == batch.at("batch");
    });
    if (same == batches.end()) {
      batches.push_back(batch);
    } else {
      *same = batch;
    }
  }
  std::sort(batches.begin(), batches.end(), [](const Json& left, const Json& right) {
    return left.at("batch") < right.at("batch");
  });
}

void merge_cost(Json& costs, const Json& added) {
  for (Json& cost : costs) {
    if (cost.at("network") == added.at("network") && cost.at("input") == added.at("input")) {
      merge_batches(cost["batches"], added.at("batches"));
      if (added.contains("backward_layers")) cost["backward_layers"] = added.at("backward_layers");
      return;
    }
  }
  costs.push_back(added);
}

void require_same(const Json& existing,
                  const Json& added,
                  const std::string& pointer,
                  const std::string& file) {
  const Json::json_pointer path(pointer);
  const std::string old_text = existing.contains(path) ? existing.at(path).dump() : "nothing";
  const std::string new_text = added.at(path).dump();
  if (old_text != new_text) {
    throw UserError(file + ": " + pointer + ": got " + old_text + "; expected " + new_text +
                    ", as measured now (write to another file)");
  }
}

/// Numbers after numbers, as many on a line as fit.
std::string wrapped(const Json& list, const std::string& indent) {
  std::string text = "[\n";
  std::string line = indent;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string item = list[i].dump() + (i + 1 < list.size() ? "," : "");
    if (line.size() > indent.size() && line.size() + 1 + item.size() > kTextWidth) {
      text += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + item;
  }
  return text + line + "]";
}

/// One line, in the spacing of docs/formats.md.
std::string flat(const Json& value) {
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, member] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += Json(key).dump() + ": ";
    text += flat(member);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string pretty(const Json& value, std::size_t depth) {
  const std::string indent(2 * depth, ' ');
  const std::string inner(2 * depth + 2, ' ');
  std::string line = flat(value);
  const bool is_short = inner.size() + line.size() <= kTextWidth && depth > 0;
  if (!value.is_structured() || is_short) return line;
  if (value.is_array() && !value.empty() && value[0].is_number()) return wrapped(value, inner);
  std::string text;
  for (const auto& [key, member] : value.items()) {
    text += (text.empty() ? "\n" : ",\n") + inner;
    if (value.is_object()) text += Json(key).dump() + ": ";
    text += pretty(member, depth + 1);
  }
  return (value.is_object() ? "{" : "[") + text + "\n" + indent + (value.is_object() ? "}" : "]");
}

}  // namespace

Json make_trace(const TraceHeader& header, std::span<const NetworkCosts> costs) {
  Json versions = Json::object();
  for (const LibraryVersion& library : header.versions) versions[library.name] = library.version;
  Json source = {{"grade", "measured"},
                 {"machine", header.machine},
                 {"date", header.date},
                 {"command", header.command},
                 {"versions", versions},
                 {"note", header.note}};
  Json trace = {{"schema", "epochcast.trace/1"},
                {"name", header.name},
                {"title", header.title},
                {"source", source},
                {"device", header.device},
                {"costs", Json::array()}};
  for (const NetworkCosts& cost : costs) trace["costs"].push_back(cost_json(cost));
  return trace;
}

Json merged_trace(Json existing, const Json& added, const std::string& file) {
  for (const char* path : {"/device", "/source/grade", "/source/machine", "/source/versions"}) {
    require_same(existing, added, path, file);
  }
  const Json& source = added.at("source");
  Json& merged = existing["source"];
  merged["command"] =
      merged["command"].get<std::string>() + " && " + source.at("command").get<std::string>();
  merged["note"] = merged.value("note", "") + " | " + source.at("note").get<std::string>();
  merged["date"] = source.at("date");
  for (const Json& cost : added.at("costs")) merge_cost(existing["costs"], cost);
  return existing;
}

std::string sampling_note(const MeasureSettings& settings, std::span<const NetworkCosts> costs) {
  const SamplingRule& rule = settings.rule;
  std::int64_t kept = 0;
  std::int64_t dropped = 0;
  std::int64_t preempted = 0;
  for (const NetworkCosts& cost : costs) {
    for (const BatchCosts& batch : cost.batches) {
      kept += static_cast<std::int64_t>(batch.samples.size());
      dropped += batch.dropped;
      preempted += batch.preempted;
    }
  }
  std::ostringstream note;
  note << kept << " batches kept after " << rule.warmup
       << " of warm-up per point, until the 95 % confidence "
       << "interval of the median was within " << 100 * rule.confidence_width << " % (at least "
       << rule.min_samples << " batches; at most " << rule.max_samples << ", or " << rule.max_s
       << " s)";
  if (rule.detects_preemption) {
    const std::int64_t disturbed = rule.drop_preempted ? dropped : preempted;
    note << "; " << disturbed << (rule.drop_preempted ? " more were" : " of them were")
         << " preempted (wall time more than " << 100 * rule.preempted_excess
         << " % over CPU time) and " << (rule.drop_preempted ? "measured again" : "kept");
  }
  if (settings.layers_batch > 0) note << "; backward_layers at batch " << settings.layers_batch;
  note << "; SGD with momentum, procedural samples";
  return note.str();
}

std::string trace_text(const Json& document) { return pretty(document, 0) + "\n"; }

std::string file_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) throw RunError(file.string() + ": cannot be read");
  return text;
}

void write_atomically(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::path draft = file;
  draft += ".tmp" + std::to_string(getpid());
  std::ofstream stream(draft, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(draft, file, error);
  if (!stream || error) {
    std::error_code ignored;
    std::filesystem::remove(draft, ignored);
    throw RunError(file.string() + ": cannot be written" + (error ? ": " + error.message() : ""));
  }
}

}  // namespace epochcast::real
