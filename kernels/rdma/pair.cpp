#include "rdma/pair.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "common/program.hpp"
#include "common/stop.hpp"

namespace assay::rdma {
namespace {

constexpr int kExchange = 1;
constexpr int kTelling = 2;
constexpr int kTickMilliseconds = 50;

int bytes(const std::string& text) { return static_cast<int>(text.size()); }

std::string receive(int from, int tag) {
  MPI_Status status;
  MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_CHAR, &count);
  std::string text(static_cast<std::size_t>(count), ' ');
  MPI_Recv(text.data(), count, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return text;
}

}  // namespace

Pair::Pair(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Pair::~Pair() { MPI_Finalize(); }

std::string Pair::exchange(const std::string& own) const {
  MPI_Request sending = MPI_REQUEST_NULL;
  MPI_Isend(own.data(), bytes(own), MPI_CHAR, 1 - rank_, kExchange, MPI_COMM_WORLD, &sending);
  std::string other = receive(1 - rank_, kExchange);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  return other;
}

void Pair::tell(const std::string& text) const { MPI_Send(text.data(), bytes(text), MPI_CHAR, 1 - rank_, kTelling, MPI_COMM_WORLD); }

bool Pair::told() const {
  int there = 0;
  MPI_Iprobe(1 - rank_, kTelling, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  return there != 0;
}

std::string Pair::hear() const {
  while (!told()) {
    throw_if_stopped();
    poll(nullptr, 0, kTickMilliseconds);
  }
  return receive(1 - rank_, kTelling);
}

std::string address_of(const std::string& interface) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) throw std::runtime_error(std::string("listing network interfaces: ") + std::strerror(errno));
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(list, freeifaddrs);
  for (const ifaddrs* i = list; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    const bool usable = (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_LOOPBACK) == 0;
    if (interface.empty() ? !usable : interface != i->ifa_name) continue;
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr, text, sizeof text);
    return text;
  }
  throw CannotRun("no interface " + (interface.empty() ? std::string("but the loopback") : interface) + " has an IPv4 address: name another one by --interface");
}

int free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t length = sizeof address;
  const bool found = listener >= 0 && bind(listener, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  const int why = errno;
  if (listener >= 0) close(listener);
  if (!found) throw std::runtime_error(std::string("finding a free TCP port: ") + std::strerror(why));
  return ntohs(address.sin_port);
}

}  // namespace assay::rdma
