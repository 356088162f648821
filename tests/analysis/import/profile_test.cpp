// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/profile.hpp"

#include "tests/analysis/import/events.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

Texts problems_in_profile(const std::string& text) {
  return problems_of([&] { static_cast<void>(profile_in(text)); });
}

TEST_CASE("a profile's times count from its first event, its day from baseTimeNanoseconds") {
  const Profile profile = profile_of({iteration(3, 2'000'000, 500), iteration(2, 1'000'000, 700)},
                                     {{"baseTimeNanoseconds", 1'795'132'800'000'000'000}});

  REQUIRE(profile.events.size() == 2);
  CHECK(profile.events[0].number == 2);
  CHECK(profile.events[0].start_s == 0);
  CHECK(profile.events[0].end_s == Approx(700e-6));
  CHECK(profile.events[1].start_s == Approx(1.0));
  CHECK(profile.began_s.value() == Approx(1'795'132'801.0).epsilon(1e-12));
}

TEST_CASE("a clock whose origin is not 1970 gives no date") {
  CHECK_FALSE(profile_of({iteration(1, 5, 5)}).began_s);
  CHECK(profile_of({iteration(1, 1'666'149'715'033'200, 5)}).began_s);  // LibTorch 1
}

TEST_CASE("the rank and its job are read from distributedInfo, before or after the events") {
  const std::string info = R"("distributedInfo": {"rank": 3, "world_size": 8})";
  for (const std::string& text :
       {"{" + info + R"(, "traceEvents": []})", R"({"traceEvents": [], )" + info + "}"}) {
    const Profile profile = profile_in(text);

    CHECK(profile.rank == 3);
    CHECK(profile.world_size == 8);
  }
  CHECK_FALSE(profile_of({}).rank);
}

TEST_CASE("the list of events alone is a profile, as written by PyTorch without Kineto") {
  const Profile profile = profile_in(
      R"([{"name": "ProfilerStep#7", "ph": "X", "ts": 10, "dur": 5, "tid": 1, "pid": "CPU functions", "args": {}},
          {"name": "aten::mm", "ph": "X", "ts": 11, "dur": 2, "tid": 1, "pid": "CPU functions", "args": {}},
          {"name": "my own range", "ph": "X", "ts": 11, "dur": 2, "tid": 1, "pid": "CPU functions", "args": {}},
          {"name": "mm_kernel", "ph": "X", "ts": 12, "dur": 2, "tid": 0, "pid": "CUDA functions", "args": {}}])");

  REQUIRE(profile.events.size() == 3);
  CHECK(profile.events[0].kind == EventKind::iteration);
  CHECK(profile.events[1].kind == EventKind::operation);
  CHECK(profile.events[2].kind == EventKind::kernel);
}

TEST_CASE("an all-reduce without a size gets that of the operator of the same external id") {
  const nlohmann::json given = {{"External id", 9},
                                {"Collective name", "allreduce"},
                                {"In msg nelems", 10},
                                {"dtype", "Half"},
                                {"Group size", 4}};
  nlohmann::json of_another = given;  // whose kernel runs after the profile's end
  of_another["External id"] = 8;
  of_another["In msg nelems"] = 99;
  const Profile profile = profile_of(
      {{"cpu_op", "record_param_comms", 0, 1, 1, given},
       {"cpu_op", "record_param_comms", 1, 1, 1, of_another},
       {"cpu_op", "record_param_comms", 2, 1, 1, {{"Collective name", "broadcast"}}},
       {"kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", 5, 2, 1, {{"External id", 9}}},
       {"kernel", "ncclDevKernel_Broadcast_RING_LL", 8, 2, 1, {{"External id", 10}}}});

  REQUIRE(profile.all_reduces.size() == 1);
  CHECK(profile.all_reduces[0].bytes == 2 * 10);
  CHECK(profile.all_reduces[0].group_size == 4);
  CHECK(profile.all_reduces[0].backend == "nccl");
  CHECK(profile.all_reduces[0].end_s - profile.all_reduces[0].start_s == Approx(2e-6));
}

TEST_CASE("without ids, as many operators as all-reduces are matched in their order") {
  const auto given = [](int elements) {
    return nlohmann::json{
        {"Collective name", "allreduce"}, {"In msg nelems", elements}, {"dtype", "Float"}};
  };
  std::vector<TestEvent> events = {{"cpu_op", "record_param_comms", 20, 1, 1, given(7)},
                                   {"cpu_op", "record_param_comms", 0, 1, 1, given(5)},
                                   {"cpu_op", "gloo:all_reduce", 1, 9, 2},
                                   {"cpu_op", "gloo:all_reduce", 21, 9, 2}};

  const Profile matched = profile_of(events);
  events.pop_back();
  const Profile unmatched = profile_of(events);

  REQUIRE(matched.all_reduces.size() == 2);
  CHECK(matched.all_reduces[0].bytes == 4 * 5);
  CHECK(matched.all_reduces[1].bytes == 4 * 7);
  CHECK(matched.all_reduces[1].backend == "gloo");
  REQUIRE(unmatched.all_reduces.size() == 1);
  CHECK(unmatched.all_reduces[0].bytes == 0);
}

TEST_CASE("an invalid time is bad input, with its path") {
  CHECK(problems_in_profile(R"({"traceEvents": [
          {"ph": "M", "name": "process_name"},
          {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": "soon", "dur": 1},
          {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": -3},
          {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "dur": 1e300},
          {"ph": "X", "cat": "python_function", "name": "train.py: main", "dur": -1}],
        "baseTimeNanoseconds": null})") ==
        Texts{"p.json: /traceEvents/1/ts: got \"soon\"; expected microseconds",
              "p.json: /traceEvents/2/dur: got -3; expected microseconds, not negative",
              "p.json: /traceEvents/3/ts: missing",
              "p.json: /traceEvents/3/dur: got 1e+300; expected microseconds, not negative",
              "p.json: /baseTimeNanoseconds: got null; expected nanoseconds"});
}

TEST_CASE("of many problems the first twenty are reported") {
  const std::vector<TestEvent> events(1000, {"cpu_op", "aten::mm", 0, -1});

  CHECK(problems_in_profile(profile_text(events)).size() == 20);
}

TEST_CASE("files that are not profiles are bad input") {
  CHECK(problems_in_profile("{\"traceEvents\": [{\"ph\": \"X\", ") ==
        Texts{"p.json:1:30: not valid JSON (the file ends too early)"});
  CHECK(problems_in_profile("[{\"ts\": NaN}]") ==
        Texts{"p.json:1:9: not valid JSON at this place"});
  CHECK(problems_in_profile("[{\"ts\": 1e999}]") ==
        Texts{"p.json:1:14: got a number that is too large to be represented"});
  CHECK(problems_in_profile("{\"traceEvents\": {}}") ==
        Texts{"p.json: /traceEvents: got an object; expected a list"});
  CHECK(problems_in_profile("{\"schema\": \"epochcast.trace/1\"}") ==
        Texts{"p.json: /: got an object; expected a profile of PyTorch: an object with "
              "\"traceEvents\", or a list of events"});
  CHECK(problems_in_profile("7").size() == 1);
  CHECK(problems_in_profile(std::string(100'000, '[') + std::string(100'000, ']')) ==
        Texts{"p.json:1:33: nested deeper than any profile"});
  CHECK(profile_in("[1, null, \"x\", [], {\"ph\": 3}]").events.empty());
}

TEST_CASE("shapes of operators' first inputs are counted, other contents ignored") {
  const auto with = [](const nlohmann::json& dims) -> TestEvent {
    return {"cpu_op", "aten::add", 0, 1, 1, {{"Input Dims", dims}}};
  };
  const Profile profile = profile_of({with({{2, 3}, {7}}),
                                      with({{2, 3}}),
                                      with({{4}}),
                                      with({{{2, 3}, {4}}}),
                                      with({{-1, 3}}),
                                      with({"Scalar"}),
                                      with(nlohmann::json::array()),
                                      with("none")});

  CHECK(profile.input_shapes ==
        std::map<std::vector<std::int64_t>, std::int64_t>{{{2, 3}, 2}, {{4}, 1}});
}

}  // namespace
}  // namespace epochcast::tests
