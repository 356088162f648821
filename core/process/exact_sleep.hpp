// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast {

/// How long before its end a sleep is over, and waited for, on a core that others compute on: who
/// sleeps wakes tens of microseconds late.
constexpr double kAwakeBesideOthers_s = 100e-6;
/// The same on a core that nobody else needs: where cores are shared by those who sleep, some wake
/// 0.3 ms late.
constexpr double kAwakeAlone_s = 1e-3;

/// Sleeps for `seconds`, never less, and without the machine's interference some microseconds more:
/// the last `awake_s` are waited for, yielding the core. A core that waited is awake: whoever
/// emulates a device and whoever measures one sleep like this.
void sleep_exactly(double seconds, double awake_s = kAwakeBesideOthers_s);

}  // namespace epochcast
