// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.hpp"

namespace epochcast {

/// Training that cannot go on, as a loss is not finite: it will not be finite next time either.
/// A RunError with an exit status of its own (see Ending).
class Diverged : public RunError {
 public:
  using RunError::RunError;
};

}  // namespace epochcast
