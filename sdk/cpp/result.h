// The error channel of the SDK: Error and Result<T>. Nothing in this library throws across its headers.
//
// The codes are those of docs/protocol-http.md plus three that only a client can see. A code says what to do next; `detail` is
// for people; `status` is the HTTP status, 0 when no answer came.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace muster::sdk {

enum class Code : std::uint8_t {
  invalid_argument,
  unauthenticated,
  permission_denied,
  not_found,
  already_exists,
  conflict,
  lease_lost,
  exhausted,
  unavailable,
  outcome_unknown,
  corrupt,
  internal,
  unreachable,  // no connection could be made: nothing was sent
  interrupted,  // Client::interrupt() ended the call
  bad_reply,    // an answer came that is not of this protocol
};

std::string_view to_string(Code code);
std::optional<Code> parse_code(std::string_view name);

struct Error {
  Code code = Code::internal;
  int status = 0;
  std::string detail;
  std::optional<std::chrono::seconds> retry_after;

  // "code: detail".
  std::string text() const;
  // Trying the same call again can help, and does no harm when it is idempotent.
  bool transient() const;
};

// Stands for "it worked and there is nothing more to say".
struct Nothing {};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit, as in `return job;`
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit, as in `return error;`

  bool ok() const { return state_.index() == 0; }
  // REQUIRES: !ok().
  const Error& error() const { return *std::get_if<1>(&state_); }
  // REQUIRES: ok().
  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace muster::sdk
