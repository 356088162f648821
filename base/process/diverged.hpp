// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.hpp"

namespace epochcast {

/// Training that stopped because a loss is not finite; a repetition would stop, too. A RunError
/// with an exit status of its own (see Ending).
class Diverged : public RunError {
 public:
  using RunError::RunError;
};

}  // namespace epochcast
