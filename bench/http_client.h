// A lean HTTP/1.1 client for measuring: keep-alive connections on loopback, one request in flight on each, all driven by one poll
// loop.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::bench {

// A server of our own, started for one measurement and stopped with it.
class ServerProcess {
 public:
  // Starts `program serve` on a free port in `folder`, with `more` arguments, and waits for its ready line. port() is 0 when
  // it did not come.
  ServerProcess(const std::string& program, const std::string& folder, const std::vector<std::string>& more = {});
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  int port() const { return port_; }
  int pid() const { return pid_; }

 private:
  int pid_ = -1;
  int port_ = 0;
  int output_ = -1;
};

int connect_loopback(int port);  // a blocking socket, or -1
std::string request_text(std::string_view method, std::string_view path, std::string_view body);
// Sends and waits for the whole answer; returns its body, or empty when the connection broke.
std::string ask(int socket, const std::string& request);

struct Answer {
  int status = 0;
  std::string_view body;
};

// Each connection asks `next` for its following request, with the answer before it; an empty text ends that connection's part.
struct Connection {
  int socket = -1;
  std::size_t index = 0;
  std::string out;
  std::size_t sent = 0;
  std::string in;
};
void drive(std::vector<Connection>& connections, const std::function<std::string(Connection&, const Answer&)>& next);

// The text of a JSON member `"key":"…"` or the digits of `"key":…`; empty when it is not there. Enough for our own server's
// answers.
std::string member(std::string_view json, std::string_view key);

}  // namespace muster::bench
