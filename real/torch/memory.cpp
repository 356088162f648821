// SPDX-License-Identifier: Apache-2.0
#include "real/torch/memory.hpp"

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace epochcast::real {

void keep_freed_memory() {
#if defined(__GLIBC__)
  constexpr int kMost = 1 << 30;
  constexpr int kMostOfOldGlibc = 32 << 20;  // before 2.35
  if (mallopt(M_MMAP_THRESHOLD, kMost) == 0) mallopt(M_MMAP_THRESHOLD, kMostOfOldGlibc);
  mallopt(M_TRIM_THRESHOLD, -1);  // unsigned: the largest
#endif
}

}  // namespace epochcast::real
