#include "sdk/cpp/result.h"

#include <array>

namespace muster::sdk {
namespace {

struct CodeName {
  Code code;
  std::string_view name;
};

constexpr std::array kCodeNames{
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
    CodeName{Code::unreachable, "unreachable"},
    CodeName{Code::interrupted, "interrupted"},
    CodeName{Code::bad_reply, "bad_reply"},
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

std::string Error::text() const {
  std::string out(to_string(code));
  if (!detail.empty()) out.append(": ").append(detail);
  return out;
}

bool Error::transient() const {
  return code == Code::unavailable || code == Code::exhausted || code == Code::outcome_unknown || code == Code::unreachable;
}

}  // namespace muster::sdk
