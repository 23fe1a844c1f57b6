// A load of many connections on one thread: each repeats a cycle of phases, a phase being a run of equal commands that are sent
// together and answered together. A cycle of three phases of one command each is a life without pipelining.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/resp/servers.h"

namespace muster::bench::resp {

// One job on its way, or one plain command.
struct Slot {
  std::string id;
  std::size_t number = 0;
};

// How a system is asked. Replies are cut by `end_of`.
class Wire {
 public:
  virtual ~Wire() = default;
  // What a new connection says first; one reply is read for it. Empty: nothing.
  virtual std::string hello() const { return {}; }
  virtual void request(std::size_t step, Slot& slot, std::string& out) = 0;
  // False: this reply is not what was asked for; the run ends.
  virtual bool reply(std::size_t step, std::string_view text, Slot& slot) = 0;
  // Bytes of the first whole reply in `in`, or 0.
  virtual std::size_t end_of(std::size_t step, std::string_view in) const = 0;
};

struct Phase {
  std::size_t step = 0;
  std::size_t count = 1;
};

struct Load {
  std::size_t connections = 1;
  std::vector<Phase> cycle;
  std::size_t lives_per_cycle = 1;
  double seconds = 1;
};

struct Outcome {
  double lives_per_second = 0;
  double lives = 0;
  std::vector<std::vector<double>> seconds_of;  // by phase of the cycle: from its first byte sent to its last answer
  std::string trouble;                          // the first unexpected reply; empty: none
};

Outcome run(const Process& server, Wire& wire, const Load& load);

// The end of the first RESP value in `in` from `at`, or 0 when it is not complete.
std::size_t resp_end(std::string_view in, std::size_t at = 0);
// *n\r\n$len\r\n… appended.
void resp_command(std::string& out, const std::vector<std::string_view>& words);

}  // namespace muster::bench::resp
