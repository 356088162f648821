// SPDX-License-Identifier: Apache-2.0
#include "core/job/device_precision.hpp"

#include "base/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast {
namespace {

TEST_CASE("a CPU computes in float32 and bfloat16, takes tf32 as float32 and refuses float16") {
  CHECK(device_precision(Precision::float32, "cpu").precision == Precision::float32);
  CHECK(device_precision(Precision::float32, "cpu").note.empty());
  CHECK(device_precision(Precision::bfloat16, "cpu").precision == Precision::bfloat16);
  const DevicePrecision tf32 = device_precision(Precision::tf32, "cpu");
  CHECK(tf32.precision == Precision::float32);
  CHECK(tf32.note == "cpu has no tf32: float32 was computed there, as PyTorch does");
  CHECK(tests::problems_of([] {
          static_cast<void>(device_precision(Precision::float16, "cpu"));
        }) == tests::Texts{"--precision: float16 needs a GPU; on a CPU choose bfloat16, which "
                           "needs no scaling of the loss, or float32"});
}

TEST_CASE("a rehearsal computes in float32 what its device cannot compute, and says so") {
  const DevicePrecision rehearsed = rehearsed_precision(Precision::float16, "cpu");

  CHECK(rehearsed.precision == Precision::float32);
  CHECK(rehearsed.note ==
        "numbers were computed in float32, not in float16: cpu does not compute in it");
  CHECK(rehearsed_precision(Precision::float32, "cpu").note.empty());
}

TEST_CASE("a processor has bfloat16 by one of its flags, as a whole word") {
  CHECK(has_bfloat16("flags\t\t: fpu avx512_bf16 avx512_fp16\n"));
  CHECK(has_bfloat16("flags\t\t: fpu amx_bf16\nbugs\t\t: none\n"));
  CHECK(has_bfloat16("Features\t: fp asimd bf16\n"));
  CHECK(has_bfloat16("flags\t\t: avx512_bf16"));
  CHECK_FALSE(has_bfloat16("flags\t\t: fpu avx512f avx512_bf160\n"));
  CHECK_FALSE(has_bfloat16("flags\t\t: fpu avx2\n"));
}

}  // namespace
}  // namespace epochcast
