// What a pop hands over, read from any of the dialects' documents: a plan with its input, one task of one, or a verification.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "plan/plan.h"

namespace muster::worker {

struct Verification {
  std::string id;  // to name in the answer; empty when the server gave none
  std::string tool;
  std::string command;
  std::vector<std::string> args;
};

struct Job {
  std::string id;      // as the server names it
  std::string status;  // empty when the document does not say
  plan::Document plan;
  std::string input;     // JSON text
  bool is_tool = false;  // a tool call of an agent: its program reads the input from its standard input, too
  std::optional<Verification> verification;
  Status problem;  // not ok: it is ours, but there is nothing that could be run
};

// invalid_argument: not a document that names a job, so there is nobody to tell.
Result<Job> parse_job(std::string_view element);

// The JSON of a challenge: {"id","command","args"}. invalid_argument: it asks for nothing that can be run.
Result<Verification> parse_verification(std::string_view tool, std::string_view json);

// An element that is a job's id and nothing else, as some dialects' pops answer.
bool is_bare_id(std::string_view element);

}  // namespace muster::worker
