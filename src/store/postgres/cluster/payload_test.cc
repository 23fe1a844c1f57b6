// Notifications as others read them: the documented words, the bounds, and what strangers may send.
#include "store/postgres/cluster/payload.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::store::postgres {
namespace {

using Json = nlohmann::json;

class PayloadTest : public ::testing::Test {
 protected:
  PayloadTest() {
    NamespaceEntry ns;
    ns.key = 1;
    ns.info.name = NamespaceName("default");
    QueueEntry queue;
    queue.key = 1;
    queue.ns = 1;
    queue.ns_name = ns.info.name;
    queue.name = QueueName("mail");
    LaneEntry lane;
    lane.key = 7;
    lane.queue = 1;
    lane.ns = 1;
    lane.lane = std::make_shared<const Lane>(Lane{ns.info.name, queue.name, JobType("send"), CapabilitySet({"tool:x"})});
    directory.load(3, {ns}, {queue}, {lane});
  }

  Sender sender() const {
    return {.node = "a", .sent_at_ms = 5, .directory_version = 3, .lane_number = [](const LaneRef&) { return LaneKey{7}; }};
  }
  std::vector<Payload> payloads() const { return to_payloads(backlog, channels, sender()); }
  Heard hear(const Payload& payload) const { return from_payload(payload.channel, payload.text, channels, directory); }

  JobChange job_change() const {
    JobChange change;
    change.id = *JobId::parse("00000000-0001-8000-8000-000000000000");
    change.lane = directory.lane(7)->lane;
    change.from = JobState::ready;
    change.to = JobState::running;
    change.event = JobEvent::claimed;
    change.attempt = 2;
    change.fence = Fence{99};
    change.worker = WorkerId("w1");
    change.at = from_ms(1'700'000'000'123);
    return change;
  }

  Directory directory;
  Channels channels{"muster"};
  Backlog backlog;
};

TEST_F(PayloadTest, AJobChangeHasTheDocumentedKeys) {
  backlog.jobs.push_back(job_change());
  const auto sent = payloads();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].channel, "muster_jobs");
  EXPECT_EQ(Json::parse(sent[0].text), Json::parse(R"({"node":"a","sent_at":5,"changes":[
    {"id":"00000000-0001-8000-8000-000000000000","event":"claimed","state":"running","from":"ready","ns":"default","queue":"mail",
     "type":"send","lane":7,"attempt":2,"fence":99,"worker":"w1","at":1700000000123}]})"));
}

TEST_F(PayloadTest, AWorkerChangeHasTheDocumentedKeys) {
  backlog.workers.push_back(
      {NamespaceName("default"), WorkerId("w1"), SessionId{4}, WorkerState::online, WorkerState::offline, from_ms(9), "silent"});
  EXPECT_EQ(Json::parse(payloads().at(0).text), Json::parse(R"({"node":"a","sent_at":5,"changes":[
    {"ns":"default","id":"w1","session":4,"from":"online","state":"offline","cause":"silent","at":9}]})"));
}

TEST_F(PayloadTest, WakeUpsAreCountedPerLane) {
  Changes changes;
  changes.wakes = {directory.lane(7), directory.lane(7)};
  backlog.add(changes);
  backlog.wakes[9] = 1;
  EXPECT_EQ(Json::parse(payloads().at(0).text), Json::parse(R"({"node":"a","sent_at":5,"version":3,"lanes":[[7,2],9]})"));
}

TEST_F(PayloadTest, AListThatGotElementsIsToldOnceWhateverItsKeyIs) {
  const std::string key("\xff\0 \"list\"", 9);
  Changes changes;
  changes.keys = {{NamespaceName("default"), "list"}, {NamespaceName("default"), key}, {NamespaceName("default"), "list"}};
  backlog.add(changes);
  const auto sent = payloads();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].channel, "muster_keys");
  const Heard heard = hear(sent[0]);
  ASSERT_EQ(heard.changes.keys.size(), 2U);
  EXPECT_EQ(heard.changes.keys[0].key, "list");
  EXPECT_EQ(heard.changes.keys[1].key, key);
  EXPECT_EQ(heard.changes.keys[1].ns.text(), "default");
}

