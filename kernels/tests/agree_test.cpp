// Run by mpirun with three ranks: every rank has to see what another rank complained of. Exit code 1 where one does not.
#include <functional>
#include <iostream>

#include "common/mpi/agree.hpp"

namespace {

using namespace assay;

int wrong = 0;

void expect(const std::string& name, const std::string& got, const std::string& wanted) {
  if (got == wanted) return;
  std::cerr << name << ": got \"" << got << "\", wanted \"" << wanted << "\"" << std::endl;
  ++wrong;
}

// What together() ends with: nothing, or "cannot run: ..." and the like.
std::string outcome(const std::function<void()>& step) {
  try {
    mpi::together(step);
  } catch (const CannotRun& reason) {
    return std::string("cannot run: ") + reason.what();
  } catch (const NotComparable& reason) {
    return std::string("not comparable: ") + reason.what();
  } catch (const Stopped& reason) {
    return std::string("stopped: ") + reason.what();
  } catch (const HardwareFault& fault) {
    return std::string("hardware: ") + fault.what();
  } catch (const std::exception& error) {
    return std::string("failed: ") + error.what();
  }
  return "";
}

void run() {
  const int rank = mpi::rank_in(MPI_COMM_WORLD);
  expect("nobody complains", outcome([] {}), "");
  expect("the last cannot", outcome([&] { if (rank == 2) throw CannotRun("no GPU"); }), "cannot run: rank 2: no GPU");
  expect("a failure counts for more", outcome([&] {
           if (rank == 1) throw CannotRun("no GPU");
           if (rank == 2) throw std::runtime_error("broken");
         }),
         "failed: rank 2: broken");
  expect("memory that somebody holds counts for more than too little of it", outcome([&] {
           if (rank == 0) throw CannotRun("too small");
           if (rank == 1) throw NotComparable("python3 holds 140000 MiB");
         }),
         "not comparable: rank 1: python3 holds 140000 MiB");
  expect("broken hardware counts for more than anything", outcome([&] {
           if (rank == 0) throw std::runtime_error("broken");
           if (rank == 1) throw HardwareFault("gpu0: uncorrectable ECC error");
           if (rank == 2) throw NotComparable("python3 holds 140000 MiB");
         }),
         "hardware: rank 1: gpu0: uncorrectable ECC error");
  expect("one is told to end", outcome([&] { if (rank == 1) throw Stopped("stopped by SIGTERM"); }), "stopped: rank 1: stopped by SIGTERM");
  expect("long text is cut", mpi::first_complaint(rank == 0 ? "" : std::string(2000, 'x')), "rank 1: " + std::string(511, 'x'));
  expect("two alike", std::to_string(mpi::ranks_with(rank == 0 ? "a" : "b")), rank == 0 ? "1" : "2");
  expect("ranks of this host", std::to_string(mpi::rank_on_host()), std::to_string(rank));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run();
  MPI_Finalize();
  return wrong > 0 ? 1 : 0;
}
