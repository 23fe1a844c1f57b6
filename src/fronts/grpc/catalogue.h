// Every method the front answers, by its path, with what is counted of it. Made once at the start; lookups are lock-free.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "fronts/grpc/methods.h"

namespace muster::rpc {

std::span<const Method> health_methods();      // grpc.health.v1.Health
std::span<const Method> reflection_methods();  // grpc.reflection.v1 and v1alpha

inline constexpr std::string_view kHealthService = "grpc.health.v1.Health";
inline constexpr std::string_view kReflectionService = "grpc.reflection.v1.ServerReflection";
inline constexpr std::string_view kReflectionAlphaService = "grpc.reflection.v1alpha.ServerReflection";

inline constexpr std::size_t kOpenMessageBytesMax = 1'024;  // of a request to a method that asks nobody for a token

// A method and its numbers.
class Entry {
 public:
  Entry(const Method& method, Metrics& metrics);

  const Method method;
  bool open() const { return open_; }                  // answered whoever asks: probes carry no token
  bool answers_much() const { return answers_much_; }  // megabytes, maybe: a connection has one such call under way at a time
  void measure(WireCode code, Ticks took);

 private:
  Counter& counter(std::size_t code);

  static constexpr std::size_t kCodes = 17;
  const bool open_;
  const bool answers_much_;
  Metrics& metrics_;
  Histogram& took_;
  std::array<std::atomic<Counter*>, kCodes> calls_{};
};

class Catalogue {
 public:
  explicit Catalogue(Metrics& metrics);

  // "/kagzi.v1.WorkerService/PollTask"; nullptr: none.
  Entry* find(std::string_view path) const;
  // What is counted of paths that nothing is at. Its method has neither `run` nor `open`.
  Entry& unknown() const { return *unknown_; }
  // In whose words a path that nothing is at is refused.
  static ErrorDialect dialect_of(std::string_view path);
  // Names of all services, streams included, in order.
  static std::vector<std::string> services();

 private:
  std::deque<Entry> entries_;
  std::deque<std::string> paths_;
  std::unordered_map<std::string_view, Entry*> by_path_;
  Entry* unknown_ = nullptr;
};

}  // namespace muster::rpc
