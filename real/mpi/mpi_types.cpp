// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/mpi_types.hpp"

#include "real/mpi/mpi_call.hpp"

namespace epochcast::real {
namespace {

/// MPI's signature of an operation.
template <typename T>
void add_halves(void* from, void* to, int* count, MPI_Datatype*) {
  const T* const added = static_cast<const T*>(from);
  T* const sum = static_cast<T*>(to);
  for (int i = 0; i < *count; ++i) sum[i] = T(sum[i] + added[i]);
}

template <typename T>
MPI_Op sum_of_halves() {
  static const MPI_Op operation = [] {
    MPI_Op created = MPI_OP_NULL;
    check_mpi(MPI_Op_create(add_halves<T>, 1, &created), "MPI_Op_create");
    return created;
  }();
  return operation;
}

}  // namespace

MPI_Datatype mpi_type(Element element) {
  switch (element) {
    case Element::float16:
    case Element::bfloat16:
      return MPI_UINT16_T;
    case Element::int8:
      return MPI_INT8_T;
    case Element::int32:
      return MPI_INT32_T;
    case Element::int64:
      return MPI_INT64_T;
    case Element::byte:
      return MPI_UINT8_T;
    case Element::float32:
      break;
  }
  return MPI_FLOAT;
}

MPI_Op mpi_sum(Element element) {
  if (element == Element::float16) return sum_of_halves<Float16>();
  if (element == Element::bfloat16) return sum_of_halves<BFloat16>();
  return MPI_SUM;
}

}  // namespace epochcast::real
