// Waiting for an element of a list: lines, wake-ups, ends. The store answers as the test says.
#include "engine/keys.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "store/scripted_testing.h"

namespace muster::engine {
namespace {

namespace key = store::key;
using store::KeyAnswer;
using namespace std::chrono_literals;

class KeysTest : public testing::Test {
 protected:
  KeysTest() {
    store_.on(store::Verb::keyspace, [this](const store::KeyBatch& batch) -> Result<std::vector<KeyAnswer>> {
      ++asked_;
      if (during_) std::exchange(during_, {})();
      if (failure_) return *failure_;
      return std::vector<KeyAnswer>{take(batch.commands.front())};
    });
  }

  // What a store would do with a pop.
  KeyAnswer take(const store::KeyCommand& command) {
    if (refusal_) return KeyAnswer::refuse(*refusal_);
    for (const std::string& name : std::get<key::Pop>(command).keys) {
      auto& elements = lists_[name];
      if (elements.empty()) continue;
      KeyAnswer answer = KeyAnswer::bytes(elements.front());
      elements.erase(elements.begin());
      return answer;
    }
    return KeyAnswer::none();
  }

  KeyTicket await(const std::string& who, std::vector<std::string> names, Duration wait = 0s) {
    return keys_->await(key::Pop{std::move(names)}, wait, [this, who](Result<KeyAnswer> answer) {
      if (!answer.ok())
        got_[who] += "error " + std::string(to_string(answer.code())) + ";";
      else if (answer->kind == KeyAnswer::Kind::nothing)
        got_[who] += "nothing;";
      else
        got_[who] += answer->text + ";";
    });
  }
  void tell(const std::string& name, const std::string& ns = kDefaultNamespace) {
    const store::KeyPushed pushed{NamespaceName(ns), name};
    keys_->committed({.jobs = {}, .workers = {}, .queues = {}, .wakes = {}, .keys = std::span(&pushed, 1)});
  }
  void push(const std::string& name, std::vector<std::string> elements) {
    for (std::string& element : elements) lists_[name].push_back(std::move(element));
    tell(name);
  }

