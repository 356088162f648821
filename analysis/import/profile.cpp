// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/profile.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/import/collective_arguments.hpp"
#include "analysis/import/event_kind.hpp"
#include "base/error.hpp"
#include "base/json/json_input.hpp"
#include "base/json/json_stream.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::json;

constexpr double kSecondsPerMicrosecond = 1e-6;
constexpr double kMostMicroseconds = 1e18;
constexpr std::size_t kMostProblems = 20;
constexpr std::size_t kMostEvents = 20'000'000;  // 40 bytes each
constexpr std::int64_t kNoNumber = -1;

/// An operator's arguments of an all-reduce whose transfer is another event.
struct Told {
  double start_s = 0;
  std::int64_t external_id = kNoNumber;
  CollectiveArguments arguments;
};

std::string text_of(JsonInput& event, const std::string& key) {
  const auto member = event.maybe(key);
  return member && member->value().is_string() ? member->value().get<std::string>() : "";
}

std::int64_t number_of(JsonInput& args, const std::string& key) {
  const auto member = args.maybe(key);
  const bool is_some = member && member->value().is_number_unsigned() &&
                       member->value() <= static_cast<std::uint64_t>(JsonInput::kMaxCount);
  return is_some ? member->value().get<std::int64_t>() : kNoNumber;
}

/// Classifies the events of a profile, one at a time.
class ProfileReader {
 public:
  explicit ProfileReader(const std::string& file) : problems_(file) { profile_.file = file; }

  void add(const Json& value, const std::string& path);
  void read_header(const Json& document);
  [[nodiscard]] Profile finish();

 private:
  double microseconds(JsonInput& event, const std::string& key, double low);
  int thread_of(JsonInput& event);
  void add_collective(const ProfileEvent& event, const std::string& name, JsonInput& args);
  void add_shape(JsonInput& args);
  void read_sizes();

  Profile profile_;
  Problems problems_;
  double first_us_ = std::numeric_limits<double>::infinity();
  std::map<std::string, int> threads_;
  std::vector<Told> records_;              ///< record_param_comms of all-reduces
  std::vector<Told> calls_;                ///< c10d's all-reduces, with their shapes if recorded
  std::vector<std::int64_t> external_id_;  ///< of profile_.all_reduces
};

double ProfileReader::microseconds(JsonInput& event, const std::string& key, double low) {
  const JsonInput member = event.at(key);
  if (member.value().is_number()) {
    const auto number = member.value().get<double>();
    if (number >= low && number <= kMostMicroseconds) return number;
  }
  member.fail(low < 0 ? "microseconds" : "microseconds, not negative");
  return 0;
}

int ProfileReader::thread_of(JsonInput& event) {
  std::string key;
  for (const char* part : {"pid", "tid"}) {
    if (const auto member = event.maybe(part))
      key +=
          member->value().dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 100) + "/";
  }
  return threads_.try_emplace(key, static_cast<int>(threads_.size())).first->second;
}

void ProfileReader::add(const Json& value, const std::string& path) {
  JsonInput event(value, path, problems_);
  if (text_of(event, "ph") != "X") return;  // other events have no duration
  const std::string name = text_of(event, "name");
  const auto kind = kind_of(text_of(event, "cat"), name, text_of(event, "pid"));
  if (!kind) return;
  ProfileEvent read;
  read.kind = *kind;
  const double start_us = microseconds(event, "ts", -kMostMicroseconds);
  first_us_ = std::min(first_us_, start_us);
  read.start_s = start_us;  // in microseconds until all are read
  read.end_s = start_us + microseconds(event, "dur", 0);
  read.thread = thread_of(event);
  const Json none = Json::object();
  const auto given = event.maybe("args");
  JsonInput args = given ? *given : JsonInput(none, path + "/args", problems_);
  if (*kind == EventKind::iteration) {
    const char* digits = name.c_str() + name.find('#') + 1;
    if (std::from_chars(digits, name.c_str() + name.size(), read.number).ec != std::errc()) return;
  } else if (*kind == EventKind::launch || *kind == EventKind::kernel) {
    read.number = number_of(args, "correlation");
  }
  if (*kind == EventKind::operation) add_shape(args);
  add_collective(read, name, args);
  profile_.events.push_back(read);
  if (profile_.events.size() > kMostEvents)
    throw UserError(problems_.file() + ": has more than " + std::to_string(kMostEvents) +
                    " events; profile fewer iterations (torch.profiler.schedule)");
  if (problems_.size() >= kMostProblems) problems_.throw_if_any();
}

void ProfileReader::add_collective(const ProfileEvent& event,
                                   const std::string& name,
                                   JsonInput& args) {
  const bool is_call = event.kind == EventKind::communication_call;
  if (!is_call && event.kind != EventKind::communication) return;
  const CollectiveArguments told = read_collective(args);
  const std::int64_t external_id = number_of(args, "External id");
  if (is_call) {
    if (is_all_reduce(told.name))
      records_.push_back({event.start_s, external_id, told});
    else if (name.starts_with("c10d::allreduce_"))
      calls_.push_back({event.start_s, external_id, told});
    return;
  }
  const std::string_view backend = backend_of(name);
  const bool reduces_all = backend.empty()
                               ? is_all_reduce(told.name) || name.find("AllReduce") != name.npos
                               : is_all_reduce(name.substr(backend.size() + 1));
  if (!reduces_all) return;
  profile_.all_reduces.push_back({.start_s = event.start_s,
                                  .end_s = event.end_s,
                                  .backend = backend.empty() ? "nccl" : std::string(backend),
                                  .group = told.group,
                                  .ranks = told.ranks,
                                  .group_size = told.group_size,
                                  .bytes = told.bytes});
  external_id_.push_back(external_id);
}

