// Browsers that sign in: by a token or a link, with a cookie from then on, and what that cookie does not open.
#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <vector>

#include "fronts/auth/browser_sessions.h"
#include "fronts/http/front_testing.h"
#include "fronts/http/sign_in.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;
using command::Role;
using nlohmann::json;

class SignIn : public FrontTest {
 protected:
  HttpOptions tokens() {
    HttpOptions options;
    options.auth.required = true;
    options.auth.tokens = {{.name = "boss", .role = Role::operator_role, .secret = "operator-secret", .worker = {}},
                           {.name = "eye",
                            .role = Role::read_only,
                            .secret = "reader-secret",
                            .worker = {},
                            .namespaces = std::vector{NamespaceName("default")}}};
    return options;
  }
  static std::string host() { return "localhost"; }  // as requests of tests call it
  static std::string own_page() { return fmt::format("Origin: http://{}\r\n", host()); }
  static std::string shows(std::string_view authorization) { return fmt::format("Authorization: {}\r\n", authorization); }
  // The header that a browser sends from then on.
  std::string cookie_of(const Answer& answer) {
    const std::string& set = answer.headers.at("set-cookie");
    return fmt::format("Cookie: other=1; {}\r\n", set.substr(0, set.find(';')));
  }
  Answer sign_in(std::string_view authorization) {
    return call("POST", "/api/v1/sign-in", {}, shows(authorization) + own_page());
  }
  std::string signed_in(std::string_view token) {
    const Answer answer = sign_in(fmt::format("Bearer {}", token));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return cookie_of(answer);
  }
  int get(std::string_view target, const std::string& headers) { return call("GET", target, {}, headers).status; }
  std::string code() {
    const Answer answer = call("POST", "/api/v1/sign-in/links", {}, shows("Bearer operator-secret"));
    EXPECT_EQ(answer.status, 201) << answer.body;
    return json::parse(answer.body)["path"].get<std::string>().substr(kSignInPath.size());
  }
};

TEST_F(SignIn, ATokenIsShownOnceAndACookieStandsForIt) {
  start(tokens());
  const Answer answer = sign_in("Bearer operator-secret");
  ASSERT_EQ(answer.status, 200);
  const std::string& set = answer.headers.at("set-cookie");
  for (const char* part : {"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"})
    EXPECT_NE(set.find(part), std::string::npos) << set;
  EXPECT_EQ(set.find("operator-secret"), std::string::npos);
  EXPECT_EQ(answer.headers.at("cache-control"), "no-store");
  const auto who = json::parse(answer.body);
  check_members("WhoAmI", who);
  EXPECT_EQ(who["name"], "boss");
  EXPECT_EQ(who["signed_in"], true);
  EXPECT_EQ(get("/api/v1/audit", cookie_of(answer)), 200);
  EXPECT_EQ(get("/api/v1/audit", ""), 401);
}

TEST_F(SignIn, AWrongTokenOpensNothing) {
  start(tokens());
  for (const char* wrong : {"Bearer wrong", "Bearer ", "Basic b3BlcmF0b3I=", "Link operator-secret"}) {
    const Answer answer = sign_in(wrong);
    EXPECT_EQ(answer.status, 401) << wrong;
    EXPECT_FALSE(answer.headers.contains("set-cookie"));
  }
  EXPECT_EQ(call("POST", "/api/v1/sign-in", {}, own_page()).status, 401);
}

TEST_F(SignIn, GuessesOfTokensAndLinksWaitAtTheSameBrake) {
  start(tokens());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(sign_in("Bearer wrong").status, 401);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(sign_in("Link wrong").status, 401);
  EXPECT_EQ(sign_in("Link wrong").status, 429);
  EXPECT_EQ(sign_in("Bearer wrong").status, 429);
  EXPECT_EQ(sign_in("Bearer operator-secret").status, 200);
  EXPECT_EQ(sign_in("Link " + code()).status, 200) << "it is right, whoever guessed from there";
}

