// A stand-in for the model's API: a real HTTP server whose answers are scripted (script.h has the format).
//
// It serves POST /v1/messages (streamed or whole), /v1/messages/count_tokens, and /v1/messages/batches with GET, results, cancel
// and list. GET /journal gives every request it has received, one JSON object a line, so that a test can prove which calls were
// made and that none was made twice; DELETE /journal forgets them. One thread holds a thousand streams. Never linked into muster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "tests/claude/script.h"

namespace muster::stand_in {

struct Options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;   // 0: any
  std::string script;       // JSON; empty: Script::demo()
  std::string key;          // the only one that is let in; empty: any
  bool keep_bodies = true;  // in the journal; their hashes are there anyway
};

// One request as it came.
struct Seen {
  std::uint64_t number = 0;  // from 1
  std::string method;
  std::string path;
  std::string body;
  std::string sha256;  // of the body
  std::vector<std::string> custom_ids;
  std::map<std::string, std::string> headers;  // lower case; without the key
  std::string key;                             // never in the journal
};

class StandIn {
 public:
  // Listens and serves on a thread of its own.
  static Result<std::unique_ptr<StandIn>> start(Options options);
  ~StandIn();
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  std::uint16_t port() const;
  std::string url() const;  // http://HOST:PORT
  std::vector<Seen> seen() const;
  std::size_t seen(std::string_view path) const;  // requests of this path
  std::size_t connections() const;                // that were ever accepted
  std::size_t open_connections() const;

 private:
  class Server;
  explicit StandIn(std::unique_ptr<Server> server);
  std::unique_ptr<Server> server_;
};

}  // namespace muster::stand_in
