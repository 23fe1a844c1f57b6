// The one error channel between layers: Status and Result<T>.
//
// A Code tells the caller what to do next, not what went wrong inside; the message is for people and names the thing,
// the value and the accepted range. Exceptions of a library are caught in the folder that wraps it and become a Status
// there. Each code has a page in docs/errors/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace muster {

enum class Code {
  ok,
  invalid_argument,   // the request is wrong: fix it, do not repeat it
  unauthenticated,    // say who you are
  permission_denied,  // you may not, whoever you are
  not_found,          // no such thing here
  already_exists,     // it is there already
  conflict,           // the state does not allow it: re-read, then decide
  lease_lost,         // somebody else owns the job now: stop working on it
  exhausted,          // a bound was reached: back off
  unavailable,        // nothing was written: retry
  outcome_unknown,    // it may have been written: retry with the same request id
  corrupt,            // stored data is damaged: an operator must look
  internal,           // our mistake
};

// The name used on every wire of ours, in logs and in docs/errors/.
std::string_view to_string(Code code);
std::optional<Code> parse_code(std::string_view name);

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status invalid_argument(std::string message) { return {Code::invalid_argument, std::move(message)}; }
  static Status unauthenticated(std::string message) { return {Code::unauthenticated, std::move(message)}; }
  static Status permission_denied(std::string message) { return {Code::permission_denied, std::move(message)}; }
  static Status not_found(std::string message) { return {Code::not_found, std::move(message)}; }
  static Status already_exists(std::string message) { return {Code::already_exists, std::move(message)}; }
  static Status conflict(std::string message) { return {Code::conflict, std::move(message)}; }
  static Status lease_lost(std::string message) { return {Code::lease_lost, std::move(message)}; }
  static Status exhausted(std::string message) { return {Code::exhausted, std::move(message)}; }
  static Status unavailable(std::string message) { return {Code::unavailable, std::move(message)}; }
  static Status outcome_unknown(std::string message) { return {Code::outcome_unknown, std::move(message)}; }
  static Status corrupt(std::string message) { return {Code::corrupt, std::move(message)}; }
  static Status internal(std::string message) { return {Code::internal, std::move(message)}; }

  bool ok() const { return code_ == Code::ok; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

  // "context: message", the code unchanged. An ok status stays as it is.
  Status annotate(std::string_view context) const;
  // "code: message", for logs and terminals.
  std::string text() const;

 private:
  Code code_ = Code::ok;
  std::string message_;
};

// A T, or a Status that is not ok. A union by hand: std::variant's machinery, in every source for every T, was up to a third
// of the time that a source took to compile.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : ok_(true), value_(std::move(value)) {}          // NOLINT: implicit on purpose, as in `return job;`
  Result(Status status) : ok_(false), status_(std::move(status)) {  // NOLINT: implicit, as in `return status;`
    check(!status_.ok(), "a Result made from a Status holds an error");
  }
  Result(const Result& other) requires(std::is_copy_constructible_v<T>) : ok_(other.ok_) {
    if (ok_)
      std::construct_at(&value_, other.value_);
    else
      std::construct_at(&status_, other.status_);
  }
  Result(Result&& other) noexcept : ok_(other.ok_) { take(other); }
  Result& operator=(Result other) noexcept {
    clear();
    ok_ = other.ok_;
    take(other);
    return *this;
  }
  ~Result() { clear(); }

  bool ok() const { return ok_; }
  Code code() const { return ok_ ? Code::ok : status_.code(); }
  Status status() const { return ok_ ? Status() : status_; }

  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(checked()); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &value(); }

 private:
  T& checked() {
    check(ok_, "the value of a failed Result was read");
    return value_;
  }
  void take(Result& other) noexcept {
    if (ok_)
      std::construct_at(&value_, std::move(other.value_));
    else
      std::construct_at(&status_, std::move(other.status_));
  }
  void clear() {
    if (ok_)
      std::destroy_at(&value_);
    else
      std::destroy_at(&status_);
  }

  bool ok_;
  union {
    T value_;
    Status status_;
  };
};

}  // namespace muster
