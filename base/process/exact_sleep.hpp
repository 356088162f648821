// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast {

/// Spin time at the end of a sleep on a core that others compute on: sleeping threads wake tens of
/// microseconds late.
constexpr double kSpinOnSharedCore_s = 100e-6;
/// The same on an otherwise idle core: threads that sleep on shared cores may wake 0.3 ms late.
constexpr double kSpinOnIdleCore_s = 1e-3;

/// Sleeps for `seconds`, never less, and on an undisturbed machine some microseconds more: the last
/// `spin_s` are spent spinning with sched_yield(). Emulated and measured devices use the same
/// sleep, so their cores are in the same power state.
void sleep_exactly(double seconds, double spin_s = kSpinOnSharedCore_s);

}  // namespace epochcast
