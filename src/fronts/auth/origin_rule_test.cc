#include "fronts/auth/origin_rule.h"

#include <gtest/gtest.h>

namespace muster::auth {
namespace {

const OriginRule kLoopback{};
const OriginRule kLoopbackTls{.origins = {}, .host_names = {}, .tls = true};
const OriginRule kNamed{.origins = {"https://ui.example", "*"}, .host_names = {"muster.lan"}};
const OriginRule kTokens{.origins = {"https://ui.example"}, .host_names = {}, .tokens_required = true};
const OriginRule kTokensAny{.origins = {"*"}, .host_names = {}, .loopback = false, .tokens_required = true};
const OriginRule kOpenNetwork{.origins = {}, .host_names = {"muster.lan"}, .loopback = false};

struct Case {
  const char* claim;
  const OriginRule& rule;
  const char* host;
  const char* origin;
  bool accepted;
};

const Case kCases[] = {
    {"a program sends no origin", kLoopback, "127.0.0.1:8080", "", true},
    {"HTTP/1.0 sends no host", kLoopback, "", "", true},
    {"the server's own page", kLoopback, "localhost:8080", "http://localhost:8080", true},
    {"names have no case", kLoopback, "LocalHost:8080", "HTTP://LOCALHOST:8080", true},
    {"every loopback address is ours", kLoopback, "127.0.0.2:8080", "http://127.0.0.2:8080", true},
    {"IPv6 loopback", kLoopback, "[::1]:8080", "http://[::1]:8080", true},
    {"IPv6 loopback without a port", kLoopback, "[::1]", "", true},
    {"a foreign page", kLoopback, "localhost:8080", "https://evil.example", false},
    {"a page of another port of this machine", kLoopback, "localhost:8080", "http://localhost:3000", false},
    {"a page of another scheme", kLoopback, "localhost:8080", "https://localhost:8080", false},
    {"a plain page of a TLS server", kLoopbackTls, "localhost:8080", "http://localhost:8080", false},
    {"the own page of a TLS server", kLoopbackTls, "localhost:8080", "https://localhost:8080", true},
    {"a page without an origin of its own", kLoopback, "localhost:8080", "null", false},
    {"an origin that only begins like ours", kLoopback, "localhost:8080", "http://localhost:8080.evil.example", false},
    {"a scheme alone", kLoopback, "", "http://", false},
    {"a name that was pointed here", kLoopback, "evil.example:8080", "", false},
    {"its page, which is of one origin with it", kLoopback, "evil.example:8080", "http://evil.example:8080", false},
    {"a name that begins like an address", kLoopback, "127.0.0.1.evil.example", "", false},
    {"a name that ends like ours", kLoopback, "evil.localhost.example", "", false},
    {"an address of another machine", kLoopback, "192.0.2.1:8080", "", false},
    {"a bracket that is never closed", kLoopback, "[::1", "", false},
    {"a configured name", kNamed, "muster.lan:8080", "http://muster.lan:8080", true},
    {"a configured origin", kNamed, "localhost:8080", "https://ui.example", true},
    {"any origin means nothing without tokens", kNamed, "localhost:8080", "https://evil.example", false},
    {"the own page behind a proxy that ends TLS", kTokens, "muster.example", "https://muster.example", true},
    {"the own page without such a proxy", kTokens, "muster.example", "http://muster.example", true},
    {"a page of another port behind it", kTokens, "muster.example", "https://muster.example:444", false},
    {"a configured origin with tokens", kTokens, "muster.example", "https://ui.example", true},
    {"another one with tokens", kTokens, "muster.example", "https://evil.example", false},
    {"a token protects by any name", kTokens, "evil.example", "", true},
    {"any origin with tokens", kTokensAny, "muster.example", "https://evil.example", true},
    {"an open network by address", kOpenNetwork, "192.0.2.1:8080", "http://192.0.2.1:8080", true},
    {"an open network by IPv6 address", kOpenNetwork, "[2001:db8::1]:8080", "", true},
    {"an open network by a configured name", kOpenNetwork, "muster.lan", "", true},
    {"an open network by another name", kOpenNetwork, "evil.example", "", false},
};

TEST(OriginRule, JudgesPages) {
  for (const Case& each : kCases) {
    const Status status = check_page(each.rule, {.host = each.host, .origin = each.origin});
    EXPECT_EQ(status.code(), each.accepted ? Code::ok : Code::permission_denied)
        << each.claim << ": " << each.host << " " << each.origin;
  }
}

}  // namespace
}  // namespace muster::auth
