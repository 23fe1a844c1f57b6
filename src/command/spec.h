// The record every command has: the one source for names, rights, documentation and the audit log.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::command {

// The least a caller must be. An operator may do everything, a worker everything that read_only may.
enum class Auth : std::uint8_t { read_only, worker, operator_only };

enum class Effect : std::uint8_t { read, write };

struct Spec {
  std::string_view name;   // noun.verb
  std::string_view since;  // the version that brought it
  Auth auth = Auth::operator_only;
  Effect effect = Effect::write;
  bool idempotent = false;     // repeating it after outcome_unknown is safe
  bool audited = false;        // an operator's intervention: who, what and outcome are logged
  std::string_view summary;    // one sentence
  std::string_view refusal{};  // what AstraFlow's documents call its refusal by role; empty: nothing
};

// A command's record and what it answers with.
template <const Spec& kSpec, class AnswerType>
struct Command {
  static constexpr const Spec& spec = kSpec;
  using Answer = AnswerType;
};

// The command that a request asks for. Each request is one command's, and its header specialises this as Command.
template <class Request>
struct Record;
template <class Request>
using AnswerTo = typename Record<Request>::Answer;

}  // namespace muster::command
