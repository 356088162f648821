// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast::real {

/// Lets this process keep the memory it frees. Every batch allocates and frees the same large
/// tensors, and glibc would give them back to the kernel and fault them in again page by page: a
/// tenth of the time of a batch on a CPU. Call it first; does nothing where there is no glibc.
void keep_freed_memory();

}  // namespace epochcast::real
