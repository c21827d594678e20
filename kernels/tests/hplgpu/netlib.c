// What Netlib's HPL makes of a problem: the solution that hpl-gpu's is compared with. One process, on the processor.
//
//   hpl_reference N NB >solution      N doubles
//   hpl_reference N >matrix           the N x (N + 1) matrix, by columns
#include <hpl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int HPCC_Defaults() { return 1; }

static HPL_T_palg settings(void) {
  HPL_T_palg algo = {0};
  algo.btopo = HPL_1RING;
  algo.depth = 0;
  algo.nbmin = 4;
  algo.nbdiv = 2;
  algo.pfact = HPL_RIGHT_LOOKING;
  algo.rfact = HPL_RIGHT_LOOKING;
  algo.pffun = HPL_pdpanrlN;
  algo.rffun = HPL_pdrpanrlN;
  algo.upfun = HPL_pdupdateNN;
  algo.fswap = HPL_SWAP00;
  algo.fsthr = 64;
  algo.equil = 0;
  algo.align = 8;
  return algo;
}

static void write_solution(int n, int nb) {
  HPL_T_grid grid;
  HPL_T_palg algo = settings();
  HPL_T_pmat mat = {0};
  const int ld = n + 8;
  HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, 1, 1, &grid);
  mat.n = n;
  mat.nb = nb;
  mat.mp = n;
  mat.nq = n + 1;
  mat.ld = ld;
  mat.A = calloc((size_t)ld * (size_t)(n + 2), sizeof(double));
  mat.X = mat.A + (size_t)ld * (size_t)(n + 1);
  HPL_pdmatgen(&grid, n, n + 1, nb, mat.A, ld, 100);
  HPL_pdgesv(&grid, &algo, &mat);
  fwrite(mat.X, sizeof(double), (size_t)n, stdout);
  free(mat.A);
  HPL_grid_exit(&grid);
}

static void write_matrix(int n) {
  double* a = malloc((size_t)n * (size_t)(n + 1) * sizeof(double));
  HPL_dmatgen(n, n + 1, a, n, 100);
  fwrite(a, sizeof(double), (size_t)n * (size_t)(n + 1), stdout);
  free(a);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  if (argc > 2) {
    write_solution(atoi(argv[1]), atoi(argv[2]));
  } else {
    write_matrix(atoi(argv[1]));
  }
  MPI_Finalize();
  return 0;
}
