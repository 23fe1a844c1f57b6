// A small RESP server for tests of the worker: a queue, a log of what was said, and answers that a test can change.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sdk/cpp/resp/address.h"
#include "sdk/cpp/resp/client.h"

namespace muster::worker {

using sdk::resp::Words;

class FakeServer {
 public:
  FakeServer();
  ~FakeServer();

  sdk::resp::Address address() const { return address_; }
  void push(std::string element);

  // The raw reply to a command, by its name, instead of the usual one. An empty reply closes the connection.
  void answer(const std::string& name, std::function<std::string(const Words&)> with);
  void send_push(std::string frame);  // to connections that said HELLO 3, before their next reply or while they wait
  void close_connections();
  void set_accepting(bool accepting) { accepting_ = accepting; }
  // Pops without an element wait until the client says more or leaves, however short a time it asked for.
  void make_pops_endless() { endless_pops_ = true; }

  std::vector<Words> said(const std::string& name) const;  // all commands of that name, in order
  std::vector<std::string> names() const;                  // names of all commands, in order
  bool wait_for(const std::function<bool()>& condition) const;
  bool wait_said(const std::string& name, std::size_t times) const;

  std::size_t connections_seen() const { return connections_.load(); }

 private:
  void accept_forever();
  void serve(int fd);
  struct Unread {
    std::string bytes;
    bool behind = false;  // further commands came together with the one that is answered
  };
  std::string reply_to(const Words& words, int fd, Unread& unread);
  std::string pop(const Words& words, int fd, Unread& unread);

  sdk::resp::Address address_;
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> accepting_{true};
  std::atomic<bool> endless_pops_{false};
  std::atomic<std::size_t> connections_{0};
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<std::string> queue_;
  std::vector<Words> log_;
  std::map<std::string, std::function<std::string(const Words&)>> answers_;
  std::map<int, bool> open_;  // fd, speaks RESP3
  std::string push_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

std::string bulk(const std::string& text);

}  // namespace muster::worker
