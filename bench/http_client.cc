// Sockets, a child process and a poll loop; nothing here is meant for anything but our own server on loopback.
#include "bench/http_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <charconv>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

namespace muster::bench {
namespace {

constexpr int kStartSeconds = 20;
constexpr std::size_t kReadBytes = 64 * 1024;

// The whole answer at the start of `text`, if it is there.
std::optional<std::size_t> answer_size(std::string_view text) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) return std::nullopt;
  const std::string_view headers = text.substr(0, head);
  std::size_t length = 0;
  for (std::size_t at = 0; at < headers.size();) {
    const std::size_t end = std::min(headers.find("\r\n", at), headers.size());
    const std::string_view line = headers.substr(at, end - at);
    constexpr std::string_view kName = "content-length:";
    if (line.size() > kName.size() && ::strncasecmp(line.data(), kName.data(), kName.size()) == 0) {
      std::string_view digits = line.substr(kName.size());
      digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
      std::from_chars(digits.data(), digits.data() + digits.size(), length);
    }
    at = end + 2;
  }
  const std::size_t whole = head + 4 + length;
  return text.size() >= whole ? std::optional(whole) : std::nullopt;
}

Answer parse_answer(std::string_view text) {
  Answer answer;
  if (text.size() > 12) std::from_chars(text.data() + 9, text.data() + 12, answer.status);
  answer.body = text.substr(text.find("\r\n\r\n") + 4);
  return answer;
}

}  // namespace

ServerProcess::ServerProcess(const std::string& program, const std::string& folder, const std::vector<std::string>& more) {
  std::vector<const char*> words{program.c_str(), "serve",  "--data-dir", folder.c_str(), "--http",
                                 "127.0.0.1:0",   "--resp", "off",        "--grpc",       "off"};
  for (const std::string& word : more) words.push_back(word.c_str());
  words.push_back(nullptr);
  int ends[2];
  if (::pipe(ends) != 0) return;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execv(program.c_str(), const_cast<char* const*>(words.data()));
    ::_exit(127);
  }
  ::close(ends[1]);
  output_ = ends[0];
  std::string text;
  pollfd wait{output_, POLLIN, 0};
  while (text.find('\n') == std::string::npos && ::poll(&wait, 1, kStartSeconds * 1000) > 0) {
    char buffer[512];
    const ssize_t got = ::read(output_, buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  constexpr std::string_view kMark = "http=127.0.0.1:";
  if (const std::size_t at = text.find(kMark); at != std::string::npos) port_ = std::atoi(text.c_str() + at + kMark.size());
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  if (output_ >= 0) ::close(output_);
}

int connect_loopback(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd);
    return -1;
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

std::string request_text(std::string_view method, std::string_view path, std::string_view body) {
  return fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                     method, path, body.size(), body);
}

std::string ask(int socket, const std::string& request) {
  for (std::size_t sent = 0; sent < request.size();) {
    const ssize_t n = ::send(socket, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return {};
    sent += static_cast<std::size_t>(n);
  }
  std::string in;
  while (!answer_size(in)) {
    char buffer[kReadBytes];
    const ssize_t n = ::recv(socket, buffer, sizeof buffer, 0);
    if (n <= 0) return {};
    in.append(buffer, static_cast<std::size_t>(n));
  }
  return std::string(parse_answer(in).body);
}

void drive(std::vector<Connection>& connections, const std::function<std::string(Connection&, const Answer&)>& next) {
  std::vector<pollfd> polls(connections.size());
  std::size_t open = connections.size();
  const auto flush = [](Connection& c) {
    while (c.sent < c.out.size()) {
      const ssize_t n = ::send(c.socket, c.out.data() + c.sent, c.out.size() - c.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n <= 0) return;
      c.sent += static_cast<std::size_t>(n);
    }
  };
  for (std::size_t i = 0; i < connections.size(); ++i) {
    connections[i].out = next(connections[i], {});
    connections[i].sent = 0;
    flush(connections[i]);
    polls[i] = {connections[i].socket, POLLIN, 0};
  }
  while (open > 0 && ::poll(polls.data(), polls.size(), 10'000) > 0) {
    for (std::size_t i = 0; i < connections.size(); ++i) {
      Connection& c = connections[i];
      if (polls[i].fd < 0 || polls[i].revents == 0) continue;
      char buffer[kReadBytes];
      const ssize_t n = ::recv(c.socket, buffer, sizeof buffer, MSG_DONTWAIT);
      bool ended = n == 0;
      if (n > 0) c.in.append(buffer, static_cast<std::size_t>(n));
      if (const auto whole = answer_size(c.in); !ended && whole) {
        c.out = next(c, parse_answer(std::string_view(c.in).substr(0, *whole)));
        c.in.erase(0, *whole);
        c.sent = 0;
        flush(c);
        ended = c.out.empty();
      }
      if (ended) {
        polls[i].fd = -1;
        --open;
      }
    }
  }
}

std::string member(std::string_view json, std::string_view key) {
  const std::string mark = fmt::format("\"{}\":", key);
  std::size_t at = json.find(mark);
  if (at == std::string_view::npos) return {};
  at += mark.size();
  while (at < json.size() && json[at] == ' ') ++at;
  if (at < json.size() && json[at] == '"') return std::string(json.substr(at + 1, json.find('"', at + 1) - at - 1));
  const std::size_t end = json.find_first_not_of("0123456789", at);
  return std::string(json.substr(at, std::min(end, json.size()) - at));
}

}  // namespace muster::bench
