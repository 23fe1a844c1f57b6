#include "bench/resp/servers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "bench/row.h"

namespace muster::bench::resp {
namespace {

constexpr double kStartSeconds = 20;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int listen_somewhere(int& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(fd, SOMAXCONN) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    ::close(fd);
    return -1;
  }
  port = ntohs(address.sin_port);
  return fd;
}

// Free at this moment; good enough on a machine that is measured.
int free_port() {
  int port = 0;
  const int fd = listen_somewhere(port);
  if (fd >= 0) ::close(fd);
  return port;
}

pid_t spawn(const std::string& program, const std::vector<std::string>& words, int output) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::dup2(output, STDOUT_FILENO);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(program.c_str(), argv.data());
  ::_exit(127);
}

ProcessPtr spawn_on(const std::string& program, const std::vector<std::string>& words, int port) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t pid = spawn(program, words, nowhere);
  ::close(nowhere);
  const double until = seconds_now() + kStartSeconds;
  while (seconds_now() < until) {
    if (const int fd = connect_to(port); fd >= 0) {
      ::close(fd);
      return std::make_unique<Process>(pid, port);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::make_unique<Process>(pid, 0);
}

std::string ready_line(int output) {
  std::string text;
  std::array<char, 512> part{};
  while (text.find('\n') == std::string::npos) {
    const ssize_t got = ::read(output, part.data(), part.size());
    if (got <= 0) return {};
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

int port_in(const std::string& text, const std::string& wire) {
  const std::string before = wire + "=127.0.0.1:";
  const std::size_t at = text.find(before);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + before.size());
}

void answer_lines(int fd) {
  std::array<char, 16 * 1024> in{};
  const ssize_t got = ::read(fd, in.data(), in.size());
  if (got <= 0) {
    ::close(fd);
    return;
  }
  std::string out;
  for (ssize_t i = 0; i < got; ++i)
    if (in[static_cast<std::size_t>(i)] == '\n') out += "+PONG\r\n";
  if (!out.empty() && ::write(fd, out.data(), out.size()) < 0) ::close(fd);
}

[[noreturn]] void echo(int listener) {
  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{.events = EPOLLIN, .data = {.fd = listener}};
  ::epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
  std::array<epoll_event, 256> ready{};
  for (;;) {
    const int count = ::epoll_wait(poll, ready.data(), static_cast<int>(ready.size()), -1);
    for (int i = 0; i < count; ++i) {
      const int fd = ready[static_cast<std::size_t>(i)].data.fd;
      if (fd != listener) {
        answer_lines(fd);
        continue;
      }
      const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      const int one = 1;
      ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
      epoll_event joined{.events = EPOLLIN, .data = {.fd = client}};
      ::epoll_ctl(poll, EPOLL_CTL_ADD, client, &joined);
    }
  }
}

}  // namespace

Process::~Process() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  const double until = seconds_now() + kStartSeconds;
  while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (seconds_now() > until) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

double Process::cpu_seconds() const {
  std::ifstream in(fmt::format("/proc/{}/stat", pid_));
  std::string line;
  std::getline(in, line);
  std::istringstream rest(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::string skipped;
  double user = 0, system = 0;
  for (int i = 0; i < 11; ++i) rest >> skipped;
  rest >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

int connect_to(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(fd);
    return -1;
  }
  const int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  return fd;
}

ProcessPtr start_program(const std::vector<std::string>& words, const std::string& wire) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::make_unique<Process>(-1, 0);
  const pid_t pid = spawn(words.front(), words, ends[1]);
  ::close(ends[1]);
  const std::string line = ready_line(ends[0]);
  auto process = std::make_unique<Process>(pid, port_in(line, wire));
  process->set_http_port(port_in(line, "http"));
  ::close(ends[0]);
  return process;
}

ProcessPtr start_muster(const std::string& program, const std::string& folder, const std::vector<std::string>& more) {
  std::vector<std::string> words{program,       "serve",  "--data-dir",  folder,   "--resp",
                                 "127.0.0.1:0", "--http", "127.0.0.1:0", "--grpc", "off"};
  words.insert(words.end(), more.begin(), more.end());
  ProcessPtr process = start_program(words, "resp");
  std::ifstream key(folder + "/session.key");
  std::string text;
  key >> text;
  process->set_key(text);
  return process;
}

ProcessPtr start_redis(const std::string& folder, const std::string& fsync) {
  const int port = free_port();
  std::vector<std::string> words{"redis-server", "--port", std::to_string(port), "--bind", "127.0.0.1", "--save", "",
                                 "--dir",        folder};
  if (fsync == "no")
    words.insert(words.end(), {"--appendonly", "no"});
  else
    words.insert(words.end(), {"--appendonly", "yes", "--appendfsync", fsync});
  // One binary under several names: the tools' package brings it without the service.
  return spawn_on(is_installed("redis-server") ? "redis-server" : "redis-check-rdb", words, port);
}

ProcessPtr start_beanstalkd(const std::string& folder, int sync_every_ms) {
  const int port = free_port();
  return spawn_on("beanstalkd",
                  {"beanstalkd", "-l", "127.0.0.1", "-p", std::to_string(port), "-b", folder, fmt::format("-f{}", sync_every_ms)},
                  port);
}

ProcessPtr start_echo() {
  int port = 0;
  const int listener = listen_somewhere(port);
  const pid_t pid = ::fork();
  if (pid == 0) echo(listener);
  ::close(listener);
  return std::make_unique<Process>(pid, port);
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace muster::bench::resp
