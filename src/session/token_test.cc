// Session tokens: the reference's own bytes, and conformance case 31.
#include "session/token.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <string>

#include "base/base64.h"

namespace muster::session {
namespace {

constexpr std::string_view kSecret = "dev-session-secret";
constexpr const char* kSid = "5f0c3a52-7d0e-4c0e-9a59-0c5d2a1f6b11";
constexpr const char* kWid = "7a9c624c-a264-4858-819a-dd086d283261";
constexpr std::int64_t kIssued = 1'794'729'445;

// What the reference server sent when it accepted a session, and one second later when the session was resumed.
constexpr const char* kFirstToken =
    "eyJleHAiOjE3OTQ3MzMwNDUsImlhdCI6MTc5NDcyOTQ0NSwic2lkIjoiNWYwYzNhNTItN2QwZS00YzBlLTlhNTktMGM1ZDJhMWY2YjExIiwidGVuYW50IjoiZG"
    "VmYXVsdCIsIndpZCI6IjdhOWM2MjRjLWEyNjQtNDg1OC04MTlhLWRkMDg2ZDI4MzI2MSJ9.HNRCOKELIwH41C3HvoBX2_w34yRSRIRMZIWEQH9Yb8w";
constexpr const char* kSecondToken =
    "eyJleHAiOjE3OTQ3MzMwNDYsImlhdCI6MTc5NDcyOTQ0Niwic2lkIjoiNWYwYzNhNTItN2QwZS00YzBlLTlhNTktMGM1ZDJhMWY2YjExIiwidGVuYW50IjoiZG"
    "VmYXVsdCIsIndpZCI6IjdhOWM2MjRjLWEyNjQtNDg1OC04MTlhLWRkMDg2ZDI4MzI2MSJ9.lONjq2eFkhEapwx50u973RcjaUBw8QSAF395nkxzxbs";

TokenClaims claims_at(std::int64_t issued) {
  return {.exp = issued + kSessionTokenLife.count(), .iat = issued, .sid = kSid, .tenant = "default", .wid = kWid};
}

Instant at_second(std::int64_t second) { return Instant(std::chrono::seconds(second)); }

TEST(Token, IsTheSameBytesAsTheReference) {
  EXPECT_EQ(make_token(kSecret, claims_at(kIssued)), kFirstToken);
  EXPECT_EQ(make_token(kSecret, claims_at(kIssued + 1)), kSecondToken);
}

TEST(Token, OpensToItsClaims) {
  const auto claims = open_token(kSecret, kFirstToken);
  ASSERT_TRUE(claims);
  EXPECT_EQ(claims->exp, kIssued + 3'600);
  EXPECT_EQ(claims->iat, kIssued);
  EXPECT_EQ(claims->sid, kSid);
  EXPECT_EQ(claims->tenant, "default");
  EXPECT_EQ(claims->wid, kWid);
}

TEST(Token, ClaimsOfAnyLettersSurvive) {
  TokenClaims claims = claims_at(kIssued);
  claims.tenant = "m\u00fcller \"quoted\" \U0001F600";
  EXPECT_EQ(open_token("", make_token("", claims))->tenant, claims.tenant);
}

TEST(Token, OneChangedLetterAnywhereIsRefused) {
  std::string token = kFirstToken;
  for (char& c : token) {
    const char before = c;
    c = before == 'A' ? 'B' : 'A';
    EXPECT_FALSE(open_token(kSecret, token)) << token;
    c = before;
  }
  EXPECT_TRUE(open_token(kSecret, token));
  EXPECT_FALSE(open_token("another secret", token));
}

TEST(Token, MalformedTextsAreRefused) {
  const std::string good = kFirstToken;
  EXPECT_FALSE(open_token(kSecret, ""));
  EXPECT_FALSE(open_token(kSecret, "."));
  EXPECT_FALSE(open_token(kSecret, "a.b"));
  EXPECT_FALSE(open_token(kSecret, good.substr(0, good.find('.'))));
  EXPECT_FALSE(open_token(kSecret, good.substr(0, good.find('.') + 1)));
  EXPECT_FALSE(open_token(kSecret, good + "."));
  EXPECT_FALSE(open_token(kSecret, good + "="));
  EXPECT_FALSE(open_token(kSecret, std::string(kSessionTokenBytesMax + 1, 'A')));
}

// A text with our signature is still judged: its claims must be there, and of their types.
TEST(Token, SignedClaimsThatAreNoneAreRefused) {
  const auto signed_text = [](std::string_view text) {
    std::array<unsigned char, 32> mac;
    HMAC(EVP_sha256(), kSecret.data(), static_cast<int>(kSecret.size()), reinterpret_cast<const unsigned char*>(text.data()),
         text.size(), mac.data(), nullptr);
    return to_base64url(text) + "." + to_base64url({reinterpret_cast<const char*>(mac.data()), mac.size()});
  };
  EXPECT_TRUE(open_token(kSecret, signed_text(R"({"exp":1,"sid":"s","tenant":"t","wid":"w","more":1})")));
  for (const char* text :
       {"", "[]", R"({"sid":"s","tenant":"t","wid":"w"})", R"({"exp":1.5,"sid":"s","tenant":"t","wid":"w"})",
        R"({"exp":"1","sid":"s","tenant":"t","wid":"w"})", R"({"exp":1,"sid":7,"tenant":"t","wid":"w"})",
        R"({"exp":18446744073709551615,"sid":"s","tenant":"t","wid":"w"})", R"({"exp":1,"sid":"s","wid":"w"})"})
    EXPECT_FALSE(open_token(kSecret, signed_text(text))) << text;
}

struct Resume {
  KnownSession known{.instance_id = kWid, .tenant = "default", .session_id = kSid, .registered = true};
  ResumeClaim claim{.tenant = "default", .session_id = kSid, .token = kFirstToken};
  Instant now = at_second(kIssued);

  std::optional<ResumeFault> judged() const { return judge_resume(&known, claim, kSecret, now); }
};

TEST(Resume, IsAllowedUntilTheTokenExpires) {
  Resume resume;
  EXPECT_EQ(resume.judged(), std::nullopt);
  resume.claim.token = kSecondToken;  // any token of the session, not only the newest
  EXPECT_EQ(resume.judged(), std::nullopt);
  resume.now = at_second(kIssued + 3'601);
  EXPECT_EQ(resume.judged(), std::nullopt);
  resume.now = at_second(kIssued + 3'602);
  EXPECT_EQ(resume.judged(), ResumeFault::invalid_token);
}

TEST(Resume, Case31EachCheckHasItsCode) {
  EXPECT_EQ(judge_resume(nullptr, Resume().claim, kSecret, at_second(kIssued)), ResumeFault::unknown);
  Resume tenant;
  tenant.claim.tenant = "other";
  EXPECT_EQ(tenant.judged(), ResumeFault::tenant_mismatch);
  Resume unregistered;
  unregistered.known.registered = false;
  EXPECT_EQ(unregistered.judged(), ResumeFault::not_registered);
  Resume sessionless;
  sessionless.known.session_id = "";
  EXPECT_EQ(sessionless.judged(), ResumeFault::not_registered);
  Resume other_session;
  other_session.claim.session_id = "another";
  EXPECT_EQ(other_session.judged(), ResumeFault::mismatch);
  Resume bad_mac;
  bad_mac.claim.token = "eyJ9.AAAA";
  EXPECT_EQ(bad_mac.judged(), ResumeFault::invalid_token);
  Resume other_instance;
  other_instance.known.instance_id = "another";
  EXPECT_EQ(other_instance.judged(), ResumeFault::invalid_token);

  EXPECT_EQ(code_of(ResumeFault::unknown).code, "E.SESSION.UNKNOWN");
  EXPECT_EQ(code_of(ResumeFault::unknown).reason, "Unknown session");
  EXPECT_EQ(code_of(ResumeFault::tenant_mismatch).code, "E.SESSION.TENANT_MISMATCH");
  EXPECT_EQ(code_of(ResumeFault::not_registered).code, "E.SESSION.NOT_REGISTERED");
  EXPECT_EQ(code_of(ResumeFault::mismatch).code, "E.SESSION.MISMATCH");
  EXPECT_EQ(code_of(ResumeFault::invalid_token).code, "E.SESSION.INVALID_TOKEN");
}

TEST(Resume, TheFirstCheckThatFailsDecides) {
  Resume all_wrong;
  all_wrong.claim = {.tenant = "other", .session_id = "another", .token = "x"};
  all_wrong.known.registered = false;
  EXPECT_EQ(all_wrong.judged(), ResumeFault::tenant_mismatch);
  all_wrong.claim.tenant = "default";
  EXPECT_EQ(all_wrong.judged(), ResumeFault::not_registered);
  all_wrong.known.registered = true;
  EXPECT_EQ(all_wrong.judged(), ResumeFault::mismatch);
  all_wrong.claim.session_id = kSid;
  EXPECT_EQ(all_wrong.judged(), ResumeFault::invalid_token);
}

}  // namespace
}  // namespace muster::session
