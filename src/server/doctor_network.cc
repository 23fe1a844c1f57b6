#include <dirent.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "server/doctor.h"

namespace muster::server {
namespace {

constexpr std::string_view kListenState = "0A";  // of /proc/net/tcp

// The inode of the socket that listens on the port, from the kernel's table.
std::optional<std::string> listening_inode(std::uint16_t port) {
  const std::string wanted = fmt::format(":{:04X}", port);
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream in(table);
    std::string line;
    while (std::getline(in, line)) {
      std::istringstream fields(line);
      std::string slot, local, remote, state, queues, timer, retransmits, uid, timeout, inode;
      fields >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> uid >> timeout >> inode;
      if (state == kListenState && local.ends_with(wanted)) return inode;
    }
  }
  return std::nullopt;
}

// "pid 17 (nginx)"; empty when it belongs to another user, whose descriptors cannot be read.
std::string owner_of(const std::string& inode) {
  const std::string wanted = fmt::format("socket:[{}]", inode);
  std::error_code error;
  for (const auto& process : std::filesystem::directory_iterator("/proc", error)) {
    const std::string pid = process.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code unreadable;
    for (const auto& descriptor : std::filesystem::directory_iterator(process.path() / "fd", unreadable)) {
      std::error_code gone;
      if (std::filesystem::read_symlink(descriptor.path(), gone) != wanted) continue;
      std::ifstream in(process.path() / "comm");
      std::string name;
      std::getline(in, name);
      return fmt::format("pid {} ({})", pid, name);
    }
  }
  return {};
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

// 0, or the error of binding a socket there.
int try_bind(const HostPort& address, std::string& resolve_error) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* list = nullptr;
  if (const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list); error != 0) {
    resolve_error = ::gai_strerror(error);
    return EADDRNOTAVAIL;
  }
  const std::unique_ptr<addrinfo, FreeAddresses> owned(list);
  const int fd = ::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // A listening socket of somebody else shows at listen() at the latest.
  const int error = ::bind(fd, list->ai_addr, list->ai_addrlen) != 0 || ::listen(fd, 1) != 0 ? errno : 0;
  ::close(fd);
  return error;
}

struct Listening {
  std::string name;  // "http port"
  std::string flag;
  HostPort address;
};

std::string text_of(const HostPort& address) {
  return address.host.find(':') == std::string::npos ? fmt::format("{}:{}", address.host, address.port)
                                                     : fmt::format("[{}]:{}", address.host, address.port);
}

Finding check_port(const Listening& listening) {
  const std::string text = text_of(listening.address);
  if (listening.address.port == 0) return good(listening.name, text + " picks a free one");
  std::string resolve_error;
  const int error = try_bind(listening.address, resolve_error);
  if (error == 0) return good(listening.name, text + " is free");
  if (error != EADDRINUSE)
    return {.name = listening.name,
            .grade = Grade::fail,
            .text = fmt::format("{}: {}", text, resolve_error.empty() ? std::strerror(error) : resolve_error.c_str()),
            .remedy = fmt::format("give an address of this machine with {}", listening.flag)};
  const auto inode = listening_inode(listening.address.port);
  const std::string owner = inode ? owner_of(*inode) : std::string();
  if (owner.ends_with("(muster)")) return good(listening.name, fmt::format("{} is held by {}", text, owner));
  return {.name = listening.name,
          .grade = Grade::fail,
          .text = fmt::format("{} is held by {}", text, owner.empty() ? "another process" : owner),
          .remedy = fmt::format("stop that process, or give another {} HOST:PORT", listening.flag)};
}

// The socket itself is taken over when its process is gone; what can stand in the way is its folder.
Finding check_socket_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return good("resp socket", fmt::format("unix:{}", path));
  return {.name = "resp socket",
          .grade = Grade::fail,
          .text = fmt::format("unix:{}: cannot write to {}: {}", path, folder, std::strerror(errno)),
          .remedy = "create the folder, or give another --resp unix:PATH"};
}

}  // namespace

std::vector<Finding> check_ports(const Config& config) {
  std::vector<Finding> out;
  if (const auto http = config.http())
    out.push_back(check_port({.name = "http port", .flag = "--http", .address = *http}));
  else
    out.push_back(good("http port", "off"));
  if (const auto grpc = config.grpc())
    out.push_back(check_port({.name = "grpc port", .flag = "--grpc", .address = *grpc}));
  else
    out.push_back(good("grpc port", "off"));
  if (const auto everything = config.everything())
    out.push_back(check_port({.name = "listen port", .flag = "--listen", .address = *everything}));
  const std::vector<ListenAddress> resp = config.resp();
  if (resp.empty()) out.push_back(good("resp port", "off"));
  for (const ListenAddress& address : resp) {
    if (address.is_unix)
      out.push_back(check_socket_folder(address.host));
    else
      out.push_back(check_port({.name = "resp port", .flag = "--resp", .address = {.host = address.host, .port = address.port}}));
  }
  return out;
}

}  // namespace muster::server
