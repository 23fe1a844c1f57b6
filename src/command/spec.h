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
  bool idempotent = false;   // repeating it after outcome_unknown is safe
  bool audited = false;      // an operator's intervention: who, what and outcome are logged
  std::string_view summary;  // one sentence
};

// The record of the command that a request asks for; each request is one command's.
template <class Request>
inline constexpr const Spec* kRecord = nullptr;

}  // namespace muster::command
