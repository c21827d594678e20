#include "mpibench/point.hpp"

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace assay::mpibench {
namespace {

constexpr int kDataTag = 100;
constexpr int kAnswerTag = 101;
constexpr int kMostPlaces = 64;

// Short messages of a window each have a place of their own. Long ones share places, as all of OSU's do: a window of them
// would be measured by how fast memory takes them in. What is sent is the same every time, so the shared place is right too.
constexpr std::size_t kLeastBufferBytes = 4 << 20;

bool receives(Traffic traffic, const Role& role) { return role.pair >= 0 && (traffic != Traffic::OneWay || !role.leads); }

}  // namespace

Point::Point(Place place, int own, std::size_t most_bytes)
    : own_(own), send_(place, std::max(most_bytes, kLeastBufferBytes)), receive_(place, std::max(most_bytes, kLeastBufferBytes)) {}

int Point::places(Traffic traffic, std::size_t bytes) const {
  if (traffic == Traffic::PingPong) return 1;
  return static_cast<int>(std::min<std::size_t>(send_.bytes() / bytes, kMostPlaces));
}

std::size_t Point::offset(std::size_t bytes, int message) const {
  return static_cast<std::size_t>(message % places(Traffic::OneWay, bytes)) * bytes;
}

void Point::prepare(Traffic traffic, const Role& role, std::size_t bytes) {
  if (role.pair < 0) return;
  for (int message = 0; message < places(traffic, bytes); ++message) {
    const auto number = static_cast<std::size_t>(message);
    send_.write(offset(bytes, message), message_content(own_, number, bytes));
    receive_.write(offset(bytes, message), poison_for(message_content(role.peer, number, bytes)));
  }
}

int Point::wrong_messages(Traffic traffic, const Role& role, std::size_t bytes, bool damage) const {
  if (!receives(traffic, role)) return 0;
  if (damage) flip_bit(receive_, bytes / 3);
  int wrong = 0;
  for (int message = 0; message < places(traffic, bytes); ++message) {
    const auto expected = message_content(role.peer, static_cast<std::size_t>(message), bytes);
    wrong += receive_.read(offset(bytes, message), bytes) == expected ? 0 : 1;
  }
  return wrong;
}

double Point::run(Traffic traffic, const Role& role, std::size_t bytes, const Load& load) const {
  if (role.pair < 0) return 0;
  const double start = MPI_Wtime();
  switch (traffic) {
    case Traffic::PingPong: ping_pong(role, bytes, load.iterations); break;
    case Traffic::OneWay: one_way(role, bytes, load); break;
    case Traffic::BothWays: both_ways(role, bytes, load); break;
  }
  return MPI_Wtime() - start;
}

void Point::ping_pong(const Role& role, std::size_t bytes, int iterations) const {
  const int count = static_cast<int>(bytes);
  for (int i = 0; i < iterations; ++i) {
    if (role.leads) {
      MPI_Send(send_.at(0), count, MPI_BYTE, role.peer, kDataTag, MPI_COMM_WORLD);
      MPI_Recv(receive_.at(0), count, MPI_BYTE, role.peer, kDataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(receive_.at(0), count, MPI_BYTE, role.peer, kDataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(send_.at(0), count, MPI_BYTE, role.peer, kDataTag, MPI_COMM_WORLD);
    }
  }
}

void Point::one_way(const Role& role, std::size_t bytes, const Load& load) const {
  const int count = static_cast<int>(bytes);
  std::vector<MPI_Request> requests(static_cast<std::size_t>(load.window));
  int answer = 0;
  for (int i = 0; i < load.iterations; ++i) {
    for (int message = 0; message < load.window; ++message) {
      MPI_Request& request = requests[static_cast<std::size_t>(message)];
      if (role.leads) {
        MPI_Isend(send_.at(offset(bytes, message)), count, MPI_BYTE, role.peer, kDataTag, MPI_COMM_WORLD, &request);
      } else {
        MPI_Irecv(receive_.at(offset(bytes, message)), count, MPI_BYTE, role.peer, kDataTag, MPI_COMM_WORLD, &request);
      }
    }
    MPI_Waitall(load.window, requests.data(), MPI_STATUSES_IGNORE);
    if (role.leads) {
      MPI_Recv(&answer, 1, MPI_INT, role.peer, kAnswerTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(&answer, 1, MPI_INT, role.peer, kAnswerTag, MPI_COMM_WORLD);
    }
  }
}

void Point::both_ways(const Role& role, std::size_t bytes, const Load& load) const {
  const int count = static_cast<int>(bytes);
  std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(load.window));
  for (int i = 0; i < load.iterations; ++i) {
    MPI_Request* request = requests.data();
    for (int message = 0; message < load.window; ++message) {
      MPI_Irecv(receive_.at(offset(bytes, message)), count, MPI_BYTE, role.peer, kDataTag, MPI_COMM_WORLD, request++);
    }
    for (int message = 0; message < load.window; ++message) {
      MPI_Isend(send_.at(offset(bytes, message)), count, MPI_BYTE, role.peer, kDataTag, MPI_COMM_WORLD, request++);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
}

}  // namespace assay::mpibench
