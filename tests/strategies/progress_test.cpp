// SPDX-License-Identifier: Apache-2.0
#include "strategies/progress.hpp"

#include "tests/catch.hpp"

namespace epochcast {
namespace {

using Position = std::vector<std::int64_t>;

void loop(Progress& progress, std::int64_t count, const std::function<void(std::int64_t)>& body) {
  for (std::int64_t i = progress.enter(count); i < count; ++i) {
    body(i);
    progress.finished(i);
  }
  progress.leave();
}

/// Three epochs of two loops, the first one with a nested loop; reports every iteration's name.
std::vector<std::string> run(Progress& progress) {
  std::vector<std::string> names;
  loop(progress, 3, [&](std::int64_t epoch) {
    const std::string prefix = std::to_string(epoch);
    loop(progress, 2, [&](std::int64_t round) {
      loop(progress, 2, [&](std::int64_t i) {
        names.push_back(prefix + "a" + std::to_string(round) + std::to_string(i));
      });
    });
    loop(progress, 3, [&](std::int64_t i) { names.push_back(prefix + "b" + std::to_string(i)); });
  });
  return names;
}

TEST_CASE("a job resumed after any iteration runs exactly the remaining ones") {
  Progress uninterrupted;
  std::vector<Position> positions;
  uninterrupted.after_iteration = [&] { positions.push_back(uninterrupted.position()); };
  const std::vector<std::string> all = run(uninterrupted);
  REQUIRE(positions.size() == all.size());

  for (std::size_t stop = 0; stop < all.size(); ++stop) {
    CAPTURE(all[stop]);
    Progress resumed;
    int times = 0;
    resumed.reached = [&] { ++times; };
    resumed.resume_at(positions[stop], "a.state");

    const std::vector<std::string> rest = run(resumed);

    CHECK(rest ==
          std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(stop) + 1, all.end()));
    CHECK(times == 1);
    CHECK_FALSE(resumed.is_resuming());
  }
}

TEST_CASE("a job resumed between epochs runs whole epochs") {
  Progress progress;
  progress.resume_at({0, 2}, "a.state");

  const std::vector<std::string> rest = run(progress);

  CHECK(rest.size() == 7);
  CHECK(rest.front() == "2a00");
}

TEST_CASE("a job without the saved position is not resumed elsewhere") {
  for (const Position& position : {Position{1, 0},                 // no second loop around all
                                   Position{0, 4},                 // three epochs
                                   Position{0, 3, 0, 1},           // nothing after the last one
                                   Position{0, 1, 0, 9},           // two rounds
                                   Position{0, 1, 2, 0},           // no third loop in an epoch
                                   Position{0, 1, 1, 2, 0, 1}}) {  // no loop in the second one
    CAPTURE(position);
    Progress progress;
    int iterations = 0;
    progress.after_iteration = [&] { ++iterations; };
    progress.resume_at(position, "a.state");

    CHECK_THROWS_WITH(
        [&] {
          run(progress);
          progress.finish();
        }(),
        Catch::StartsWith("a.state: the job has no position [" + std::to_string(position[0])));
    CHECK(iterations == 0);  // nothing was saved
  }
}

TEST_CASE("positions name the loops around the current point") {
  Progress progress;
  Position last;
  progress.after_iteration = [&] { last = progress.position(); };

  run(progress);

  CHECK(last == Position{0, 2, 1, 3});  // third epoch, its second loop, three iterations over
}

}  // namespace
}  // namespace epochcast
