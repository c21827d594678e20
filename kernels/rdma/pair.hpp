// Two ranks of an MPI program, on two hosts: what they tell each other.
#pragma once

#include <mpi.h>

#include <string>

namespace assay::rdma {

class Pair {
 public:
  Pair(int* argc, char*** argv);
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  int size() const { return size_; }
  bool serves() const { return rank_ == 0; }  // the server's rank speaks for both

  // Gives text to the other rank, and returns the other's. Both call it.
  std::string exchange(const std::string& own) const;

  void tell(const std::string& text) const;  // the other rank, which calls hear
  bool told() const;                         // whether the other has told something that was not heard yet
  std::string hear() const;                  // waits with little load, and until told to stop

 private:
  int rank_ = 0;
  int size_ = 1;
};

// The IPv4 address of an interface, of the first that is up and not the loopback where the name is empty. Throws CannotRun without one.
std::string address_of(const std::string& interface);

// A TCP port that nobody uses now.
int free_port();

}  // namespace assay::rdma
