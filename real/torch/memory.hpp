// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast::real {

/// Makes malloc keep freed memory. Every batch allocates and frees the same large tensors, which
/// glibc would return to the kernel and fault in again: a tenth of the time of a batch on a CPU.
/// Call it first; without effect without glibc.
void keep_freed_memory();

}  // namespace epochcast::real
