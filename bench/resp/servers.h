// The servers of the RESP rows, each a child process on a free loopback port with its files in a scratch folder: ours, Redis,
// beanstalkd, and an echo that does nothing, which is what the network alone allows.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::bench::resp {

// Ended with the object. A server that did not come up has port 0.
class Process {
 public:
  Process(pid_t pid, int port) : pid_(pid), port_(port) {}
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  const std::string& key() const { return key_; }  // for AUTH; empty: none is asked for
  void set_key(std::string key) { key_ = std::move(key); }
  int http_port() const { return http_port_; }  // of ours; 0: none
  void set_http_port(int port) { http_port_ = port; }
  double cpu_seconds() const;  // user and system, so far

 private:
  pid_t pid_;
  int port_;
  int http_port_ = 0;
  std::string key_;
};

using ProcessPtr = std::unique_ptr<Process>;

ProcessPtr start_muster(const std::string& program, const std::string& folder, const std::vector<std::string>& more = {});
// fsync: everysec, always, or no (then nothing is written at all).
ProcessPtr start_redis(const std::string& folder, const std::string& fsync);
// milliseconds between two syncs; 0 syncs every write.
ProcessPtr start_beanstalkd(const std::string& folder, int sync_every_ms);
// Answers every line with +PONG.
ProcessPtr start_echo();
// Any program that prints a ready line with `<wire>=127.0.0.1:PORT`; its port is that of the wire.
ProcessPtr start_program(const std::vector<std::string>& words, const std::string& wire);

int connect_to(int port);  // blocking, or -1
bool is_installed(const std::string& program);

}  // namespace muster::bench::resp
