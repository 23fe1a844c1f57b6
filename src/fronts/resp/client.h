// What is known about one connection: who it is, what it speaks, which worker it acts as and what that worker took through it.
//
// Lives on the loop's thread. The session owns it and calls still under way share it, so it can outlive its connection.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "command/context.h"
#include "command/keys.h"
#include "fronts/resp/wire/writer.h"
#include "model/ids.h"
#include "model/job.h"

namespace muster::resp {

enum class ClientId : std::uint64_t {};

// How a connection came to act as a worker, which decides what its end means.
enum class Bond : std::uint8_t {
  none,        // acts as the node's anonymous worker when it takes jobs
  pinged,      // PING <id> or SET worker:<id>:tools: it works on one job at a time and its end is the worker's end
  registered,  // WORKER.REGISTER: its end is silence, to be judged by the heartbeat
};

// A job that was taken through a connection.
struct HeldJob {
  Fence fence{};
  bool on_its_way = true;  // the reply that carries it has not left yet
};

class Client {
 public:
  ClientId id{};
  std::string address;  // of the peer, without port
  Instant connected_at{};
  Instant active_at{};  // of its last command
  std::string name;     // CLIENT SETNAME
  std::string library;
  std::string library_version;
  std::string last_command;
  Protocol protocol = Protocol::resp2;
  bool authenticated = false;
  bool auth_needed = true;  // false: the listener lets everybody act as the operator
  command::Caller caller;   // role, token name; worker: the one its key is for
  std::string key_digest;   // of the key it gave; empty: none was needed
  bool pairs = true;        // pops of one key answer [key, element]; not by CompatFlags or CLIENT DIALECT agq

  Bond bond = Bond::none;
  WorkerId worker;                // set with the bond
  SessionId session{};            // of that worker
  std::map<JobId, HeldJob> held;  // what was taken through this connection and has not ended

  std::size_t answer_bytes = 0;            // of answers that wait for their turn
  std::vector<store::KeyVersion> watched;  // as they were: WATCH

  std::size_t subscriptions = 0;       // channels and patterns; more than none: only a few commands are allowed in RESP2
  std::size_t subscription_bytes = 0;  // of their names

  std::string ended_because;  // the server closes it for this; empty: it does not, or the peer left

  bool open() const { return open_; }
  void set_closed() { open_ = false; }

 private:
  bool open_ = true;
};

}  // namespace muster::resp
