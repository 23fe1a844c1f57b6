// What an operator can set about the RESP front. Defaults are those of docs/limits.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "command/context.h"
#include "fronts/auth/authenticator.h"
#include "net/budget.h"
#include "net/tls.h"

namespace muster::resp {

// A key for AUTH. The operator's and workers' are 64 hexadecimal digits; tokens of [auth.tokens] are taken as they stand.
using Key = auth::Token;

struct Limits {
  std::size_t message_bytes_max = 10 * 1024 * 1024;   // of one command; "Message too large" and close beyond
  std::size_t value_bytes_max = 10 * 1024 * 1024;     // of one bulk string
  std::size_t elements_max = 1'000'000;               // of one array
  std::size_t depth_max = 7;                          // arrays in arrays
  std::size_t inline_bytes_max = 64 * 1024;           // of an inline command
  std::size_t unauthenticated_bytes_max = 64 * 1024;  // of one command before AUTH
  std::size_t unauthenticated_elements_max = 1'024;   // of one array before AUTH
  std::size_t connections_max = 20'000;               // one more is told so and closed
  std::size_t connections_per_address_max = 20'000;
  std::size_t pipeline_max = 10'000;                        // unanswered commands of one connection; reading pauses beyond
  std::size_t output_bytes_max = 64 * 1024 * 1024;          // unsent bytes of one connection; closed beyond
  std::size_t channels_max = 10'000;                        // subscriptions of one connection
  std::size_t channel_bytes_max = 4 * 1024 * 1024;          // of their names, and 256 each
  std::size_t channel_bytes_in_all_max = 64 * 1024 * 1024;  // the same of all connections
  Duration unauthenticated_idle{60'000};                    // closed
  Duration authenticate_within{120'000};                    // from the beginning of the connection: closed
  Duration frame_read{60'000};                              // from a command's first byte to its last: said so and closed
  Duration idle{0};                                         // of an authenticated connection; 0: never closed
  Duration write{30'000};                                   // without progress: closed
  Duration handshake{10'000};                               // TLS: closed
  // Caps of the original, off by default: 0 is no limit. Per minute.
  std::uint32_t plan_submits_per_minute = 0;
  std::uint32_t action_submits_per_minute = 0;
  std::uint32_t job_gets_per_minute = 0;
  std::uint32_t heartbeats_per_minute = 0;
  std::size_t workers_max = 0;
  std::size_t action_inputs_max = 100;  // of ACTION.SUBMIT; the native limit is limits::kActionJobsMax
};

// What the dialects disagree about; docs/protocol-resp.md has the table.
struct CompatFlags {
  bool pop_answers_pair = true;        // BRPOP of one key answers [key, element] as Redis does; false: the element alone
  bool pop_moves_document = false;     // BRPOPLPUSH out of a queue answers the job's JSON instead of its id
  bool ranges_with_scores = false;     // ZRANGE and ZRANGEBYSCORE always answer scores
  bool empty_inputs_run_once = false;  // ACTION.SUBMIT with [] makes one job with {}
  bool plans_overwrite = false;        // PLAN.SUBMIT of another text under a known id replaces it
  bool jobs_are_tasks = false;         // an action makes a job of every task of every input
  bool failures_retry = false;         // a job that a worker reports as failed is tried again by its policy
  bool flush_allowed = false;          // FLUSHDB and FLUSHALL
  bool auth_optional = false;          // commands before AUTH are the operator's; loopback only
};

struct Address {
  std::string host;  // an IP address or a name; the path of a Unix socket when is_unix
  std::uint16_t port = 0;
  bool is_unix = false;
};

struct RespOptions {
  std::vector<Address> addresses;
  net::TlsOptions tls;
  std::shared_ptr<net::ByteBudget> budget;  // shared with other fronts; null: the front has its own
  std::vector<Key> keys;
  std::shared_ptr<auth::Brake> brake;  // shared with the other fronts; null: one of its own
  Limits limits;
  CompatFlags compat_flags;
  Duration job_timeout{3'600'000};
  std::uint32_t job_attempts = 3;
  std::uint32_t job_rescues = 3;
  Duration output_kept{7 * 24 * 3'600'000LL};  // stdout and stderr that workers SET
  bool insecure = false;
};

}  // namespace muster::resp
