// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast {

/// Other processes that work on the same results, in the same folder.
class Helpers {
 public:
  virtual ~Helpers() = default;
  /// Throws a RunError with a remedy when none of them works any more.
  virtual void check() = 0;
};

}  // namespace epochcast
