// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/collective_arguments.hpp"

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

/// Bytes of an element, by the names of c10::ScalarType and of C++; 0: unknown.
std::int64_t element_bytes(const std::string& type) {
  static const std::map<std::string, std::int64_t> kBytes = {
      {"Float", 4},       {"float", 4},        {"float32", 4},       {"Double", 8},
      {"double", 8},      {"float64", 8},      {"Half", 2},          {"c10::Half", 2},
      {"float16", 2},     {"BFloat16", 2},     {"bfloat16", 2},      {"c10::BFloat16", 2},
      {"Int", 4},         {"int", 4},          {"int32", 4},         {"Long", 8},
      {"long int", 8},    {"long", 8},         {"int64", 8},         {"Short", 2},
      {"short int", 2},   {"int16", 2},        {"Char", 1},          {"signed char", 1},
      {"int8", 1},        {"Byte", 1},         {"unsigned char", 1}, {"uint8", 1},
      {"Bool", 1},        {"bool", 1},         {"ComplexFloat", 8},  {"ComplexDouble", 16},
      {"Float8_e5m2", 1}, {"Float8_e4m3fn", 1}};
  const auto found = kBytes.find(type);
  return found == kBytes.end() ? 0 : found->second;
}

/// "[0, 1, 2]" in Kineto's format; empty if it is truncated by "...".
std::vector<int> ranks_in(const std::string& text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  std::vector<int> ranks;
  for (const std::string& part : split(text.substr(1, text.size() - 2), ',')) {
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin == std::string::npos) return {};
    int rank = 0;
    const char* end = part.data() + part.size();
    const auto result = std::from_chars(part.data() + begin, end, rank);
    if (result.ec != std::errc() || result.ptr != end || rank < 0) return {};
    ranks.push_back(rank);
  }
  return ranks;
}

/// Elements of a shape, or of all shapes of a list; absent for anything else.
std::optional<std::int64_t> elements_of(const nlohmann::json& dims) {
  if (!dims.is_array() || dims.empty()) return std::nullopt;
  double elements = dims[0].is_array() ? 0 : 1;
  for (const nlohmann::json& part : dims) {
    if (part.is_array()) {
      const auto inner = elements_of(part);
      if (!inner || !dims[0].is_array()) return std::nullopt;
      elements += static_cast<double>(*inner);
    } else {
      if (!part.is_number_unsigned() || dims[0].is_array()) return std::nullopt;
      elements *= part.get<double>();
    }
    if (!(elements <= static_cast<double>(kMostElements))) return std::nullopt;
  }
  return static_cast<std::int64_t>(elements);
}

std::int64_t bytes_of_inputs(const nlohmann::json& dims, const nlohmann::json& types) {
  if (!dims.is_array() || dims.empty() || !types.is_array() || types.empty()) return 0;
  nlohmann::json type = types[0];
  while (type.is_array() && !type.empty()) type = nlohmann::json(type[0]);
  if (!type.is_string()) return 0;
  return elements_of(dims[0]).value_or(0) * element_bytes(type.get<std::string>());
}

}  // namespace

bool is_all_reduce(std::string_view collective) {
  return collective == "allreduce" || collective == "all_reduce" ||
         collective == "allreduce_coalesced" || collective == "all_reduce_coalesced";
}

CollectiveArguments read_collective(JsonInput args) {
  CollectiveArguments told;
  if (const auto name = args.maybe("Collective name")) {
    if (name->value() != "") told.name = name->string();
    if (!is_all_reduce(told.name)) return told;  // other collectives are not used
    const auto elements = args.at("In msg nelems").integer(0, kMostElements);
    const JsonInput type = args.at("dtype");
    const std::string type_name = type.string();
    told.bytes = elements * element_bytes(type_name);
    if (!type_name.empty() && element_bytes(type_name) == 0)
      type.fail("a type of tensors, such as \"Float\"");
    if (const auto size = args.maybe("Group size"))
      told.group_size = static_cast<int>(size->integer(0, kMostRanks));
    const auto group = args.maybe("Process Group Name");
    if (group && group->value() != "") told.group = group->string();
    const auto ranks = args.maybe("Process Group Ranks");
    if (ranks && ranks->value() != "") told.ranks = ranks_in(ranks->string());
    if (told.group_size == 0) told.group_size = static_cast<int>(told.ranks.size());
    return told;
  }
  const auto dims = args.maybe("Input Dims");
  const auto types = args.maybe("Input type");
  if (dims && types) told.bytes = bytes_of_inputs(dims->value(), types->value());
  return told;
}

}  // namespace epochcast
