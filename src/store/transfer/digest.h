// Counts and checksums of what a store holds, the same for every store that holds the same.
//
// Each record becomes bytes that do not depend on how it is kept, and the checksum of a kind is the sum of its records' hashes,
// so the order in which they are read does not matter. Left out is what a copy gives anew or no store promises to keep: ends of
// leases, when a live worker was last seen, and the names of workers that are gone, in the attempts and steps of jobs.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "store/transfer/record.h"

namespace muster::store::transfer {

// FNV-1a, then spread. For finding mistakes, not for keeping off people.
std::uint64_t hash_of(std::string_view bytes);

class Digest {
 public:
  // In the order of kinds: workers before jobs.
  void add(const Records& records);

  std::uint64_t records(Kind kind) const { return counts_[index_of(kind)]; }
  std::uint64_t checksum(Kind kind) const { return sums_[index_of(kind)]; }
  std::uint64_t jobs(JobState state) const { return states_[static_cast<std::size_t>(state)]; }
  bool same(const Digest& other, Kind kind) const;
  friend bool operator==(const Digest& a, const Digest& b) {
    return a.counts_ == b.counts_ && a.sums_ == b.sums_ && a.states_ == b.states_;
  }

 private:
  template <class Record>
  void add_each(Kind kind, const std::vector<Record>& records);
  std::string bytes_of(const NamespaceInfo& record);
  std::string bytes_of(const QueueRecord& record);
  std::string bytes_of(const Worker& record);
  std::string bytes_of(const BondRecord& record);
  std::string bytes_of(const JobRecord& record);
  std::string bytes_of(const KeyRecord& record);
  std::string bytes_of(const DependencyRecord& record);
  std::string bytes_of(const Plan& record);
  std::string bytes_of(const ActionRecord& record);
  std::string bytes_of(const EntryRecord& record);
  std::string bytes_of(const ItemRecord& record);
  std::string bytes_of(const FieldRecord& record);
  std::string bytes_of(const ScoreRecord& record);
  std::string bytes_of(const StepRecord& record);
  std::string bytes_of(const SignalRecord& record);
  std::string bytes_of(const Schedule& record);

  Counts counts_{};
  std::array<std::uint64_t, kKinds.size()> sums_{};
  std::array<std::uint64_t, kJobStates.size()> states_{};
  std::set<std::pair<NamespaceName, WorkerId>> workers_;
};

}  // namespace muster::store::transfer
