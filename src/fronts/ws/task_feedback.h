// What feedback and result frames say about a task, in our words. REQUIRES of every payload here: it passed its schema.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "command/feedback.h"
#include "fronts/ws/feed/shapes.h"
#include "fronts/ws/registration.h"
#include "session/payload.h"

namespace muster::ws {

// The label of a job that says whose run it is.
inline constexpr const char* kClientLabel = "client_session_id";

struct FeedbackSaid {
  command::JobFeedbackRequest report;  // without its lease
  // What must not be lost; the rest is replaced by what is said next.
  bool lasting() const { return !report.chunks.empty() || !report.results.empty(); }
};
// Texts that are too long are cut; what is too much is left out.
FeedbackSaid read_feedback(const json::Tree& payload);

// A result, as it is read without a tree.
struct ResultSaid {
  std::string run;
  std::string task;
  std::string status;
  std::string content;     // what it gave, as JSON on one line
  bool artifacts = false;  // it may have some
  bool facts = false;      // it may say more: outcome_facts() knows
};
ResultSaid read_result(const session::Payload& payload);

// What a result says beside its result; nullopt: nothing.
std::optional<OutcomeFacts> outcome_facts(const json::Tree& payload);

// What another registration of a worker changes.
std::vector<Package> package_changes(const std::vector<Package>& before, const std::vector<Package>& after);

// At most that long, and still UTF-8.
std::string cut_text(std::string text, std::size_t bytes_max);

}  // namespace muster::ws
