#include "fronts/auth/browser_sessions.h"

#include <gtest/gtest.h>

#include <set>

namespace muster::auth {
namespace {

using namespace std::chrono_literals;

Credential reader(std::uint8_t number = 1) {
  Credential out{.caller = {.role = command::Role::read_only, .name = "eye", .address = "127.0.0.1", .worker = {}}};
  out.digest.fill(number);
  out.anonymous = false;
  return out;
}

class BrowserSessionsTest : public testing::Test {
 protected:
  std::string open(Credential credential = reader()) {
    const auto opened = sessions_.open(std::move(credential), now_);
    EXPECT_TRUE(opened.ok()) << opened.status().text();
    return opened.ok() ? opened->id : "";
  }
  bool knows(const std::string& id) { return sessions_.find(id, now_).has_value(); }

  Ticks now_ = 1h;
  BrowserSessions sessions_;
};

TEST_F(BrowserSessionsTest, AnIdStandsForItsToken) {
  const std::string id = open();
  EXPECT_EQ(id.size(), 64u);
  const auto found = sessions_.find(id, now_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->credential.caller.name, "eye");
  EXPECT_EQ(found->credential.digest, reader().digest);
  EXPECT_NE(found->credential.session, Digest{});
  EXPECT_TRUE(sessions_.is_open(found->credential.session, now_));
}

TEST_F(BrowserSessionsTest, OtherIdsStandForNobody) {
  const std::string id = open();
  EXPECT_FALSE(knows(""));
  EXPECT_FALSE(knows(id.substr(1)));
  EXPECT_FALSE(knows(std::string(64, '0')));
}

TEST_F(BrowserSessionsTest, NoTwoIdsAreAlike) {
  std::set<std::string> ids;
  for (int i = 0; i < 50; ++i) ids.insert(open());
  EXPECT_EQ(ids.size(), 50u);
}

TEST_F(BrowserSessionsTest, EndsWhenItIsClosed) {
  const std::string id = open();
  EXPECT_TRUE(sessions_.close(id));
  EXPECT_FALSE(sessions_.close(id));
  EXPECT_FALSE(knows(id));
}

TEST_F(BrowserSessionsTest, SessionsAndLinksOfATokenThatIsGoneDoNotComeBackWithIt) {
  const std::string gone = open(reader(1));
  const std::string kept = open(reader(2));
  const auto link = sessions_.make_link(reader(1), now_);
  ASSERT_TRUE(link.ok());
  sessions_.forget_unless([](const Credential& credential) { return credential.digest == reader(2).digest; });
  EXPECT_FALSE(knows(gone));
  EXPECT_TRUE(knows(kept));
  EXPECT_FALSE(sessions_.take_link(*link, now_));
}

TEST_F(BrowserSessionsTest, EndsWhenNobodyUsesIt) {
  const std::string id = open();
  now_ += Ticks(kBrowserSessionIdle) - 1ns;
  EXPECT_TRUE(knows(id));  // which is a use
  now_ += Ticks(kBrowserSessionIdle) - 1ns;
  EXPECT_TRUE(knows(id));
  now_ += kBrowserSessionIdle;
  EXPECT_FALSE(knows(id));
  EXPECT_TRUE(sessions_.empty());
}

TEST_F(BrowserSessionsTest, EndsAfterItsLifeHoweverMuchItIsUsed) {
  const std::string id = open();
  const Ticks ends = now_ + Ticks(kBrowserSessionLife);
  for (; now_ < ends; now_ += 1h) EXPECT_TRUE(knows(id));
  EXPECT_FALSE(knows(id));
}

TEST_F(BrowserSessionsTest, TheOneOfATokenThatWasUnusedLongestGivesWay) {
  const std::string first = open();
  now_ += 1s;
  const std::string second = open();
  for (std::size_t i = 2; i < kBrowserSessionsPerTokenMax; ++i) open();
  now_ += 1s;
  EXPECT_TRUE(knows(first));
  open();
  EXPECT_TRUE(knows(first));
  EXPECT_FALSE(knows(second));
}

TEST_F(BrowserSessionsTest, ThereAreNoMoreThanTheBound) {
  for (std::size_t i = 0; i < kBrowserSessionsMax; ++i) open(reader(static_cast<std::uint8_t>(i / kBrowserSessionsPerTokenMax)));
  EXPECT_EQ(sessions_.open(reader(200), now_).code(), Code::exhausted);
  now_ += kBrowserSessionIdle;
  EXPECT_TRUE(sessions_.open(reader(200), now_).ok());
}

TEST_F(BrowserSessionsTest, ALinkSignsInOnce) {
  const auto code = sessions_.make_link(reader(), now_);
  ASSERT_TRUE(code.ok());
  EXPECT_FALSE(sessions_.take_link("another", now_));
  const auto taken = sessions_.take_link(*code, now_);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->caller.role, command::Role::read_only);
  EXPECT_FALSE(sessions_.take_link(*code, now_));
}

TEST_F(BrowserSessionsTest, ALinkIsNoSessionAndASessionIsNoLink) {
  const auto code = sessions_.make_link(reader(), now_);
  EXPECT_FALSE(knows(*code));
  EXPECT_FALSE(sessions_.take_link(open(), now_));
}

TEST_F(BrowserSessionsTest, ALinkIsShortLived) {
  const auto code = sessions_.make_link(reader(), now_);
  now_ += kSignInLinkLife;
  EXPECT_FALSE(sessions_.take_link(*code, now_));
}

TEST_F(BrowserSessionsTest, UnusedLinksAreBounded) {
  const auto by = [](std::size_t token) {
    Credential out = reader();
    out.digest[1] = static_cast<std::uint8_t>(token);
    return out;
  };
  for (std::size_t token = 0; token < kSignInLinksMax / kSignInLinksPerTokenMax; ++token)
    for (std::size_t i = 0; i < kSignInLinksPerTokenMax; ++i) EXPECT_TRUE(sessions_.make_link(by(token), now_).ok());
  EXPECT_EQ(sessions_.make_link(reader(2), now_).code(), Code::exhausted);
  now_ += kSignInLinkLife;
  EXPECT_TRUE(sessions_.make_link(reader(2), now_).ok());
}

TEST_F(BrowserSessionsTest, ATokensOldestLinkGivesWayAndNobodyElses) {
  const auto others = sessions_.make_link(reader(2), now_);
  const auto oldest = sessions_.make_link(reader(), now_);
  for (std::size_t i = 0; i < 2 * kSignInLinksMax; ++i) ASSERT_TRUE(sessions_.make_link(reader(), now_).ok());
  EXPECT_FALSE(sessions_.take_link(*oldest, now_));
  EXPECT_TRUE(sessions_.take_link(*others, now_));
}

}  // namespace
}  // namespace muster::auth
