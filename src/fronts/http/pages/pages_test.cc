#include "fronts/http/pages/pages.h"

#include <gtest/gtest.h>

#include <array>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

constexpr std::array<embedded::File, 6> kDashboard{{
    {"assets/app-3f2a91bc.js", "console.log('all of the dashboard')"},
    {"assets/app-3f2a91bc.js.br", "brotli"},
    {"assets/app-3f2a91bc.js.gz", "gzip"},
    {"favicon.svg", "<svg/>"},
    {"index.html", "<!doctype html><title>Muster</title>"},
    {"index.html.gz", "gzipped index"},
}};

class PagesTest : public FrontTest {
 protected:
  void start_with_dashboard() {
    HttpOptions options;
    options.pages = kDashboard;
    start(std::move(options));
  }
};

TEST_F(PagesTest, TheRootIsTheIndexAndIsAskedForAgain) {
  start_with_dashboard();
  const Answer answer = call("GET", "/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, kDashboard[4].text);
  EXPECT_EQ(answer.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(answer.headers.at("cache-control"), "no-cache");
  const Answer again = call("GET", "/", "", "If-None-Match: " + answer.headers.at("etag") + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(again.headers.count("content-length"), 0U);
  EXPECT_EQ(call("GET", "/", "", "If-None-Match: \"another\"\r\n").status, 200);
}

TEST_F(PagesTest, HashedFilesAreKeptForAYear) {
  start_with_dashboard();
  const Answer answer = call("GET", "/assets/app-3f2a91bc.js");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("cache-control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(answer.headers.at("content-type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(call("GET", "/favicon.svg").headers.at("cache-control"), "no-cache");
}

TEST_F(PagesTest, TheSmallestFormThatABrowserTakesIsSent) {
  start_with_dashboard();
  const Answer brotli = call("GET", "/assets/app-3f2a91bc.js", "", "Accept-Encoding: gzip, deflate, br\r\n");
  EXPECT_EQ(brotli.headers.at("content-encoding"), "br");
  EXPECT_EQ(brotli.body, "brotli");
  const Answer gzip = call("GET", "/assets/app-3f2a91bc.js", "", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(gzip.headers.at("content-encoding"), "gzip");
  EXPECT_EQ(gzip.body, "gzip");
  const Answer plain = call("GET", "/assets/app-3f2a91bc.js");
  EXPECT_EQ(plain.headers.count("content-encoding"), 0U);
  EXPECT_EQ(plain.headers.at("vary"), "Accept-Encoding");
}

TEST_F(PagesTest, EveryAnswerForbidsForeignScriptsAndFrames) {
  start_with_dashboard();
  for (const char* path : {"/", "/jobs", "/assets/app-3f2a91bc.js", "/favicon.svg"}) {
    const Answer answer = call("GET", path);
    EXPECT_EQ(
        answer.headers.at("content-security-policy"),
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
        << path;
    EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff") << path;
    EXPECT_EQ(answer.headers.at("referrer-policy"), "no-referrer") << path;
  }
}

TEST_F(PagesTest, PathsOfTheDashboardAreTheIndexAndPathsOfProgramsAreNot) {
  start_with_dashboard();
  for (const char* page : {"/jobs", "/jobs/0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a1b", "/packages", "/packages/tools",
                           "/workflows/x/y", "/workers/encoder-1.example.org", "/jobs/..%2f..%2fetc"})
    EXPECT_EQ(call("GET", page).body, kDashboard[4].text) << page;
  for (const char* nothing : {"/api/v1/nothing", "/api/v2", "/assets/app-00000000.js", "/robots.txt", "/ws/nothing"})
    EXPECT_EQ(call("GET", nothing).status, 404) << nothing;
  EXPECT_EQ(call("POST", "/jobs", "{}").status, 404);
  EXPECT_EQ(call("GET", "/healthz").body, "ok\n");
}

TEST_F(PagesTest, NobodyNeedsATokenForThem) {
  HttpOptions options;
  options.pages = kDashboard;
  options.auth = {.tokens = {{.name = "ops", .role = command::Role::operator_role, .secret = "s3cret"}}, .required = true};
  start(std::move(options));
  EXPECT_EQ(call("GET", "/jobs").status, 200);
  EXPECT_EQ(call("GET", "/api/v1/jobs").status, 401);
}

TEST_F(PagesTest, ABuildWithoutThemSaysWhatIsMissing) {
  HttpOptions options;
  options.pages_missing = "npm was not there when it was built";
  start(std::move(options));
  const Answer answer = call("GET", "/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find("npm was not there when it was built"), std::string::npos) << answer.body;
  EXPECT_EQ(call("GET", "/jobs").status, 404);
}

TEST_F(PagesTest, HeadSendsNoBody) {
  start_with_dashboard();
  Client client = connect();
  client.send("HEAD /assets/app-3f2a91bc.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  const Answer answer = client.read_answer(true);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(kDashboard[0].text.size()));
}

}  // namespace
}  // namespace muster::http