TEST_F(PayloadTest, KeysThatAreTooLongOrTooManyAreToldAsMore) {
  Changes changes;
  changes.keys = {{NamespaceName("default"), std::string(kKeyToldBytesMax + 1, 'k')}};
  backlog.add(changes);
  EXPECT_EQ(Json::parse(payloads().at(0).text), Json::parse(R"({"node":"a","sent_at":5,"keys":[],"more":true})"));
  for (std::size_t i = 0; i < kBacklogKeysMax + 5; ++i) changes.keys.push_back({NamespaceName("default"), std::to_string(i)});
  backlog.add(changes);
  EXPECT_EQ(backlog.keys.size(), kBacklogKeysMax);
}

TEST_F(PayloadTest, EverythingThatIsSentIsHeardTheSame) {
  Changes changes;
  changes.jobs = {job_change()};
  changes.workers = {
      {NamespaceName("default"), WorkerId("w\"1\\"), SessionId{4}, std::nullopt, WorkerState::online, from_ms(9), ""}};
  changes.queues = {{NamespaceName("default"), QueueName("mail"), true, from_ms(3)}};
  changes.wakes = {directory.lane(7), directory.lane(7)};
  backlog.add(changes);
  Changes heard;
  for (const Payload& payload : payloads()) {
    const Heard part = hear(payload);
    EXPECT_FALSE(part.look);
    heard.jobs.insert(heard.jobs.end(), part.changes.jobs.begin(), part.changes.jobs.end());
    heard.workers.insert(heard.workers.end(), part.changes.workers.begin(), part.changes.workers.end());
    heard.queues.insert(heard.queues.end(), part.changes.queues.begin(), part.changes.queues.end());
    heard.wakes.insert(heard.wakes.end(), part.changes.wakes.begin(), part.changes.wakes.end());
  }
  ASSERT_EQ(heard.jobs.size(), 1u);
  EXPECT_EQ(heard.jobs[0].id, job_change().id);
  EXPECT_EQ(heard.jobs[0].lane, directory.lane(7)->lane);
  EXPECT_EQ(heard.jobs[0].from, JobState::ready);
  EXPECT_EQ(heard.jobs[0].fence, Fence{99});
  EXPECT_EQ(heard.jobs[0].at, job_change().at);
  ASSERT_EQ(heard.workers.size(), 1u);
  EXPECT_EQ(heard.workers[0].id.text(), "w\"1\\");
  EXPECT_FALSE(heard.workers[0].from);
  ASSERT_EQ(heard.queues.size(), 1u);
  EXPECT_TRUE(heard.queues[0].paused);
  EXPECT_EQ(heard.wakes, changes.wakes);
}

TEST_F(PayloadTest, ALaneThatIsNotKnownHereMeansLook) {
  backlog.wakes[8] = 1;
  const Heard heard = hear(payloads().at(0));
  EXPECT_TRUE(heard.look);
  EXPECT_TRUE(heard.changes.wakes.empty());
  EXPECT_TRUE(from_payload("muster_lanes", R"({"lanes":[],"more":true})", channels, directory).look);
}

TEST_F(PayloadTest, AJobOfAnUnknownLaneIsToldWithWhatTheNotificationSays) {
  const Heard heard = from_payload(
      "muster_jobs",
      R"({"changes":[{"id":"00000000-0001-8000-8000-000000000000","event":"enqueued","state":"ready","ns":"n","queue":"q","type":"t","lane":8}]})",
      channels, directory);
  ASSERT_EQ(heard.changes.jobs.size(), 1u);
  EXPECT_EQ(heard.changes.jobs[0].lane->queue.text(), "q");
  EXPECT_TRUE(heard.look);
}

