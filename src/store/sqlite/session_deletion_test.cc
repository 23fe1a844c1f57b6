// A long session is deleted a part at a time, and others have their turn in between.
#include <optional>

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "store/sqlite/open_testing.h"

namespace muster::store::sqlite {
namespace {

constexpr std::size_t kParts = 4;

class SessionDeletionTest : public testing::Test {
 protected:
  template <class T, class Call>
  T ask(Call call) {
    Result<T> answer = muster::ask<T>(std::move(call), [this] { return store_->pump(); });
    check(answer.ok(), answer.status().text());
    return std::move(*answer);
  }
  Uuid fresh() { return {0x0190'0000'0000'7000ULL, 0x8000'0000'0000'0000ULL | ++ids_}; }

  // A session whose run has ended, with so many messages.
  AgentSession long_session(std::size_t messages) {
    Agent agent;
    agent.id = AgentId{fresh()};
    agent.spec.name = "talker";
    agent.spec.model = "claude-x";
    ask<Agent>([&](auto reply) { store_->put_agent({agent}, std::move(reply)); });
    AgentSession session;
    session.id = AgentSessionId{fresh()};
    session = ask<AgentSession>([&](auto reply) { store_->create_session({session}, std::move(reply)); });
    AgentRunStart start;
    start.run.session = session.id;
    start.run.agent = agent.id;
    start.run.prompt = "hello";
    start.job.type = JobType("agent.run");
    AgentRunWrite write{ask<AgentRunStarted>([&](auto reply) { store_->start_agent_run(start, std::move(reply)); }).run};
    for (std::size_t i = 0; i < messages; ++i) {
      AgentMessage message;
      message.id = MessageId{fresh()};
      write.messages.push_back(message);
    }
    write.run.state = AgentRunState::completed;
    write.run.finalized_at = clock_.now();
    ask<AgentRunWritten>([&](auto reply) { store_->write_agent_run(write, std::move(reply)); });
    return session;
  }

  TempFolder folder_;
  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<SqliteStore> store_ = open_for_test(folder_.path("muster.db"), clock_, metrics_, Threading::manual);
  std::uint64_t ids_ = 0;
};

TEST_F(SessionDeletionTest, HoldsUpNobody) {
  const AgentSession session = long_session(kParts * kSessionDeleteRowsMax);
  std::optional<Code> deleted;
  std::vector<bool> still_deleting;  // whenever somebody else's job was taken in
  store_->delete_session(session.ns, session.id, Reply<AgentSession>([&](Result<AgentSession> gone) { deleted = gone.code(); }));
  for (std::size_t i = 0; i < 100 && !deleted; ++i) {
    JobSpec job;
    job.type = JobType("work");
    store_->enqueue({job}, Reply<std::vector<Enqueued>>([&](Result<std::vector<Enqueued>> made) {
                      ASSERT_TRUE(made.ok());
                      still_deleting.push_back(!deleted);
                    }));
    store_->pump();
  }
  EXPECT_EQ(deleted, Code::ok);
  EXPECT_GE(std::count(still_deleting.begin(), still_deleting.end(), true), static_cast<std::ptrdiff_t>(kParts));
}

// A run that begins between two parts keeps what is left, and the deletion says so.
TEST_F(SessionDeletionTest, EndsWhenARunBegins) {
  const AgentSession session = long_session(kParts * kSessionDeleteRowsMax);
  const AgentId agent =
      ask<AgentPage>([&](auto reply) { store_->list_agents({.ns = session.ns}, std::move(reply)); }).agents.front().id;
  std::optional<Code> deleted;
  store_->delete_session(session.ns, session.id, Reply<AgentSession>([&](Result<AgentSession> gone) { deleted = gone.code(); }));
  store_->pump();
  EXPECT_FALSE(deleted.has_value());
  AgentRunStart start;
  start.run.session = session.id;
  start.run.agent = agent;
  start.run.prompt = "still here?";
  start.job.type = JobType("agent.run");
  ask<AgentRunStarted>([&](auto reply) { store_->start_agent_run(start, std::move(reply)); });
  pump(*store_);
  EXPECT_EQ(deleted, Code::conflict);
  ask<Each<AgentSession>>([&](auto reply) { store_->get_sessions(session.ns, {session.id}, std::move(reply)); });
}

}  // namespace
}  // namespace muster::store::sqlite
