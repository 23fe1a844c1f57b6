// grpc.empty.h2load: an empty method beside an empty server on the packaged library, driven by h2load, which takes a few µs a
// call where the packaged client takes fifty. grpc.idle.bytes: what a connection costs whose one poll waits.
#include <fmt/format.h>
#include <stdio.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "bench/grpc/load.h"
#include "bench/grpc/measurements.h"
#include "bench/resp/servers.h"

namespace muster::bench::grpc_suite {
namespace {

using resp::ProcessPtr;

constexpr double kEmptyGoal = 3.0;
constexpr double kIdleBytesGoal = 20'000;
constexpr int kConnections = 10;
constexpr int kStreams = 10;
constexpr int kCalls = 200'000;
constexpr int kCallsQuick = 50'000;
constexpr std::size_t kIdle = 500;
constexpr const char* kOurMethod = "/grpc.health.v1.Health/Check";
constexpr const char* kTheirMethod = "/kagzi.v1.WorkflowService/StartWorkflow";

// Calls a second; 0: h2load did not run, or not every call was answered.
double rate_by_h2load(int port, const char* path, const std::string& message_file, int calls) {
  const std::string command = fmt::format(
      "h2load -n {} -c {} -m {} -d {} -H 'content-type: application/grpc' -H 'te: trailers' http://127.0.0.1:{}{} 2>&1", calls,
      kConnections, kStreams, message_file, port, path);
  FILE* const out = ::popen(command.c_str(), "r");
  if (out == nullptr) return 0;
  std::string text;
  std::array<char, 4'096> piece{};
  while (const std::size_t got = ::fread(piece.data(), 1, piece.size(), out)) text.append(piece.data(), got);
  ::pclose(out);
  // "finished in 1.04s, 193211.10 req/s, 6.80MB/s", "requests: 200000 total, …, 200000 succeeded, 0 failed"
  const std::size_t finished = text.find("finished in ");
  const std::size_t comma = text.find(", ", finished);
  if (finished == std::string::npos || comma == std::string::npos) return 0;
  if (text.find(fmt::format(" {} succeeded", calls)) == std::string::npos) return 0;
  return std::strtod(text.c_str() + comma + 2, nullptr);
}

std::vector<Row> empty_calls(const Settings& settings) {
  Row row{"grpc.empty.h2load", 0, 0, Goal::at_least, kEmptyGoal, "calls/s", {}};
  row.note =
      fmt::format("{} connections of {} streams; health beside an empty method of the packaged library", kConnections, kStreams);
  const std::string folder = fresh_folder(settings, "grpc-empty-message");
  const std::string message_file = folder + "/message";
  std::ofstream(message_file) << std::string(5, '\0');  // the head of a message without a byte
  const ProcessPtr ours = start_ours(settings, "grpc-empty");
  const ProcessPtr echo = resp::start_program({"/proc/self/exe", "grpc-echo"}, "grpc");
  std::vector<double> our_rates, their_rates;
  const int calls = settings.quick ? kCallsQuick : kCalls;
  for (int round = 0; round < settings.rounds(); ++round) {
    our_rates.push_back(rate_by_h2load(ours->port(), kOurMethod, message_file, calls));
    their_rates.push_back(rate_by_h2load(echo->port(), kTheirMethod, message_file, calls));
  }
  row.ours = median(our_rates);
  row.peer = median(their_rates);
  if (row.ours == 0 || *row.peer == 0) {
    row.measured = false;
    row.note = resp::is_installed("h2load") ? "h2load was not answered" : "h2load is not installed (package nghttp2-client)";
  }
  return {row};
}

std::vector<Row> idle_bytes(const Settings& settings) {
  const ProcessPtr server = start_ours(settings, "grpc-idle");
  Row row{"grpc.idle.bytes", 0, std::nullopt, Goal::at_most, kIdleBytesGoal, "bytes", {}};
  ParkedPolls polls(fmt::format("127.0.0.1:{}", server->port()));
  polls.add(kIdle / 10);  // what the first connections allocate once
  const double before = resident_bytes(server->pid());
  polls.add(kIdle);
  row.ours = (resident_bytes(server->pid()) - before) / static_cast<double>(kIdle);
  row.note = fmt::format("resident memory per connection with a worker and its one poll that waits, {} of them", kIdle);
  if (polls.trouble().empty()) return {row};
  row.measured = false;
  row.note = polls.trouble();
  return {row};
}

}  // namespace

std::vector<Measurement> wire_measurements() { return {{{"grpc.empty.h2load"}, empty_calls}, {{"grpc.idle.bytes"}, idle_bytes}}; }

}  // namespace muster::bench::grpc_suite