TEST_F(PayloadTest, NoBatchIsLargerThanItsBounds) {
  Changes changes;
  changes.jobs.assign(5'000, job_change());
  changes.jobs[0].cause = std::string(100'000, 'x');
  backlog.add(changes);
  EXPECT_EQ(backlog.jobs.size(), kBacklogChangesMax);
  for (LaneKey lane = 1'000; lane < 9'000; ++lane) backlog.wakes[lane] = 2;
  const auto sent = payloads();
  EXPECT_EQ(sent.size(), kNotifyPayloadsMax);
  for (const Payload& payload : sent) {
    EXPECT_LE(payload.text.size(), kNotifyBytesMax);
    EXPECT_TRUE(Json::accept(payload.text)) << payload.text;
  }
  // Wake-ups come first, and whoever is cut short says so.
  EXPECT_EQ(sent.front().channel, "muster_lanes");
  EXPECT_EQ(sent.back().channel, "muster_jobs");
  EXPECT_TRUE(Json::parse(sent.back().text).value("more", false));
  const auto last_lanes = std::find_if(sent.rbegin(), sent.rend(), [](const Payload& p) { return p.channel == "muster_lanes"; });
  EXPECT_TRUE(Json::parse(last_lanes->text).value("more", false));
}

TEST_F(PayloadTest, WhatCouldNotBeSentIsToldAsMore) {
  Backlog lost;
  lost.jobs.push_back(job_change());
  backlog.lost(lost);
  EXPECT_FALSE(backlog.empty());
  EXPECT_EQ(Json::parse(payloads().at(0).text), Json::parse(R"({"node":"a","sent_at":5,"changes":[],"more":true})"));
}

TEST_F(PayloadTest, BytesThatAreNotTextDoNotSpoilTheBatch) {
  JobChange change = job_change();
  change.cause = std::string("bad \xff\0 \n", 8);
  backlog.jobs.push_back(change);
  const auto sent = payloads();
  ASSERT_TRUE(Json::accept(sent.at(0).text));
  EXPECT_EQ(sent[0].text.find('\0'), std::string::npos);
  EXPECT_EQ(hear(sent[0]).changes.jobs.size(), 1u);
}

TEST_F(PayloadTest, TheSchemaNamesTheChannels) {
  EXPECT_EQ(Channels("muster").jobs, "muster_jobs");
  EXPECT_EQ(Channels("staging").lanes, "staging_lanes");
}

TEST_F(PayloadTest, ANodeKnowsItsOwnPayloads) {
  backlog.probe = "p1";
  const Payload probe = payloads().at(0);
  EXPECT_EQ(probe.channel, "muster_test");
  EXPECT_EQ(sent_by(probe.text, "a"), 5);
  EXPECT_EQ(sent_by(probe.text, "ab"), std::nullopt);
  EXPECT_EQ(sent_by("{}", "a"), std::nullopt);
  EXPECT_EQ(probe_of(probe.text), "p1");
}

TEST_F(PayloadTest, WhatStrangersSendIsSkipped) {
  const char* const texts[] = {
      "",
      "hello",
      "[]",
      "{",
      R"({"changes":7,"lanes":7})",
      R"({"changes":[1,"x",null,{},{"id":"x"},{"id":7,"event":[],"state":{}}],"lanes":["x",null,{},[],[1],[7,"x"]],"keys":[7,"x",[],["x"],["x",7],["x","*"],["x","eA==","y"]]})",
      R"({"changes":[{"id":"00000000-0001-8000-8000-000000000000","event":"exploded","state":"ready"}]})"};
  for (const char* text : texts)
    for (const char* channel :
         {"muster_jobs", "muster_workers", "muster_queues", "muster_lanes", "muster_keys", "muster_test", "other"})
      EXPECT_TRUE(from_payload(channel, text, channels, directory).changes.empty()) << channel << ' ' << text;
}

TEST_F(PayloadTest, AWakeUpCausesNoMoreThanItsBound) {
  const Heard heard =
      from_payload("muster_lanes", R"({"lanes":[[7,9000000000000000000],[7,-3],[99999999999999,1]]})", channels, directory);
  EXPECT_EQ(heard.changes.wakes.size(), kWakesHeardMax);
}

}  // namespace
}  // namespace muster::store::postgres
