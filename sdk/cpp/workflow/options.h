// How to reach a server, and how steps are tried again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/result.h"
#include "sdk/cpp/time.h"

namespace muster::sdk::workflow {

struct Tls {
  std::string ca_file;           // PEM; empty: the system's
  std::string certificate_file;  // of this client, for servers that ask; with its key
  std::string key_file;
  std::string server_name;  // what the server's certificate must say; empty: the host of the address
};

struct Connection {
  std::string address = "127.0.0.1:50051";  // host:port; http:// and https:// in front are understood, the latter turns TLS on
  std::string ns = "default";
  std::string token;  // bearer; empty sends none
  std::optional<Tls> tls;
  Duration timeout{30'000};  // of one call; a wait adds its own
};

// invalid_argument: the address, the namespace, or files that cannot be read. Gives the address as gRPC takes it.
Result<Connection> checked(Connection connection);

// How a step that failed is tried again. What is not said is the run's policy, then the server's: 5 attempts, 1 s, doubling, 60
// s.
struct RetryPolicy {
  std::optional<std::int32_t> attempts_max;  // counting the first; negative: no limit
  std::optional<Duration> first_delay;
  std::optional<double> factor;
  std::optional<Duration> delay_max;
  std::vector<std::string> non_retryable;  // beginnings of error messages that end the step at once

  static RetryPolicy none() {
    RetryPolicy policy;
    policy.attempts_max = 1;
    return policy;
  }
};

// invalid_argument: zero attempts, a negative delay, a factor below 1.
Result<Nothing> validate(const RetryPolicy& policy);

}  // namespace muster::sdk::workflow
