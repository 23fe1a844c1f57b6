// A RESP client: blocking, one command or a pipeline at a time, connecting by itself when it is not connected.
//
//   Client client({.address = *parse_address("127.0.0.1:6380"), .key = key});
//   auto reply = client.call({"WORKERS.LIST"});
//
// connect() says AUTH, and HELLO 3 when asked to. An error reply (`-ERR …`) is a Value; an Error means that there is none: nobody
// was reached (unreachable: nothing was sent), or the connection broke with the answer still to come (outcome_unknown). After an
// Error other than interrupted or unavailable the connection is closed, and the next call makes a new one. How long to wait
// between tries is the caller's choice (Backoff). Used by one thread at a time; wake() may come from any.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sdk/cpp/resp/address.h"
#include "sdk/cpp/resp/parser.h"
#include "sdk/cpp/resp/stream.h"
#include "sdk/cpp/resp/value.h"
#include "sdk/cpp/result.h"

namespace muster::sdk::resp {

using Words = std::vector<std::string>;

struct ClientOptions {
  Address address;
  TlsOptions tls;
  std::string user;    // sent with the key when set: the worker this connection acts as
  std::string key;     // empty: no AUTH
  bool resp3 = false;  // ask for RESP3; a server that refuses is spoken to in RESP2
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds call_timeout{30'000};
};

class Client {
 public:
  explicit Client(ClientOptions options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Nothing to do when connected. unauthenticated: the server refused the key.
  Result<Nothing> connect();
  bool connected() const { return stream_ != nullptr; }
  bool speaks_resp3() const { return resp3_; }
  void close();

  // Connects when needed, sends and waits for the answer.
  Result<Value> call(const Words& words);

  // The halves of call(), for pipelines and for commands that wait at the server. Answers come in the order of the commands.
  Result<Nothing> send(const Words& words);
  // unavailable: none within `wait`; interrupted: woken. In both cases the answer is still to come and may be asked for again.
  Result<Value> receive(std::chrono::milliseconds wait);

  // What a RESP3 server says unasked. Called on the thread that receives.
  void on_push(std::function<void(Value)> handler) { push_ = std::move(handler); }
  // Reads what has come unasked, without waiting. REQUIRES: no answer is outstanding.
  Result<Nothing> read_pushes();

  // From any thread: the receive() under way, or the next one, returns interrupted.
  void wake();

 private:
  Result<Nothing> greet();
  Result<Value> exchange(const Words& words, std::chrono::milliseconds wait);

  ClientOptions options_;
  std::unique_ptr<Stream> stream_;
  Parser parser_;
  std::function<void(Value)> push_;
  bool resp3_ = false;
  int wake_fd_ = -1;
};

}  // namespace muster::sdk::resp
