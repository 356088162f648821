// SPDX-License-Identifier: Apache-2.0
// One MPI_Allreduce of argv[1] bytes; rank 0 prints the seconds until the last rank has the result.
// Runs under SimGrid's SMPI (tests/fidelity/smpi_test.cpp), not under a real MPI.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// Adding takes no simulated time on either side of the comparison; not adding keeps it fast.
static void add_nothing(void* in, void* in_out, int* count, MPI_Datatype* type) {
  (void)in;
  (void)in_out;
  (void)count;
  (void)type;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = atoi(argv[1]) / (int)sizeof(float);
  // All ranks may share one buffer: nobody looks at the numbers.
  float* sent = SMPI_SHARED_MALLOC((size_t)count * sizeof(float));
  float* received = SMPI_SHARED_MALLOC((size_t)count * sizeof(float));
  MPI_Op op;
  MPI_Op_create(add_nothing, 1, &op);

  // No barrier before: all ranks leave MPI_Init at time 0, and would leave a barrier one by one.
  const double start_s = MPI_Wtime();
  MPI_Allreduce(sent, received, count, MPI_FLOAT, op, MPI_COMM_WORLD);
  const double elapsed_s = MPI_Wtime() - start_s;

  double longest_s = 0;
  MPI_Reduce(&elapsed_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.9f\n", longest_s);
  SMPI_SHARED_FREE(sent);
  SMPI_SHARED_FREE(received);
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
