// A load of workflow lives over gRPC, dialect kagzi.v1: many at once on a few connections of one client process. A life is start,
// poll, some steps (begin and complete each), complete.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace muster::bench::grpc_suite {

struct Load {
  std::size_t outstanding = 1;
  std::size_t steps = 0;
  double seconds = 1;
};

struct Outcome {
  std::size_t lives = 0;
  double lives_per_second = 0;
  double p50_ms = 0;  // of whole lives
  double p99_ms = 0;
  std::string trouble;  // the first error; empty: none
};

// address: HOST:PORT. Registers a worker first.
Outcome run(const std::string& address, const Load& load);

// Connections of their own with one poll on each that nothing answers, until the object goes. Empty trouble: all of them wait.
class ParkedPolls {
 public:
  explicit ParkedPolls(std::string address);
  ~ParkedPolls();
  void add(std::size_t count);
  const std::string& trouble() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// For profiling a server that runs already: ADDRESS OUTSTANDING STEPS SECONDS; prints the rate.
int load_once(char** words);

}  // namespace muster::bench::grpc_suite
