// Many workers of AstraFlow on one thread: each acknowledges every dispatch at once, with a frame of its own, and sends its
// result, as the real one does with a handler that returns at once. A task is done when its result is acknowledged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/ws/frames.h"

namespace muster::bench::ws {

struct Outcome {
  double tasks_per_second = 0;
  double tasks = 0;
  double own_cpu_seconds = 0;  // what this thread took
  double seconds = 0;
};

class Workers {
 public:
  explicit Workers(int port);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // `count` more of them, each with so many slots, past the accept. Their first tasks wait for run().
  void join(std::size_t count, std::size_t max_parallel);
  // Answers tasks for that long. Results of what comes later are kept for the next run.
  Outcome run(double seconds);
  // Nothing but heartbeats, spread evenly: each worker beats once in `every` seconds.
  Outcome beat(double seconds, double every);

  const std::string& trouble() const { return trouble_; }  // the first thing that went wrong; empty: nothing

 private:
  enum class Stage : std::uint8_t { upgrading, handshaking, registering, ready };
  struct Worker {
    int fd = -1;
    Stage stage = Stage::upgrading;
    std::string instance;
    std::size_t max_parallel = 1;
    std::uint64_t counter = 2;
    std::uint64_t seen = 0;  // the last number of the server's
    std::uint64_t sent = 0;  // the last one of ours
    std::vector<Dispatch> kept;
    std::string in;
    std::string out;
    bool waits = false;  // for room to write
  };

  bool open(Worker& worker, std::size_t number, std::size_t max_parallel);
  bool serve_once(int wait_ms);  // false: nothing came
  void serve(Worker& worker, std::uint32_t events);
  void heard(Worker& worker, std::string_view text);
  void dispatched(Worker& worker, std::string_view text);
  void answer(Worker& worker, const Dispatch& dispatch);
  void beat(Worker& worker);
  void say(Worker& worker, std::string_view text);
  void flush(Worker& worker);

  int port_;
  int poll_ = -1;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t ready_ = 0;
  bool running_ = false;
  std::uint64_t done_ = 0;
  std::string text_;  // scratch
  std::string trouble_;
};

}  // namespace muster::bench::ws
