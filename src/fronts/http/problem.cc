#include "fronts/http/problem.h"

#include <fmt/format.h>

#include "base/check.h"
#include "fronts/http/json/writer.h"

namespace muster::http {
namespace {

constexpr std::string_view kRetryAfterSeconds = "1";

}  // namespace

unsigned http_status(Code code) {
  switch (code) {
    case Code::ok: return 200;
    case Code::invalid_argument: return 400;
    case Code::unauthenticated: return 401;
    case Code::permission_denied: return 403;
    case Code::not_found: return 404;
    case Code::already_exists: return 409;
    case Code::conflict: return 409;
    case Code::lease_lost: return 409;
    case Code::exhausted: return 429;
    case Code::unavailable: return 503;
    case Code::outcome_unknown: return 504;
    case Code::corrupt: return 500;
    case Code::internal: return 500;
  }
  unreachable();
}

Response problem(unsigned http_status, const Status& status, std::string_view instance) {
  Response response{.status = http_status, .content_type = "application/problem+json", .body = {}, .headers = {}};
  const std::string_view code = to_string(status.code());
  JsonWriter out(response.body);
  out.begin_object();
  out.member("type", fmt::format("https://muster.invalid/errors/{}", code));
  out.member("title", code);
  out.member("status", http_status);
  out.member("code", code);
  out.member("detail", status.message());
  out.member("instance", instance);
  out.end_object();
  if (status.code() == Code::exhausted || status.code() == Code::unavailable)
    response.headers.emplace_back("Retry-After", std::string(kRetryAfterSeconds));
  if (status.code() == Code::unauthenticated) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"muster\"");
  return response;
}

Response problem(const Status& status, std::string_view instance) {
  return problem(http_status(status.code()), status, instance);
}

}  // namespace muster::http
