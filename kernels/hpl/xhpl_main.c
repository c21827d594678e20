// The process that mpirun starts: HPL alone, out of the sources of the HPC Challenge suite, which has no main of its own for it.
// HPL reads hpccinf.txt from the working directory, which hpl wrote; or, with arguments, the ranks choose the problem together.
#include <hpl.h>
#include <mpi.h>
#include <stdio.h>

#include "hpl/group.h"

int HPL_main(int argc, char** argv, HPL_RuntimeData* best, int* failure);

// HPL asks the suite for default settings when it cannot read its input. A run with settings nobody chose is worth nothing.
int HPCC_Defaults() {
  fprintf(stderr, "xhpl: reading hpccinf.txt failed\n");
  return MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char** argv) {
  HPL_RuntimeData best = {0};
  int failure = 0;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int is_group = argc == 4;
  if (is_group) {
    const int code = assay_prepare_group(argv + 1);
    if (code != 0) {
      fflush(stdout);
      MPI_Barrier(MPI_COMM_WORLD);  // mpirun ends all ranks when one has failed: not before the first has said why
      MPI_Finalize();
      return code;
    }
  }
  HPL_main(argc, argv, &best, &failure);
  if (is_group && rank == 0 && assay_print_report() != 0) failure = 1;
  MPI_Finalize();
  return failure ? 1 : 0;
}
