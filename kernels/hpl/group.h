/* Lets ranks that somebody else's mpirun started agree on a problem. C, because HPL's headers are. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* After MPI_Init, on all ranks, with xhpl's arguments: memory fraction, order (0: from the fraction), block size. The working
   directory of the first rank then holds HPL's input. Returns 0, or the exit code to end with. */
int assay_prepare_group(char** arguments);

/* Prints HPL's report on stdout where it was written: by the first rank. Returns 0, or the exit code to end with. */
int assay_print_report(void);

#ifdef __cplusplus
}
#endif
