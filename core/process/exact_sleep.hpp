// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast {

/// Spin time at the end of a sleep on a core that others compute on: sleeping threads wake tens of
/// microseconds late.
constexpr double kAwakeBesideOthers_s = 100e-6;
/// The same on an otherwise idle core: threads that sleep on shared cores may wake 0.3 ms late.
constexpr double kAwakeAlone_s = 1e-3;

/// Sleeps for `seconds`, never less, and on an undisturbed machine some microseconds more: the last
/// `awake_s` are spent spinning with sched_yield(). Emulated and measured devices use the same
/// sleep, so their cores are in the same power state.
void sleep_exactly(double seconds, double awake_s = kAwakeBesideOthers_s);

}  // namespace epochcast
