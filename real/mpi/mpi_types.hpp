// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include "core/payload.hpp"

namespace epochcast::real {

/// The type by which MPI moves elements. 16-bit floats, which MPI lacks, travel as integers.
[[nodiscard]] MPI_Datatype mpi_type(Element element);

/// The operation by which MPI adds elements of mpi_type(): of 16-bit floats one of our own, which
/// adds in float32 and rounds once. MPI has to be initialised.
[[nodiscard]] MPI_Op mpi_sum(Element element);

}  // namespace epochcast::real
