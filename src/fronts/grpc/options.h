// What an operator can set about the gRPC front. Defaults are those of docs/limits.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "fronts/auth/authenticator.h"
#include "model/worker.h"
#include "net/budget.h"
#include "net/tls.h"

namespace muster::rpc {

using auth::Token;

struct Limits {
  std::size_t message_bytes_max = 4 * 1024 * 1024;  // of a request; RESOURCE_EXHAUSTED beyond
  std::size_t payload_bytes_max = 2 * 1024 * 1024;  // input, output, step data, context; INVALID_ARGUMENT beyond
  std::size_t calls_max = 50'000;                   // open calls; RESOURCE_EXHAUSTED beyond
  std::size_t watches_max = 1'000;                  // open streams of Health/Watch, which needs no token; RESOURCE_EXHAUSTED
  std::size_t watches_per_address_max = 100;        // the same from one address
  std::size_t streams_per_connection_max = 10'000;  // calls of one connection; its client holds further ones back
  std::size_t connections_max = 10'000;             // of the listener; closed beyond
  Duration keepalive{0};                            // pings to quiet clients; 0: none
  Duration keepalive_accepted{10'000};              // clients may ping this often
};

// What the dialects leave to the server; docs/protocol-grpc.md has the table.
struct CompatFlags {
  Duration poll_wait{60'000};  // the longest hold of an empty poll; stays below the 65 s of clients
  Duration refused_poll_hold{
      1'000};                        // a poll of a worker that may not poll is answered this late: its client polls again at once
  bool steps_retry = true;           // K0: a failed step's retry re-queues the run; false: the client's FailWorkflow ends it
  bool plain_errors = false;         // K0: errors of runs and steps as plain text, for clients older than ErrorDetail
  Duration heartbeat_every{10'000};  // told to workers at registration
  Duration dead_after{30'000};       // and what silence means
  // V1: for how long a run is leased at the claim, what each beat adds to that, and how far ahead of now that may lead. The
  // worker's silence does not end it.
  Duration run_lease{60'000};
  Duration run_lease_per_beat{45'000};
  Duration run_lease_max{5 * 60'000};
};

struct GrpcOptions {
  std::string address = "127.0.0.1";  // empty: no listener of its own
  std::uint16_t port = 50051;         // 0 picks a free one
  net::TlsOptions tls;
  std::shared_ptr<net::ByteBudget> budget;  // shared with other fronts; null: the listener has its own
  std::vector<Token> tokens;
  bool auth_required = false;
  std::shared_ptr<auth::Brake> brake;  // shared with the other fronts; null: one of its own
  Limits limits;
  CompatFlags compat_flags;
  bool insecure = false;
};

}  // namespace muster::rpc
