// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/iteration_table.hpp"

#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

Texts problems_in_table(const std::string& text, const TimeColumn& column = {}) {
  return problems_of([&] { static_cast<void>(parse_iteration_table(text, "t.csv", column)); });
}

double first_s(const std::string& text, const TimeColumn& column = {}) {
  return parse_iteration_table(text, "t.csv", column).rows.at(0).seconds;
}

TEST_CASE("a table has a column of times, with the unit in its name") {
  CHECK(first_s("step,iteration_time_ms\n1,250\n") == Approx(0.25));
  CHECK(first_s("Iteration Time [s],gpu_util\r\n0.25,97\r\n") == Approx(0.25));
  CHECK(first_s("\"iter latency (us)\"\n250000\n") == Approx(0.25));
  CHECK(first_s("\xef\xbb\xbf"
                "elapsed_seconds\n 0.25 \n\n") == Approx(0.25));
}

TEST_CASE("flags give the column and its unit if the header does not") {
  CHECK(first_s("n,t\n1,250\n", {.name = "t", .unit = "ms"}) == Approx(0.25));
  CHECK(first_s("load_time_s,iteration_time_s\n1,0.25\n", {.name = "iteration_time_s"}) ==
        Approx(0.25));
}

TEST_CASE("batch sizes and ranks are read if there are columns of them") {
  const IterationTable table =
      parse_iteration_table("rank,batch_size,time_ms\n0,32,10\n1,64,20\n", "t.csv", {});

  CHECK(table.has_batch);
  CHECK(table.rows[0].batch == 32);
  CHECK(table.rows[1].batch == 64);
  CHECK(table.rows[1].rank == 1);
  CHECK_FALSE(parse_iteration_table("time_ms\n10\n", "t.csv", {}).has_batch);
}

TEST_CASE("a header with an ambiguous column or unit is bad input") {
  CHECK(problems_in_table("step,loss\n1,2\n") ==
        Texts{"t.csv: row 1: got no columns of times among step,loss; expected one such as "
              "iteration_time_ms, or --time-column NAME --time-unit ms"});
  CHECK(problems_in_table("load_time_ms,step_time_ms\n1,2\n") ==
        Texts{"t.csv: row 1: got 2 columns of times among load_time_ms,step_time_ms; expected one "
              "such as iteration_time_ms, or --time-column NAME --time-unit ms"});
  CHECK(problems_in_table("step,time\n1,2\n", {.name = "tme"}) ==
        Texts{"t.csv: --time-column: unknown column \"tme\"; did you mean \"time\"?"});
  CHECK(problems_in_table("step,time\n1,2\n", {.name = "time"}) ==
        Texts{"t.csv: --time-unit: missing; column time does not name its unit"});
  CHECK(problems_in_table("time_ms\n1\n", {.unit = "s"}) ==
        Texts{"t.csv: --time-unit: got \"s\"; column time_ms has another unit"});
  CHECK(problems_in_table("time_ms\n1\n", {.unit = "h"}) ==
        Texts{"--time-unit: got \"h\"; expected s, ms, us or ns"});
}

TEST_CASE("a header that is not text is bad input") {
  const Texts problem = {"t.csv: row 1: is no header; expected names of columns"};

  CHECK(problems_in_table(std::string("\x1f\x8b\0x", 4)) == problem);
  CHECK(problems_in_table("time_ms,\xff\n1,2\n") == problem);
  CHECK(problems_in_table("time_ms,\xff\\\\\n1,2\n") ==
        problem);  // names become longer when escaped
  CHECK(problems_in_table(std::string(1000, 'x')) == problem);
}

TEST_CASE("invalid rows are bad input, all of them at once") {
  CHECK(problems_in_table("batch,time_ms\n32,fast\n32,nan\n0,-1\n32\n32,1e300\n1.5,1\n") ==
        Texts{"t.csv: row 2: time_ms: got \"fast\"; expected a time above zero",
              "t.csv: row 3: time_ms: got \"nan\"; expected a time above zero",
              "t.csv: row 4: time_ms: got \"-1\"; expected a time above zero",
              "t.csv: row 4: batch: got \"0\"; expected a whole number of at least 1",
              "t.csv: row 5: got 1 fields; expected 2, as the header has",
              "t.csv: row 6: time_ms: got \"1e300\"; expected a time above zero",
              "t.csv: row 7: batch: got \"1.5\"; expected a whole number of at least 1"});
}

TEST_CASE("a table without rows, or with a stray quotation mark, is bad input") {
  CHECK(problems_in_table("time_ms\n") ==
        Texts{"t.csv: got no rows of iterations; expected a header row and one row per iteration"});
  CHECK(problems_in_table("time_ms\n1\n\"2\n") ==
        Texts{"t.csv: row 3: got a quotation mark out of place; expected fields in \"...\", with "
              "\"\" for a quotation mark inside"});
}

}  // namespace
}  // namespace epochcast::tests