/// Counts the shape of an operator's first input, if recorded.
void ProfileReader::add_shape(JsonInput& args) {
  constexpr std::size_t kMostShapes = 10'000;
  constexpr std::size_t kMostDimensions = 8;
  const auto dims = args.maybe("Input Dims");
  if (!dims || !dims->value().is_array() || dims->value().empty()) return;
  const Json& first = dims->value().front();
  if (!first.is_array() || first.empty() || first.size() > kMostDimensions) return;
  std::vector<std::int64_t> shape;
  for (const Json& size : first) {
    if (!size.is_number_unsigned() || size > static_cast<std::uint64_t>(JsonInput::kMaxCount))
      return;
    shape.push_back(size.get<std::int64_t>());
  }
  if (profile_.input_shapes.size() < kMostShapes || profile_.input_shapes.contains(shape))
    ++profile_.input_shapes[shape];
}

/// Sizes for transfers without one: from the operator of the same external id, or, if there are as
/// many operators as transfers, from the operator at the same index.
void ProfileReader::read_sizes() {
  const auto by_start = [](const auto& a, const auto& b) { return a.start_s < b.start_s; };
  std::map<std::int64_t, const CollectiveArguments*> by_id;
  for (const Told& record : records_) {
    if (record.external_id != kNoNumber) by_id.emplace(record.external_id, &record.arguments);
  }
  const auto complete = [](AllReduce& one, const CollectiveArguments& told) {
    if (one.bytes == 0) one.bytes = told.bytes;
    if (one.group.empty()) one.group = told.group;
    if (one.ranks.empty()) one.ranks = told.ranks;
    if (one.group_size == 0) one.group_size = told.group_size;
  };
  for (std::size_t i = 0; i < profile_.all_reduces.size(); ++i) {
    const auto found = by_id.find(external_id_[i]);
    if (found != by_id.end()) complete(profile_.all_reduces[i], *found->second);
  }
  std::ranges::stable_sort(profile_.all_reduces, by_start);
  for (std::vector<Told>* told : {&records_, &calls_}) {
    if (told->size() != profile_.all_reduces.size()) continue;
    std::ranges::stable_sort(*told, by_start);
    for (std::size_t i = 0; i < told->size(); ++i)
      complete(profile_.all_reduces[i], (*told)[i].arguments);
  }
}

void ProfileReader::read_header(const Json& document) {
  JsonInput top(document, "", problems_);
  if (document.is_array()) return;
  if (!top.has("traceEvents")) {
    top.fail("a profile of PyTorch: an object with \"traceEvents\", or a list of events");
    return;
  }
  static_cast<void>(top.at("traceEvents").elements());
  if (const auto base = top.maybe("baseTimeNanoseconds")) {
    if (base->value().is_number() && std::abs(base->value().get<double>()) < 1e19)
      profile_.began_s = base->value().get<double>() * 1e-9;
    else
      base->fail("nanoseconds");
  }
  auto job = top.maybe("distributedInfo");
  if (!job || !job->value().is_object()) return;
  if (const auto rank = job->maybe("rank"))
    profile_.rank = static_cast<int>(rank->integer(0, kMostRanks));
  if (const auto size = job->maybe("world_size"))
    profile_.world_size = static_cast<int>(size->integer(1, kMostRanks));
  profile_.nccl_version = text_of(*job, "nccl_version");
}

Profile ProfileReader::finish() {
  problems_.throw_if_any();
  const auto seconds = [this](double us) { return (us - first_us_) * kSecondsPerMicrosecond; };
  const auto relate = [&](auto& event) {
    event.start_s = seconds(event.start_s);
    event.end_s = seconds(event.end_s);
  };
  read_sizes();
  for (ProfileEvent& event : profile_.events) relate(event);
  for (AllReduce& one : profile_.all_reduces) relate(one);
  std::ranges::stable_sort(profile_.events, [](const ProfileEvent& a, const ProfileEvent& b) {
    return a.start_s != b.start_s ? a.start_s < b.start_s : a.end_s > b.end_s;
  });
  constexpr double kYear2015_s = 1.42e9;
  constexpr double kYear2100_s = 4.1e9;
  const double began_s = profile_.began_s.value_or(0) +
                         (profile_.events.empty() ? 0 : first_us_ * kSecondsPerMicrosecond);
  profile_.began_s.reset();
  if (began_s > kYear2015_s && began_s < kYear2100_s) profile_.began_s = began_s;
  return std::move(profile_);
}

}  // namespace

Profile parse_profile(std::istream& text, const std::string& file) {
  ProfileReader reader(file);
  const Json rest = read_json_stream(text, file, [&](const Json& value, const std::string& path) {
    if (path.starts_with("/traceEvents/") || path.find('/', 1) == path.npos)
      reader.add(value, path);
  });
  reader.read_header(rest);
  return reader.finish();
}

}  // namespace epochcast
