#include "base/status.h"

#include <array>

namespace muster {
namespace {

struct CodeName {
  Code code;
  std::string_view name;
};

constexpr std::array kCodeNames{
    CodeName{Code::ok, "ok"},
    CodeName{Code::invalid_argument, "invalid_argument"},
    CodeName{Code::unauthenticated, "unauthenticated"},
    CodeName{Code::permission_denied, "permission_denied"},
    CodeName{Code::not_found, "not_found"},
    CodeName{Code::already_exists, "already_exists"},
    CodeName{Code::conflict, "conflict"},
    CodeName{Code::lease_lost, "lease_lost"},
    CodeName{Code::exhausted, "exhausted"},
    CodeName{Code::unavailable, "unavailable"},
    CodeName{Code::outcome_unknown, "outcome_unknown"},
    CodeName{Code::corrupt, "corrupt"},
    CodeName{Code::internal, "internal"},
};

}  // namespace

std::string_view to_string(Code code) {
  for (const CodeName& entry : kCodeNames)
    if (entry.code == code) return entry.name;
  return "internal";
}

std::optional<Code> parse_code(std::string_view name) {
  for (const CodeName& entry : kCodeNames)
    if (entry.name == name) return entry.code;
  return std::nullopt;
}

Status Status::annotate(std::string_view context) const {
  if (ok()) return *this;
  return {code_, std::string(context) + ": " + message_};
}

std::string Status::text() const {
  std::string out(to_string(code_));
  if (!message_.empty()) out.append(": ").append(message_);
  return out;
}

}  // namespace muster
