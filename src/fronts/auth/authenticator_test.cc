#include "fronts/auth/authenticator.h"

#include <fmt/format.h>
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
  Authenticator auth(options());
  const auto caller = auth.authenticate("Bearer s2", "10.0.0.1", 0s);
  ASSERT_TRUE(caller.ok());
  EXPECT_EQ(caller->caller.name, "w");
  EXPECT_EQ(caller->caller.role, Role::worker);
  EXPECT_EQ(caller->caller.worker, WorkerId("w1"));
  EXPECT_EQ(caller->caller.address, "10.0.0.1");
}

TEST(Authenticator, AcceptsTheSchemeInAnyCaseAndNothingElse) {
  Authenticator auth(options());
  EXPECT_TRUE(auth.authenticate("bearer s1", "a", 0s).ok());
  EXPECT_TRUE(auth.authenticate("BEARER  s1", "a", 0s).ok());
  for (const char* bad : {"s1", "Basic s1", "Bearer", "Bearer ", "Bearer s", "Bearer s11", "Bearers1"}) {
    Authenticator fresh(options());
    EXPECT_EQ(fresh.authenticate(bad, "a", 0s).code(), Code::unauthenticated) << bad;
  }
}

TEST(Authenticator, DoublesTheWaitUpToItsBound) {
  Authenticator auth(options());
  Ticks now = 0s;
  for (std::uint32_t i = 0; i < kFreeFailures; ++i)
    EXPECT_EQ(auth.authenticate("Bearer x", "a", now).code(), Code::unauthenticated);
  for (const Duration wait : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    EXPECT_EQ(auth.authenticate("Bearer x", "a", now + wait - 1ms).code(), Code::exhausted) << wait.count();
    now += wait;
    EXPECT_EQ(auth.authenticate("Bearer x", "a", now).code(), Code::unauthenticated) << wait.count();
  }
  EXPECT_EQ(auth.authenticate("Bearer x", "b", now).code(), Code::unauthenticated) << "another address has its own count";
}

TEST(Authenticator, ForgetsOldFailures) {
  Authenticator auth(options());
  for (std::uint32_t i = 0; i <= kFreeFailures; ++i) (void)auth.authenticate("Bearer x", "a", 0s).ok();
  const Ticks later = kFailureForgotten + 1min;
  EXPECT_EQ(auth.authenticate("Bearer x", "a", later).code(), Code::unauthenticated);
  EXPECT_EQ(auth.authenticate("Bearer x", "a", later).code(), Code::unauthenticated) << "the count began anew";
}

TEST(Authenticator, ForgetsTheQuietestAddressWhenItsTableIsFull) {
  Authenticator auth(options());
  for (std::uint32_t i = 0; i <= kFreeFailures; ++i) (void)auth.authenticate("Bearer x", "first", Ticks(i)).ok();
  ASSERT_EQ(auth.authenticate("Bearer x", "first", Ticks(100)).code(), Code::exhausted);
  for (std::size_t i = 0; i < kFailingAddressesMax; ++i)
    (void)auth.authenticate("Bearer x", fmt::format("address-{}", i), Ticks(1'000 + i)).ok();
  EXPECT_EQ(auth.authenticate("Bearer x", "first", Ticks(9'000)).code(), Code::unauthenticated) << "it made room for another";
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

TEST(Authenticator, JudgesAgainWhetherACredentialHolds) {
  Authenticator before(options());
  const auto credential = before.authenticate("Bearer s1", "a", 0s);
  ASSERT_TRUE(credential.ok());
  EXPECT_TRUE(before.still_valid(*credential));
  AuthOptions changed = options();
  changed.tokens[0].role = Role::read_only;
  EXPECT_FALSE(Authenticator(changed).still_valid(*credential)) << "the token means less now";
}

}  // namespace
}  // namespace muster::auth
