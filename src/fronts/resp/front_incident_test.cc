// Mistakes of ours on this wire: the command gets an answer with an id, and everybody else goes on.
#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "fronts/resp/front_testing.h"
#include "model/plan.h"
#include "model/retry.h"

namespace muster::resp {
namespace {

class IncidentTest : public FrontTest {
 protected:
  std::uint64_t incidents() { return metrics->counter("muster_internal_errors_total", "", {{"where", "wire"}}).value(); }
  static bool tells_incident(const std::string& reply) {
    constexpr std::string_view kBefore = "under incident ";
    const std::size_t at = reply.find(kBefore);
    return reply.starts_with("-ERR Internal error: ") && at != std::string::npos && reply.size() == at + kBefore.size() + 12 + 2;
  }

  JobId enqueue(JobSpec spec) {
    return muster::ask<std::vector<store::Enqueued>>(
               [&](auto reply) { engine->jobs().enqueue({std::move(spec)}, std::move(reply)); })
        ->front()
        .id;
  }
  JobId enqueue(std::string type, std::string payload) {
    JobSpec spec;
    spec.queue = QueueName("ready");
    spec.type = JobType(std::move(type));
    spec.payload = {.data = std::move(payload), .encoding = Encoding::json};
    return enqueue(std::move(spec));
  }
  JobId enqueue_planned(Wire& wire) {
    EXPECT_EQ(wire.call({"PLAN.SUBMIT", R"({"plan_id":"p","tasks":[{"task_number":1,"command":"echo"}]})"}).front(), '$');
    JobSpec spec;
    spec.queue = QueueName("ready");
    spec.type = JobType("plan");
    spec.labels = {{kLabelPlan, "p"}, {kLabelAction, "a"}};
    return enqueue(std::move(spec));
  }
  Job job(JobId id) {
    // Past the store that throws.
    return *muster::ask<store::Each<Job>>([&](auto reply) { store->get_jobs({id}, std::move(reply)); })->front();
  }
};

TEST_F(IncidentTest, ACommandWhoseHandlerThrowsIsAnsweredAndItsConnectionGoesOn) {
  start();
  Wire wire = operate();
  throwing->throw_at(store::Verb::keyspace);
  const std::string reply = wire.call({"SET", "k", "v"});
  EXPECT_TRUE(tells_incident(reply)) << reply;
  throwing->heal();
  EXPECT_EQ(wire.call({"SET", "k", "v"}), "+OK\r\n");
  EXPECT_EQ(incidents(), 1u);
}

TEST_F(IncidentTest, CommandsOfOneRunAreAllAnswered) {
  start();
  Wire wire = operate();
  throwing->throw_at(store::Verb::keyspace);
  wire.send(frame({"SET", "a", "1"}) + frame({"SET", "b", "2"}) + frame({"PING"}));
  EXPECT_TRUE(tells_incident(wire.read_reply()));
  EXPECT_TRUE(tells_incident(wire.read_reply()));
  EXPECT_EQ(wire.read_reply(), "+PONG\r\n");
}

TEST_F(IncidentTest, ACommandThatThrowsWhenAnAnswerComesForItIsAnswered) {
  start();
  Wire wire = operate();
  // The pop asks for its worker first; the claim is made when that answer comes.
  throwing->throw_at(store::Verb::claim);
  const std::string reply = wire.call({"BRPOP", "queue:ready", "1"});
  EXPECT_TRUE(tells_incident(reply)) << reply;
  throwing->heal();
  enqueue("work", "{}");
  EXPECT_EQ(wire.call({"BRPOP", "queue:ready", "1"}).front(), '*');
}

TEST_F(IncidentTest, WhoComesAfterAFailedQuestionAboutItsWorkerDoesNotWaitForItsAnswer) {
  start();
  Wire wire = operate();
  throwing->throw_at(store::Verb::get_workers);
  EXPECT_TRUE(tells_incident(wire.call({"BRPOP", "queue:ready", "1"})));
  throwing->heal();
  enqueue("work", "{}");
  EXPECT_EQ(wire.call({"BRPOP", "queue:ready", "1"}).front(), '*');
}

TEST_F(IncidentTest, AJobThatCannotBeHandedOutIsDeadWithTheIncidentWhenItsRescuesAreSpent) {
  start();
  Wire wire = operate();
  const JobId id = enqueue_planned(wire);
  throwing->throw_at(store::Verb::get_jobs);  // its document needs the time of its action
  for (std::uint32_t i = 0; i <= limits::kRescuesDefault; ++i) {
    const std::string reply = wire.call({"BRPOP", "queue:ready", "1"});
    EXPECT_TRUE(tells_incident(reply)) << reply;
  }
  ASSERT_TRUE(eventually([&] { return job(id).state == JobState::dead; }));
  const Job dead = job(id);
  ASSERT_TRUE(dead.error);
  EXPECT_EQ(dead.error->kind, kErrorRescueFailed);
  EXPECT_NE(dead.error->message.find("incident "), std::string::npos) << dead.error->message;
  EXPECT_EQ(dead.attempts.back().error.kind, "hand_out_failed");
  EXPECT_EQ(wire.call({"RPOP", "queue:ready"}), "$-1\r\n") << "it does not come again";
}

TEST_F(IncidentTest, AJobThatCannotBeHandedOutKeepsNoOtherFromItsWorker) {
  start();
  Wire wire = operate();
  enqueue_planned(wire);
  enqueue("work", R"({"n":1})");
  throwing->throw_at(store::Verb::get_jobs);
  const std::string reply = wire.call({"RPOP", "queue:ready", "2"});
  EXPECT_TRUE(reply.starts_with("*1\r\n")) << reply;
  EXPECT_NE(reply.find(R"("input":{"n":1})"), std::string::npos) << reply;
}

TEST_F(IncidentTest, AJobOfTheTypeOfQuestionsThatAsksNothingIsShownAsAnyOther) {
  start();
  Wire wire = operate();
  for (const std::string payload : {R"({"id":1})", R"({"id":null})", R"({"id":["x"],"tool":"x"})", R"({"id":"x","tool":7})", "[]",
                                    "1", "null", R"("x")", R"({"id":18446744073709551616})", "{}"}) {
    enqueue("verify", payload);
    const std::string reply = wire.call({"BRPOP", "queue:ready", "1"});
    EXPECT_EQ(reply.front(), '*') << payload << ": " << reply;
    EXPECT_NE(reply.find("\"input\":" + payload), std::string::npos) << payload << ": " << reply;
  }
  EXPECT_EQ(incidents(), 0u);
}

}  // namespace
}  // namespace muster::resp
