// What an operator can set about the WebSocket front. Defaults are those of docs/limits.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "fronts/auth/authenticator.h"
#include "session/ack.h"
#include "session/envelope.h"
#include "session/token.h"

namespace muster::ws {

using auth::AuthOptions;

class ExtensionHook;  // extensions.h

struct Limits {
  std::size_t sockets_max = 10'000;                  // 503 beyond
  std::size_t message_bytes_max = 16 * 1024 * 1024;  // closed with 1009 beyond
  std::size_t hello_bytes_max = 1024 * 1024;         // the same before the worker was let in
  std::size_t unsent_bytes_max = 8 * 1024 * 1024;    // of one socket that does not read: it is closed
  Duration hello{10'000};                            // to the first valid frame, and from there to register
  Duration close{5'000};                             // for the peer's goodbye
  Duration dispatch_ack{5'000};                      // protocol 1: then the task is given back
  std::uint32_t dispatch_attempts_max = 5;           // without an ack: E.DISPATCH.UNAVAILABLE
};

struct WsOptions {
  AuthOptions auth;
  std::shared_ptr<auth::Brake> brake;  // shared with the other fronts; null: one of its own
  Limits limits;
  std::string session_secret;  // signs session tokens; the same on all nodes of a cluster
  std::chrono::seconds token_life = session::kSessionTokenLife;
  std::uint32_t window = session::kSessionWindowMax;
  bool strict_results = false;                    // protocol 1: a result whose number leaves a gap is refused
  std::shared_ptr<ExtensionHook> extension_hook;  // gets extension frames; shared with whoever made it; null: nobody
};

}  // namespace muster::ws
