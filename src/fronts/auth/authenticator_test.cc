#include "fronts/auth/authenticator.h"

#include <gtest/gtest.h>

namespace muster::auth {
namespace {

using namespace std::chrono_literals;
using command::Role;

AuthOptions options() {
  return {.tokens = {{.name = "ops", .role = Role::operator_role, .secret = "s1", .worker = {}},
                     {.name = "w", .role = Role::worker, .secret = "s2", .worker = WorkerId("w1")}},
          .required = true};
}

TEST(Authenticator, KnowsTheCallerByItsToken) {
  Authenticator auth(options(), std::make_shared<Brake>());
  const auto caller = auth.authenticate("Bearer s2", "10.0.0.1", 0s);
  ASSERT_TRUE(caller.ok());
  EXPECT_EQ(caller->caller.name, "w");
  EXPECT_EQ(caller->caller.role, Role::worker);
  EXPECT_EQ(caller->caller.worker, WorkerId("w1"));
  EXPECT_EQ(caller->caller.address, "10.0.0.1");
}

TEST(Authenticator, KnowsACallerAgainByItsNameWhileItsTokenIsThere) {
  const Authenticator auth(options(), std::make_shared<Brake>());
  ASSERT_TRUE(auth.by_name("w"));
  EXPECT_EQ(auth.by_name("w")->caller.worker, WorkerId("w1"));
  EXPECT_TRUE(auth.still_valid(*auth.by_name("w")));
  EXPECT_FALSE(auth.by_name("gone"));
  EXPECT_FALSE(auth.by_name("anonymous")) << "tokens are required";
  const Authenticator open({.tokens = options().tokens}, std::make_shared<Brake>());
  EXPECT_TRUE(open.by_name("anonymous"));
  EXPECT_FALSE(open.by_name("")) << "nobody has no name";
}

AuthOptions with_certificate() {
  AuthOptions out = options();
  out.certificates = {{.name = "c", .role = Role::worker, .sha256 = std::string(64, 'a'), .worker = WorkerId("w2")}};
  return out;
}

TEST(Fingerprint, IsReadWithAndWithoutColonsInAnyCase) {
  std::string colons = "AA";
  for (int i = 1; i < 32; ++i) colons += ":aA";
  EXPECT_EQ(parse_fingerprint(colons), parse_digest(std::string(64, 'a')));
  EXPECT_EQ(parse_fingerprint(std::string(64, 'A')), parse_digest(std::string(64, 'a')));
  for (const std::string& bad : {std::string(), std::string(":"), std::string(62, 'a'), std::string(64, 'g'), colons + ":aa"})
    EXPECT_FALSE(parse_fingerprint(bad)) << bad;
}

TEST(Authenticator, KnowsTheCallerByItsCertificate) {
  const Authenticator auth(with_certificate(), std::make_shared<Brake>());
  const auto caller = auth.authenticate_certificate(*parse_fingerprint(std::string(64, 'a')), "10.0.0.1");
  ASSERT_TRUE(caller.ok());
  EXPECT_EQ(caller->caller.name, "c");
  EXPECT_EQ(caller->caller.worker, WorkerId("w2"));
  EXPECT_TRUE(caller->certificate);
  EXPECT_TRUE(auth.still_valid(*caller));
  EXPECT_TRUE(auth.by_name("c")->certificate);
  EXPECT_EQ(auth.authenticate_certificate(*parse_fingerprint(std::string(64, 'b')), "a").code(), Code::unauthenticated);
  EXPECT_FALSE(Authenticator(options(), std::make_shared<Brake>()).still_valid(*caller));
}

TEST(Authenticator, WhereNobodyNeedsATokenAnyVerifiedCertificateWillDo) {
  AuthOptions open = with_certificate();
  open.required = false;
  const Authenticator auth(open, std::make_shared<Brake>());
  EXPECT_TRUE(auth.authenticate_certificate(*parse_fingerprint(std::string(64, 'b')), "a")->anonymous);
  EXPECT_EQ(auth.authenticate_certificate(*parse_fingerprint(std::string(64, 'a')), "a")->caller.name, "c");
}

// The certificate itself is sent in the clear: who has seen it could hash to its fingerprint.
TEST(Authenticator, WhatHashesToAFingerprintIsNoToken) {
  AuthOptions twin = options();
  // SHA-256 of "abc".
  const std::string of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  twin.certificates = {{.name = "c", .role = Role::operator_role, .sha256 = of_abc, .worker = {}}};
  const Authenticator auth(twin, std::make_shared<Brake>());
  EXPECT_TRUE(auth.authenticate_certificate(*parse_digest(of_abc), "a").ok());
  EXPECT_EQ(auth.authenticate("Bearer abc", "a", 0s).code(), Code::unauthenticated);
}

TEST(Authenticator, RefusesCertificatesThatCannotBeMeant) {
  const auto refused = [](Certificate certificate) {
    AuthOptions out = options();
    out.certificates = {std::move(certificate)};
    return Authenticator::validate(out).code() == Code::invalid_argument;
  };
  const std::string good(64, 'a');
  EXPECT_FALSE(refused({.name = "c", .role = Role::worker, .sha256 = good, .worker = WorkerId("w")}));
  EXPECT_TRUE(refused({.name = "", .role = Role::worker, .sha256 = good, .worker = {}}));
  EXPECT_TRUE(refused({.name = "c", .role = Role::worker, .sha256 = "abc", .worker = {}}));
  EXPECT_TRUE(refused({.name = "c", .role = Role::operator_role, .sha256 = good, .worker = WorkerId("w")}));
  EXPECT_TRUE(
      refused({.name = "c", .role = Role::worker, .sha256 = good, .worker = {}, .namespaces = std::vector<NamespaceName>()}));
  AuthOptions twice = with_certificate();
  twice.certificates.push_back(twice.certificates.front());
  EXPECT_FALSE(Authenticator::validate(twice).ok());
}

TEST(Authenticator, AcceptsTheSchemeInAnyCaseAndNothingElse) {
  Authenticator auth(options(), std::make_shared<Brake>());
  EXPECT_TRUE(auth.authenticate("bearer s1", "a", 0s).ok());
  EXPECT_TRUE(auth.authenticate("BEARER  s1", "a", 0s).ok());
  for (const char* bad : {"s1", "Basic s1", "Bearer", "Bearer ", "Bearer s", "Bearer s11", "Bearers1"}) {
    Authenticator fresh(options(), std::make_shared<Brake>());
    EXPECT_EQ(fresh.authenticate(bad, "a", 0s).code(), Code::unauthenticated) << bad;
  }
}

TEST(Authenticator, AWrongTokenWaitsAndARightOneNeverDoes) {
  const Authenticator auth(options(), std::make_shared<Brake>());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(auth.authenticate("Bearer x", "a", 1h).code(), Code::unauthenticated) << i;
  EXPECT_EQ(auth.authenticate("Bearer x", "a", 1h + 999ms).code(), Code::exhausted);
  EXPECT_TRUE(auth.authenticate("Bearer s1", "a", 1h).ok()) << "it was never used from there, and is right";
  EXPECT_TRUE(auth.authenticate("Bearer s2", "a", 1h).ok());
  EXPECT_EQ(auth.authenticate("Bearer x", "b", 1h).code(), Code::unauthenticated) << "another address has its own count";
  EXPECT_EQ(auth.authenticate("Bearer x", "a", 1h + 1s).code(), Code::unauthenticated);
}

TEST(Authenticator, FrontsThatShareABrakeShareTheWait) {
  const auto brake = std::make_shared<Brake>();
  const Authenticator one(options(), brake);
  const Authenticator other(options(), brake);
  for (int i = 0; i < 6; ++i) (void)one.authenticate("Bearer x", "a", 1h).ok();
  EXPECT_EQ(other.authenticate("Bearer x", "a", 1h).code(), Code::exhausted);
  EXPECT_TRUE(other.authenticate("Bearer s1", "a", 1h).ok());
}

TEST(Authenticator, RefusesOptionsThatCannotWork) {
  EXPECT_EQ(Authenticator::validate({.tokens = {}, .required = true}).code(), Code::invalid_argument);
  EXPECT_EQ(
      Authenticator::validate({.tokens = {{.name = "a", .role = Role::worker, .secret = "", .worker = {}}}, .required = false})
          .code(),
      Code::invalid_argument);
  EXPECT_EQ(Authenticator::validate(
                {.tokens = {{.name = "a", .role = Role::read_only, .secret = "x", .worker = WorkerId("w")}}, .required = false})
                .code(),
            Code::invalid_argument);
  const Status twice = Authenticator::validate({.tokens = {{.name = "a", .role = Role::worker, .secret = "same", .worker = {}},
                                                           {.name = "b", .role = Role::worker, .secret = "same", .worker = {}}},
                                                .required = false});
  EXPECT_EQ(twice.code(), Code::invalid_argument);
  EXPECT_EQ(twice.message().find("same secret") == std::string::npos, false);
  EXPECT_TRUE(Authenticator::validate(options()).ok());
}

TEST(Authenticator, ATokenCarriesItsNamespaces) {
  AuthOptions bound = options();
  bound.tokens[0].namespaces = {NamespaceName("a")};
  const Authenticator auth(bound, std::make_shared<Brake>());
  const auto credential = auth.authenticate("Bearer s1", "x", 0s);
  ASSERT_TRUE(credential.ok());
  EXPECT_TRUE(command::may_use(credential->caller, NamespaceName("a")));
  EXPECT_EQ(command::authorize_namespace(credential->caller, NamespaceName("b")).code(), Code::permission_denied);
  EXPECT_EQ(command::authorize_everywhere(credential->caller, "x").code(), Code::permission_denied);
  EXPECT_TRUE(command::may_use(auth.authenticate("Bearer s2", "x", 0s)->caller, NamespaceName("b")));
  EXPECT_FALSE(Authenticator(options(), std::make_shared<Brake>()).still_valid(*credential)) << "it reached less before";
  bound.tokens[0].namespaces = std::vector<NamespaceName>();
  EXPECT_EQ(Authenticator::validate(bound).code(), Code::invalid_argument);
}

TEST(Authenticator, ATokenMayBeKnownByItsDigestAlone) {
  AuthOptions digests = options();
  digests.tokens[0].secret.clear();
  EXPECT_EQ(Authenticator::validate(digests).code(), Code::invalid_argument);
  digests.tokens[0].sha256 = "e8bc163c82eee18733288c7d4ac636db3a6deb013ef2d37b68322be20edc45cc";  // of "s1"
  ASSERT_TRUE(Authenticator::validate(digests).ok());
  const Authenticator auth(digests, std::make_shared<Brake>());
  EXPECT_TRUE(auth.authenticate("Bearer s1", "x", 0s).ok());
  EXPECT_FALSE(auth.authenticate("Bearer " + digests.tokens[0].sha256, "x", 0s).ok());
  digests.tokens[1].secret = "s1";
  EXPECT_EQ(Authenticator::validate(digests).code(), Code::invalid_argument) << "the same secret in two forms";
  digests.tokens[0].sha256 = "abc";
  EXPECT_EQ(Authenticator::validate(digests).code(), Code::invalid_argument);
}

TEST(Authenticator, JudgesAgainWhetherACredentialHolds) {
  Authenticator before(options(), std::make_shared<Brake>());
  const auto credential = before.authenticate("Bearer s1", "a", 0s);
  ASSERT_TRUE(credential.ok());
  EXPECT_TRUE(before.still_valid(*credential));
  AuthOptions changed = options();
  changed.tokens[0].role = Role::read_only;
  EXPECT_FALSE(Authenticator(changed, std::make_shared<Brake>()).still_valid(*credential)) << "the token means less now";
}

}  // namespace
}  // namespace muster::auth
