// The process that mpirun starts: HPL alone, out of the sources of the HPC Challenge suite, which has no main of its own for it.
// HPL reads hpccinf.txt from the working directory and prints its report on stdout.
#include <hpl.h>
#include <mpi.h>
#include <stdio.h>

int HPL_main(int argc, char** argv, HPL_RuntimeData* best, int* failure);

// HPL asks the suite for default settings when it cannot read its input. A run with settings nobody chose is worth nothing.
int HPCC_Defaults() {
  fprintf(stderr, "xhpl: reading hpccinf.txt failed\n");
  return MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char** argv) {
  HPL_RuntimeData best = {0};
  int failure = 0;
  MPI_Init(&argc, &argv);
  HPL_main(argc, argv, &best, &failure);
  MPI_Finalize();
  return failure ? 1 : 0;
}
