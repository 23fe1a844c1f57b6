// What is thrown between a workflow's code and its context. Only there: nothing of this crosses Worker or Client.
//
// A workflow is the user's own code, and its failures are exceptions as anywhere in C++. StepFailed and ChildFailed are meant to
// be caught, by a saga that compensates. Unwind is not: it leaves a run that is parked or no longer ours, and is therefore not a
// std::exception. Code that catches everything all the same does no harm: the next call of the context throws it again, and
// whatever the workflow returns then is dropped.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace muster::sdk::workflow {

// Throw it from a step to end the step at once, whatever its policy allows; from a workflow it is an error like any other.
class NonRetryable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throw it from a step to be tried again after this long instead of what its policy says.
class RetryAfter : public std::runtime_error {
 public:
  RetryAfter(std::chrono::milliseconds wait, const std::string& why) : std::runtime_error(why), wait_(wait) {}
  std::chrono::milliseconds wait() const { return wait_; }

 private:
  std::chrono::milliseconds wait_;
};

// A step failed for good: its tries are used up, or its error is not to be retried.
class StepFailed : public std::runtime_error {
 public:
  StepFailed(std::string step, const std::string& message) : std::runtime_error(message), step_(std::move(step)) {}
  const std::string& step() const { return step_; }

 private:
  std::string step_;
};

// A child run ended without completing.
class ChildFailed : public std::runtime_error {
 public:
  struct Facts {
    std::string run_id;
    std::string kind;
    std::string message;
  };
  explicit ChildFailed(Facts facts) : std::runtime_error(facts.message), facts_(std::move(facts)) {}
  const std::string& run_id() const { return facts_.run_id; }
  const std::string& kind() const { return facts_.kind; }

 private:
  Facts facts_;
};

struct Unwind {};

}  // namespace muster::sdk::workflow
