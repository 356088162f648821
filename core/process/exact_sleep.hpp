// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast {

/// Sleeps for `seconds`, never less, and without the machine's interference some microseconds more:
/// who sleeps wakes tens of microseconds late, so the last 100 us are waited for, yielding the
/// core. A core that waited is awake: whoever emulates a device and whoever measures one sleep like
/// this.
void sleep_exactly(double seconds);

}  // namespace epochcast
