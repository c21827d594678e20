// Stands in for perftest's ib_write_bw: a server that waits for one connection and ends, and a client that makes it and prints a table like
// perftest's. Usage as perftest's: with an address behind the options it is the client. FAKE_FAILS names a device on which the client fails,
// FAKE_DEAF one on which the server ends at once.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool names(const char* variable, const std::string& device) {
  const char* value = std::getenv(variable);
  return value != nullptr && device == value;
}

int serve(const sockaddr_in& address) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(listener, 1) != 0) return 1;
  return accept(listener, nullptr, nullptr) >= 0 ? 0 : 1;
}

void print(const std::string& device, const std::string& bytes, const std::string& iterations) {
  const std::string rule(87, '-');
  std::printf("%s\n                    RDMA_Write BW Test\n Dual-port       : OFF\t\tDevice         : %s\n%s\n", rule.c_str(), device.c_str(), rule.c_str());
  std::printf(" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n");
  std::printf(" %s    %s             394.82             394.61 \t\t   0.047041\n%s\n", bytes.c_str(), iterations.c_str(), rule.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  std::string device, bytes, iterations, server;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "-F" || word == "--report_gbits") continue;
    if (word[0] != '-') server = word;
    else if (++i == argc) return 2;
    else if (word == "-d") device = argv[i];
    else if (word == "-s") bytes = argv[i];
    else if (word == "-n") iterations = argv[i];
    else if (word == "-p") address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[i])));
  }
  if (server.empty()) return names("FAKE_DEAF", device) ? 1 : serve(address);
  if (names("FAKE_FAILS", device)) return 1;  // and never calls
  if (inet_pton(AF_INET, server.c_str(), &address.sin_addr) != 1) return 1;
  if (connect(socket(AF_INET, SOCK_STREAM, 0), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    std::fprintf(stderr, "Couldn't connect to %s\n", server.c_str());
    return 1;
  }
  print(device, bytes, iterations);
  return 0;
}
