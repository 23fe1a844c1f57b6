// What a measurement gives: one row of the table, with both sides of its ratio and its goal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::bench {

enum class Goal : std::uint8_t { at_least, at_most, none };

struct Row {
  std::string name;
  double ours = 0;
  std::optional<double> peer;  // empty: an absolute goal; the ratio is then ours itself
  Goal kind = Goal::none;
  double goal = 0;
  std::string unit;
  std::string note;      // what the peer is, and what explains the figure
  bool measured = true;  // false: it could not be measured here, and `note` says why

  double ratio() const { return peer ? (*peer == 0 ? 0 : ours / *peer) : ours; }
  bool met() const { return kind == Goal::none || (kind == Goal::at_least ? ratio() >= goal : ratio() <= goal); }
};

struct Settings {
  bool quick = false;
  std::string folder;  // scratch, on the disk that is measured
  std::string server;  // the muster program, for the rows that go over HTTP
  std::string peers;   // bench/peers of the source tree: the drivers of other systems
  std::string url;     // of the PostgreSQL that is measured; may hold a password
  // Processor time of servers that work for the measurements and are no children of this program: it is not foreign.
  std::function<double()> servers_cpu = [] { return 0.0; };
  double seconds() const { return quick ? 1.0 : 3.0; }
  int rounds() const { return quick ? 3 : 5; }
};

// One measurement may give several rows. `names` are what a filter matches.
struct Measurement {
  std::vector<std::string_view> names;
  std::function<std::vector<Row>(const Settings&)> run;
};
std::vector<Measurement> store_measurements();     // store_life.cc
std::vector<Measurement> latency_measurements();   // claim_latency.cc
std::vector<Measurement> backlog_measurements();   // backlog.cc
std::vector<Measurement> worker_measurements();    // heartbeats.cc
std::vector<Measurement> http_measurements();      // http_life.cc
std::vector<Measurement> postgres_measurements();  // postgres/suite.cc
std::vector<Measurement> resp_measurements();      // resp/idle.cc
std::vector<Measurement> grpc_measurements();      // grpc/suite.cc
std::vector<Measurement> ws_measurements();        // ws/life.cc
std::vector<Measurement> agent_measurements();     // agents/runs.cc

// The child side of a measurement that needs a process of its own; prints its figures on stdout. 0: done.
int fill_in_child(const std::string& folder, std::size_t jobs);

double median(std::vector<double> values);
double percentile(std::vector<double> values, double share);
double seconds_now();  // monotonic
// An empty scratch folder inside `settings.folder`.
std::string fresh_folder(const Settings& settings, std::string_view name);
// Resident memory of a process in bytes; 0 when it is gone.
double resident_bytes(int pid);

}  // namespace muster::bench