TEST_F(SignIn, RolesAndNamespacesAreTheTokens) {
  start(tokens());
  const std::string cookie = signed_in("reader-secret");
  const auto who = json::parse(call("GET", "/api/v1/whoami", {}, cookie).body);
  EXPECT_EQ(who["role"], "read-only");
  EXPECT_EQ(who["namespaces"], json::parse(R"(["default"])"));
  EXPECT_TRUE(who.contains("expires_at"));
  EXPECT_EQ(get("/api/v1/jobs", cookie), 200);
  EXPECT_EQ(get("/api/v1/audit", cookie), 403);
  EXPECT_EQ(get("/api/v1/jobs?namespace=other", cookie), 403);
  EXPECT_EQ(call("POST", "/api/v1/queues/q/pause", {}, cookie + own_page()).status, 403);
}

TEST_F(SignIn, ATokenBesideACookieCounts) {
  start(tokens());
  const std::string reader = signed_in("reader-secret");
  EXPECT_EQ(get("/api/v1/audit", reader + shows("Bearer operator-secret")), 200);
  EXPECT_EQ(get("/api/v1/jobs", reader + shows("Bearer wrong")), 401);
  EXPECT_EQ(json::parse(call("GET", "/api/v1/whoami", {}, shows("Bearer operator-secret")).body)["signed_in"], false);
}

TEST_F(SignIn, ACookieChangesNothingForOtherPages) {
  HttpOptions options = tokens();
  options.cors_origins = {"*"};
  start(options);
  const std::string cookie = signed_in("operator-secret");
  const auto pause = [&](const std::string& page) { return call("POST", "/api/v1/queues/q/pause", {}, cookie + page).status; };
  EXPECT_EQ(pause(own_page()), 200);
  EXPECT_EQ(pause(""), 403);
  EXPECT_EQ(pause("Origin: null\r\n"), 403);
  EXPECT_EQ(pause("Origin: http://127.0.0.1:1\r\n"), 403);
  EXPECT_EQ(pause("Origin: https://evil.example\r\n"), 403);
  EXPECT_EQ(get("/api/v1/jobs", cookie + "Origin: https://evil.example\r\n"), 403);
  EXPECT_EQ(get("/api/v1/jobs", cookie), 200);
  // Their pages may call with a token of their own, as before.
  EXPECT_EQ(get("/api/v1/jobs", shows("Bearer operator-secret") + "Origin: https://app.example\r\n"), 200);
}

TEST_F(SignIn, OtherPagesSignNobodyInOrOut) {
  HttpOptions options = tokens();
  options.cors_origins = {"*"};
  start(options);
  const std::string foreign = "Origin: https://evil.example\r\n";
  for (const char* path : {"/api/v1/sign-in", "/api/v1/sign-in/links", "/api/v1/sign-out"}) {
    const Answer answer = call("POST", path, {}, foreign + shows("Bearer operator-secret"));
    EXPECT_EQ(answer.status, 403) << path;
    EXPECT_FALSE(answer.headers.contains("set-cookie"));
  }
}

TEST_F(SignIn, SigningOutEndsTheSessionAndForgetsTheCookie) {
  start(tokens());
  const std::string cookie = signed_in("operator-secret");
  const Answer out = call("POST", "/api/v1/sign-out", {}, cookie + own_page());
  EXPECT_EQ(json::parse(out.body)["signed_out"], true);
  EXPECT_NE(out.headers.at("set-cookie").find("Max-Age=0"), std::string::npos);
  EXPECT_EQ(get("/api/v1/jobs", cookie), 401);
  EXPECT_EQ(json::parse(call("POST", "/api/v1/sign-out", {}, cookie + own_page()).body)["signed_out"], false);
}

TEST_F(SignIn, BehindAProxyThatEndsTlsTheCookieIsForTlsAlone) {
  start(tokens());
  const std::string page = fmt::format("Origin: https://{}\r\n", host());
  const Answer answer = call("POST", "/api/v1/sign-in", {}, shows("Bearer operator-secret") + page);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_NE(answer.headers.at("set-cookie").find("; Secure"), std::string::npos);
  EXPECT_EQ(call("POST", "/api/v1/jobs", R"({"type":"t"})", cookie_of(answer) + page).status, 201);
}