  store::ScriptedStore store_;
  ManualClock clock_;
  Options options_;
  std::map<std::string, std::vector<std::string>> lists_;
  std::map<std::string, std::string> got_;
  std::function<void()> during_;  // runs once, while the store is asked
  std::optional<Status> failure_;
  std::optional<std::string> refusal_;
  int asked_ = 0;
  // The last one: whoever still waits is answered when it goes.
  std::unique_ptr<Keys> keys_ = std::make_unique<Keys>(store_, clock_, options_);
};

TEST_F(KeysTest, AnElementThatIsThereIsAnsweredAtOnce) {
  lists_["l"] = {"x"};
  await("a", {"l"});
  EXPECT_EQ(got_["a"], "x;");
}

TEST_F(KeysTest, APushWakesTheFirstInLineAlone) {
  await("a", {"l"});
  await("b", {"l"});
  asked_ = 0;
  push("l", {"1"});
  EXPECT_EQ(got_["a"], "1;");
  EXPECT_EQ(got_["b"], "");
  push("l", {"2"});
  EXPECT_EQ(got_["b"], "2;");
}

TEST_F(KeysTest, SeveralElementsOfOnePushServeSeveral) {
  for (const char* who : {"a", "b", "c"}) await(who, {"l"});
  push("l", {"1", "2"});
  EXPECT_EQ(got_["a"], "1;");
  EXPECT_EQ(got_["b"], "2;");
  EXPECT_EQ(got_["c"], "");
}

TEST_F(KeysTest, APushBetweenTheLookAndTheLineIsNotMissed) {
  during_ = [this] { tell("l"); };  // told while the first look is under way
  await("a", {"l"});
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(got_["a"], "");
}

TEST_F(KeysTest, AnyOfItsListsWakesAWaiter) {
  await("a", {"l", "m"});
  push("m", {"x"});
  EXPECT_EQ(got_["a"], "x;");
  push("l", {"y"});
  EXPECT_EQ(lists_["l"].size(), 1u);
}

TEST_F(KeysTest, OtherListsAndOtherNamespacesWakeNobody) {
  await("a", {"l"});
  asked_ = 0;
  tell("m");
  tell("l", "elsewhere");
  EXPECT_EQ(asked_, 0);
}

TEST_F(KeysTest, AWaitEndsWithNothingAtItsTime) {
  await("a", {"l"}, 5s);
  EXPECT_LE(keys_->tick(), 1s);
  clock_.advance(4'999ms);
  keys_->tick();
  EXPECT_EQ(got_["a"], "");
  EXPECT_EQ(keys_->tick(), 1ms);
  clock_.advance(1ms);
  keys_->tick();
  EXPECT_EQ(got_["a"], "nothing;");
  push("l", {"x"});
  EXPECT_EQ(got_["a"], "nothing;");
}

TEST_F(KeysTest, AWaitOfZeroNeverEnds) {
  await("a", {"l"}, 0s);
  clock_.advance(24h);
  keys_->tick();
  EXPECT_EQ(got_["a"], "");
  push("l", {"x"});
  EXPECT_EQ(got_["a"], "x;");
}

TEST_F(KeysTest, TheFirstInLineLooksForItselfNowAndThen) {
  await("a", {"l"});
  await("b", {"l"});
  lists_["l"] = {"x"};  // pushed by another node: nobody is told
  asked_ = 0;
  clock_.advance(options_.claim_poll_every);
  keys_->tick();
  EXPECT_EQ(got_["a"], "x;");
  EXPECT_EQ(got_["b"], "");
  lists_["l"] = {"y"};
  clock_.advance(options_.claim_poll_every);
  keys_->tick();
  EXPECT_EQ(got_["b"], "y;");
}

TEST_F(KeysTest, ManyInOneLineCostOneLookAPeriod) {
  for (int i = 0; i < 50; ++i) await("w" + std::to_string(i), {"l"});
  asked_ = 0;
  clock_.advance(options_.claim_poll_every);
  keys_->tick();
  EXPECT_EQ(asked_, 1);
}

TEST_F(KeysTest, ACancelledWaitIsAnsweredWithNothingAndLeavesTheLine) {
  const KeyTicket ticket = await("a", {"l"});
  await("b", {"l"});
  keys_->cancel(ticket);
  EXPECT_EQ(got_["a"], "nothing;");
  push("l", {"x"});
  EXPECT_EQ(got_["b"], "x;");
  keys_->cancel(ticket);
  EXPECT_EQ(got_["a"], "nothing;");
}

TEST_F(KeysTest, ACancelWhileAnElementIsOnItsWayDeliversIt) {
  const KeyTicket ticket = await("a", {"l"});
  lists_["l"] = {"x"};
  during_ = [&] { keys_->cancel(ticket); };
  tell("l");
  EXPECT_EQ(got_["a"], "x;");
}

TEST_F(KeysTest, APushWhileTheFirstIsLeavingWakesTheNext) {
  const KeyTicket ticket = await("a", {"l"});
  await("b", {"l"});
  // While the first looks in vain it is cancelled, and something is pushed behind its back.
  during_ = [&] {
    keys_->cancel(ticket);
    tell("l");
  };
  clock_.advance(options_.claim_poll_every);
  asked_ = 0;
  keys_->tick();
  EXPECT_EQ(got_["a"], "nothing;");
  EXPECT_EQ(asked_, 2);  // the first one's look, and the next one's
}

TEST_F(KeysTest, ARefusalAndAFailureAreAnsweredAtOnce) {
  refusal_ = "WRONGTYPE";
  await("a", {"l"});
  EXPECT_EQ(got_["a"], "WRONGTYPE;");
  failure_ = Status::unavailable("the disk is full");
  await("b", {"l"});
  EXPECT_EQ(got_["b"], "error unavailable;");
}

TEST_F(KeysTest, AFailureDoesNotStopTheLine) {
  await("a", {"l"});
  await("b", {"l"});
  lists_["l"] = {"x"};
  failure_ = Status::unavailable("for a moment");
  during_ = [this] { during_ = [this] { failure_.reset(); }; };
  tell("l");
  EXPECT_EQ(got_["a"], "error unavailable;");
  EXPECT_EQ(got_["b"], "x;");
}

TEST_F(KeysTest, OneMoreThanMayWaitIsRefused) {
  options_.parked_max = 2;
  keys_ = std::make_unique<Keys>(store_, clock_, options_);
  await("a", {"l"});
  await("b", {"l"});
  await("c", {"l"});
  EXPECT_EQ(got_["c"], "error exhausted;");
}

TEST_F(KeysTest, StopAnswersEverybodyAndLetsNobodyWait) {
  await("a", {"l"});
  await("b", {"m"}, 5s);
  asked_ = 0;
  keys_->stop();
  EXPECT_EQ(got_["a"], "nothing;");
  EXPECT_EQ(got_["b"], "nothing;");
  EXPECT_EQ(asked_, 0);
  await("c", {"l"});
  EXPECT_EQ(got_["c"], "nothing;");
  keys_->stop();
}

}  // namespace
}  // namespace muster::engine
