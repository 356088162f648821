// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/priority_change.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

constexpr int kPriority = 10;

/// Of the calling thread.
struct Scheduling {
  int policy;
  int priority;
  int nice;

  bool operator==(const Scheduling&) const = default;
};

Scheduling scheduling() {
  sched_param parameters{};
  sched_getparam(0, &parameters);
  return {.policy = sched_getscheduler(0),
          .priority = parameters.sched_priority,
          .nice = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()))};
}

/// Calls `body` in a separate thread with that policy.
void in_thread(int policy, const std::function<void()>& body) {
  std::thread([&] {
    const sched_param parameters{.sched_priority = policy == SCHED_OTHER ? 0 : kPriority};
    if (sched_setscheduler(0, policy, &parameters) == 0)
      body();
    else
      WARN("not allowed here: nothing was checked");
  }).join();
}

TEST_CASE("threads that move messages have a higher priority, under SCHED_OTHER") {
  in_thread(SCHED_OTHER, [] {
    const Scheduling before = scheduling();
    {
      const PriorityChange ahead(PriorityChange::To::ahead_of_computing);
      const Scheduling preferred = scheduling();
      if (preferred == before) return;  // not allowed here
      CHECK(preferred.nice == before.nice - 10);
      const PriorityChange beside(PriorityChange::To::beside_computing);
      CHECK(scheduling() == before);
    }
    CHECK(scheduling() == before);
  });
}

TEST_CASE("under SCHED_RR no priority changes, and computing processes leave it") {
  for (const int policy : {SCHED_RR, SCHED_FIFO}) {
    in_thread(policy, [] {
      const Scheduling before = scheduling();
      {
        const PriorityChange ahead(PriorityChange::To::ahead_of_computing);
        CHECK(scheduling() == before);
      }
      CHECK(scheduling() == before);
      leave_sched_rr();
      CHECK(scheduling() == Scheduling{.policy = SCHED_OTHER, .priority = 0, .nice = before.nice});
    });
  }
}

}  // namespace
}  // namespace epochcast::real