TEST_F(SignIn, StreamsOfRunEventsEndWithTheSession) {
  start(tokens());
  std::vector<Credential> listening;
  std::atomic<int> ended = 0;
  const auto open = [&](const RunEventsAsked& asked, net::Connection&) -> Result<std::shared_ptr<net::Session>> {
    listening.push_back(asked.credential);
    return Status::exhausted("it is enough to know who asked");
  };
  const auto revoke = [&](const std::function<bool(const Credential&)>& still_valid) {
    for (const Credential& each : listening) ended += still_valid(each) ? 0 : 1;
  };
  front->set_run_events({.open = open, .revoke = revoke});
  const std::string cookie = signed_in("operator-secret");
  EXPECT_EQ(get("/api/v1/events", cookie), 429);
  EXPECT_EQ(get("/api/v1/events", shows("Bearer operator-secret")), 429);
  call("POST", "/api/v1/sign-out", {}, cookie + own_page());
  EXPECT_EQ(ended, 1) << "the program with the token listens on";
}

TEST_F(SignIn, ABodyThatComesLateDoesNotKeepALinkFromSigningIn) {
  start(tokens());
  Client client = connect();
  client.send(fmt::format("POST /api/v1/sign-in HTTP/1.1\r\nHost: {}\r\n{}{}Content-Length: 2\r\n\r\n", host(),
                          shows("Link " + code()), own_page()));
  client.send("{}");
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(SignIn, SigningInAgainEndsTheSessionBefore) {
  start(tokens());
  const std::string first = signed_in("reader-secret");
  const Answer answer = call("POST", "/api/v1/sign-in", {}, shows("Bearer operator-secret") + own_page() + first);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(get("/api/v1/jobs", first), 401);
  EXPECT_EQ(get("/api/v1/audit", cookie_of(answer)), 200);
}

TEST_F(SignIn, ASessionIsOverWhenItsTimeIs) {
  start(tokens());
  const std::string cookie = signed_in("operator-secret");
  clock.advance(auth::kBrowserSessionIdle - 1s);
  EXPECT_EQ(get("/api/v1/jobs", cookie), 200);
  clock.advance(auth::kBrowserSessionIdle);
  EXPECT_EQ(get("/api/v1/jobs", cookie), 401);
}

TEST_F(SignIn, ASessionEndsWithItsToken) {
  start(tokens());
  const std::string boss = signed_in("operator-secret");
  const std::string eye = signed_in("reader-secret");
  AuthOptions rest = tokens().auth;
  rest.tokens.erase(rest.tokens.begin());
  ASSERT_TRUE(front->set_tokens(rest).ok());
  EXPECT_EQ(get("/api/v1/jobs", boss), 401);
  EXPECT_EQ(get("/api/v1/jobs", eye), 200);
}

TEST_F(SignIn, ALinkSignsInOnceAsWhoeverMadeIt) {
  start(tokens());
  const std::string own = code();
  const Answer first = sign_in("Link " + own);
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(json::parse(first.body)["name"], "boss");
  EXPECT_EQ(get("/api/v1/audit", cookie_of(first)), 200);
  EXPECT_EQ(sign_in("Link " + own).status, 401);
}

TEST_F(SignIn, ALinkIsShortLivedAndEndsWithItsToken) {
  start(tokens());
  const std::string late = code();
  clock.advance(auth::kSignInLinkLife);
  EXPECT_EQ(sign_in("Link " + late).status, 401);
  const std::string orphan = code();
  AuthOptions rest = tokens().auth;
  rest.tokens.erase(rest.tokens.begin());
  ASSERT_TRUE(front->set_tokens(rest).ok());
  EXPECT_EQ(sign_in("Link " + orphan).status, 401);
}

TEST_F(SignIn, OnlyATokenMakesLinks) {
  start(tokens());
  EXPECT_EQ(call("POST", "/api/v1/sign-in/links").status, 401);
  EXPECT_EQ(call("POST", "/api/v1/sign-in/links", {}, signed_in("operator-secret") + own_page()).status, 403);
}

TEST_F(SignIn, WhereNoTokenIsAskedForEverybodyIsIn) {
  start();
  EXPECT_EQ(json::parse(call("GET", "/api/v1/whoami").body)["role"], "operator");
  EXPECT_EQ(json::parse(call("GET", "/api/v1/whoami").body)["signed_in"], false);
  const Answer link = call("POST", "/api/v1/sign-in/links");
  EXPECT_EQ(json::parse(link.body)["path"], "/");
  const Answer in = call("POST", "/api/v1/sign-in");
  EXPECT_EQ(in.status, 200);
  EXPECT_FALSE(in.headers.contains("set-cookie"));
}

TEST_F(SignIn, TheServerItselfMakesALinkForWhoeverStartedIt) {
  start(tokens());
  const auto path = front->sign_in_path("operator-secret");
  ASSERT_TRUE(path.ok()) << path.status().text();
  EXPECT_EQ(sign_in("Link " + path->substr(kSignInPath.size())).status, 200);
  EXPECT_EQ(front->sign_in_path("wrong").code(), Code::unauthenticated);
}

TEST_F(SignIn, ABodyThatIsOnItsWayIsTakenInForACookie) {
  start(tokens());
  const std::string cookie = signed_in("operator-secret");
  Client client = connect();
  const std::string body = R"({"type":"t"})";
  client.send(fmt::format("POST /api/v1/jobs HTTP/1.1\r\nHost: {}\r\n{}{}Content-Length: {}\r\n\r\n", host(), cookie, own_page(),
                          body.size()));
  client.send(body);
  EXPECT_EQ(client.read_answer().status, 201);
}

TEST_F(SignIn, WhoSignedInIsWrittenDownAndNoSecretIs) {
  start(tokens());
  const std::string own = code();
  const std::string cookie = cookie_of(sign_in("Link " + own));
  call("POST", "/api/v1/sign-out", {}, cookie + own_page());
  const Answer audit = call("GET", "/api/v1/audit?action=session", {}, shows("Bearer operator-secret"));
  EXPECT_EQ(json::parse(audit.body)["audit"].size(), 3u) << audit.body;
  EXPECT_EQ(audit.body.find(own), std::string::npos);
}

TEST(SessionCookie, IsCalledByThePortThatTheBrowserSees) {
  EXPECT_EQ(cookie_name("127.0.0.1:8080"), "muster_session_8080");
  EXPECT_EQ(cookie_name("[::1]:8080"), "muster_session_8080");
  EXPECT_EQ(cookie_name("[::1]"), "muster_session");
  EXPECT_EQ(cookie_name("muster.example"), "muster_session");
  EXPECT_EQ(cookie_name("muster.example:80; x"), "muster_session");
}

TEST(SessionCookie, IsFoundAmongOthersByItsWholeName) {
  const auto found = [](std::string_view cookie) { return session_id_of({.host = "h:1", .cookie = cookie}); };
  EXPECT_EQ(found("muster_session_1=abc"), "abc");
  EXPECT_EQ(found("a=b; muster_session_1=abc; c=d"), "abc");
  EXPECT_EQ(found("muster_session_12=no; xmuster_session_1=no; muster_session=no"), "");
  EXPECT_EQ(found(";;;=; muster_session_1"), "");
}

TEST(SessionCookie, IsOnlySentOverTlsWhereThereIsTls) {
  EXPECT_NE(session_cookie({.host = "h", .tls = true}, "x", 1h).find("; Secure"), std::string::npos);
  EXPECT_EQ(session_cookie({.host = "h", .tls = false}, "x", 1h).find("; Secure"), std::string::npos);
}

}  // namespace
}  // namespace muster::http
