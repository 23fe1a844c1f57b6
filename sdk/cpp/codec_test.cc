// The wire as docs/protocol-http.md writes it: requests are compared as JSON, replies are those a server sends.
#include "sdk/cpp/codec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace muster::sdk {
namespace {

using nlohmann::json;

TEST(JobSpecEncoding, LeavesOutEverythingThatIsEmpty) {
  JobSpec spec;
  spec.type = "email.send";
  const Result<std::string> text = encode(spec);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, R"({"type":"email.send"})");
}

TEST(JobSpecEncoding, WritesEveryFieldUnderItsWireName) {
  JobSpec spec;
  spec.ns = "n";
  spec.queue = "q";
  spec.type = "t";
  spec.payload = Content{.data = R"({"a":[1,2]})", .binary = false};
  spec.needs = {"tool:x"};
  spec.selector = {{"region", "eu"}};
  spec.labels = {{"customer", "42"}};
  spec.priority = -5;
  spec.run_at = parse_instant("2026-11-15T10:00:00.000Z");
  spec.delay = Duration(1);
  spec.expires_in = Duration(2);
  spec.timeout = Duration(3);
  spec.lease = Duration(4);
  spec.retry = RetryPolicy{.attempts_max = 7,
                           .backoff_base = Duration(5),
                           .backoff_factor = 1.5,
                           .backoff_max = Duration(6),
                           .jitter = 0.25,
                           .non_retryable = {"bad_input"}};
  spec.rescues_max = 0;
  spec.idempotency_key = "i";
  spec.unique = UniqueKey{.key = "u", .during = "waiting"};
  spec.concurrency = KeyLimit{.key = "c", .limit = 3};
  spec.fairness = KeyLimit{.key = "f", .limit = 2};
  spec.sticky_key = "s";
  spec.prefer = "label:zone=a";
  spec.after = {"id-1"};
  spec.on_dependency_failure = "run";
  spec.correlation = "trace-1";
  const Result<std::string> text = encode(spec);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(json::parse(*text), json::parse(R"({
    "namespace":"n","queue":"q","type":"t","payload":{"a":[1,2]},"needs":["tool:x"],"selector":{"region":"eu"},
    "labels":{"customer":"42"},"priority":-5,"run_at":"2026-11-15T10:00:00.000Z","delay_ms":1,"expires_in_ms":2,
    "timeout_ms":3,"lease_ms":4,
    "retry":{"attempts_max":7,"backoff_base_ms":5,"backoff_factor":1.5,"backoff_max_ms":6,"jitter":0.25,"non_retryable":["bad_input"]},
    "rescues_max":0,"idempotency_key":"i","unique":{"key":"u","while":"waiting"},"concurrency":{"key":"c","limit":3},
    "fairness":{"key":"f","weight":2},"affinity":{"sticky_key":"s","prefer":"label:zone=a"},"after":["id-1"],
    "on_dependency_failure":"run","correlation":"trace-1"})"));
}

TEST(JobSpecEncoding, SendsBytesAsBase64) {
  JobSpec spec;
  spec.type = "t";
  spec.payload = Content{.data = std::string("\x00\xff", 2), .binary = true};
  EXPECT_EQ(json::parse(*encode(spec)), json::parse(R"({"type":"t","payload_base64":"AP8="})"));
}

TEST(JobSpecEncoding, RefusesAPayloadThatIsNotJson) {
  JobSpec spec;
  spec.type = "t";
  spec.payload = Content{.data = "{oops", .binary = false};
  const Result<std::string> text = encode(spec);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, Code::invalid_argument);
  EXPECT_NE(text.error().detail.find("{oops"), std::string::npos);
}

TEST(Requests, HaveTheShapeOfTheProtocol) {
  const LeaseRef lease{.id = "j", .fence = 9};
  EXPECT_EQ(json::parse(encode_fence(lease, Duration(5))), json::parse(R"({"fence":9,"lease_ms":5})"));
  EXPECT_EQ(json::parse(*encode_complete(lease, Content{.data = "[1]", .binary = false})),
            json::parse(R"({"fence":9,"result":[1]})"));
  EXPECT_EQ(json::parse(*encode_complete(lease, std::nullopt)), json::parse(R"({"fence":9})"));
  EXPECT_EQ(json::parse(encode_fail(
                lease, FailRequest{.error = {.kind = "k", .message = "m"}, .retryable = false, .delay = Duration(7)})),
            json::parse(R"({"fence":9,"error":{"kind":"k","message":"m"},"retryable":false,"delay_ms":7})"));
  EXPECT_EQ(json::parse(encode_snooze(lease, Duration(7))), json::parse(R"({"fence":9,"delay_ms":7})"));
  EXPECT_EQ(json::parse(encode_release(lease, "why")), json::parse(R"({"fence":9,"reason":"why"})"));
  const std::vector<LeaseRef> leases{lease};
  EXPECT_EQ(json::parse(*encode_settle_complete(leases, std::nullopt)), json::parse(R"({"complete":[{"id":"j","fence":9}]})"));
  EXPECT_EQ(json::parse(encode(
                Beat{.ns = "n", .worker = "w", .session = 4, .stats = {{"load", 0.5}}, .held = leases, .accepting = false})),
            json::parse(R"({"namespace":"n","session":4,"stats":{"load":0.5},"held":[{"id":"j","fence":9}],"accepting":false})"));
  EXPECT_EQ(
      json::parse(encode(RedriveRequest{.filter = {.ns = "n",
                                                   .queue = "q",
                                                   .type = {},
                                                   .states = {"dead"},
                                                   .worker = {},
                                                   .labels = {{"a", "b"}},
                                                   .created_after = {},
                                                   .created_before = {},
                                                   .error_kind = "k"},
                                        .limit = 3})),
      json::parse(R"({"filter":{"namespace":"n","queue":"q","states":["dead"],"labels":{"a":"b"},"error_kind":"k"},"limit":3})"));
}

TEST(ActEncoding, SaysWhatIsDoneToWhatAndHowManyAreExpected) {
  ActRequest request;
  request.action = "cancel";
  request.filter.queue = "mail";
  request.reason = "wrong";
  request.expected = 3;
  EXPECT_EQ(json::parse(encode(request)),
            json::parse(R"({"action":"cancel","filter":{"queue":"mail"},"dry_run":false,"reason":"wrong","expected":3})"));
  request = {};
  request.action = "retry";
  request.dry_run = true;
  request.cursor = "c";
  request.limit = 7;
  EXPECT_EQ(json::parse(encode(request)), json::parse(R"({"action":"retry","filter":{},"dry_run":true,"cursor":"c","limit":7})"));
  request.expected = 0;  // nothing was counted: then nothing may be met
  EXPECT_EQ(json::parse(encode(request))["expected"], 0);
}

TEST(ActDecoding, ReadsOneSlice) {
  const Result<Acted> acted = decode_acted(R"({"dry_run":false,"matched":3,"more":true,"changed":2,"skipped":1,"next":"c"})");
  ASSERT_TRUE(acted.ok());
  EXPECT_EQ(acted->matched, 3u);
  EXPECT_TRUE(acted->more);
  EXPECT_EQ(acted->changed, 2u);
  EXPECT_EQ(acted->skipped, 1u);
  EXPECT_EQ(acted->next, "c");
  EXPECT_EQ(decode_acted(R"({"changed":2})").error().code, Code::bad_reply);
}

TEST(JobDecoding, ReadsAWholeJobAndKeepsItsDocument) {
  const std::string text =
      R"({"id":"j1","namespace":"default","queue":"q","type":"t","state":"running","created_at":"2026-11-15T09:00:00.000Z",
    "retry":{"attempts_max":5},"attempt":2,"rescues":1,"fence":77,"worker":"w1","cancel_requested":true,"labels":{"a":"b"},
    "payload":{"x":1},"error":{"kind":"k","message":"m"},"progress":{"fraction":0.5,"message":"half"},
    "attempts":[{"attempt":1,"fence":76,"worker":"w0","outcome":"failed","error":{"kind":"k","message":"m"}}],"from_the_future":1})";
  const Result<Job> job = decode_job(text);
  ASSERT_TRUE(job.ok()) << job.error().text();
  EXPECT_EQ(job->state, "running");
  EXPECT_EQ(job->attempt, 2U);
  EXPECT_EQ(job->attempts_max, 5U);
  EXPECT_EQ(job->fence, 77U);
  EXPECT_TRUE(job->cancel_requested);
  EXPECT_EQ(job->payload->data, R"({"x":1})");
  EXPECT_EQ(job->progress->fraction, 0.5);
  ASSERT_EQ(job->attempts.size(), 1U);
  EXPECT_EQ(job->attempts[0].error.kind, "k");
  EXPECT_EQ(format_instant(*job->created_at), "2026-11-15T09:00:00.000Z");
  EXPECT_FALSE(job->result);
  EXPECT_EQ(json::parse(job->document), json::parse(text));
}

TEST(JobDecoding, AnswersBadReplyForTheWrongTypeAndForNoJson) {
  EXPECT_EQ(decode_job(R"({"id":5,"state":"ready"})").error().code, Code::bad_reply);
  EXPECT_EQ(decode_job("<html>").error().code, Code::bad_reply);
  EXPECT_EQ(decode_job("[]").error().code, Code::bad_reply);
  EXPECT_EQ(decode_queues("{}").error().code, Code::bad_reply);
}

TEST(ClaimDecoding, ReadsGrantsWithBothKindsOfPayload) {
  const Result<ClaimReply> reply = decode_claim(R"({"jobs":[
    {"id":"a","type":"t","payload":null,"fence":1,"attempt":1,"attempts_max":5},
    {"id":"b","type":"t","payload_base64":"AP8=","fence":18446744073709551615}],"block":"none"})");
  ASSERT_TRUE(reply.ok()) << reply.error().text();
  ASSERT_EQ(reply->grants.size(), 2U);
  EXPECT_EQ(*reply->grants[0].payload, (Content{.data = "null", .binary = false}));
  EXPECT_EQ(*reply->grants[1].payload, (Content{.data = std::string("\x00\xff", 2), .binary = true}));
  EXPECT_EQ(reply->grants[1].lease.fence, 18446744073709551615U);
}

TEST(SettledDecoding, KeepsTheAnswerOfEachElement) {
  const auto many = decode_settled_many(
      R"({"complete":[{"id":"a","state":"completed","attempt":1},{"error":{"code":"lease_lost","detail":"fence 1 is stale"}}]})",
      "complete");
  ASSERT_TRUE(many.ok());
  ASSERT_EQ(many->size(), 2U);
  EXPECT_EQ((*many)[0]->state, "completed");
  EXPECT_EQ((*many)[1].error().code, Code::lease_lost);
}

TEST(ClusterDecoding, ReadsNodesAndTheLeaderThatMayBeMissing) {
  const Result<Cluster> cluster = decode_cluster(
      R"({"now":"2026-11-15T09:00:30.000Z","self":"b","leader":"a","term":7,"leader_until":"2026-11-15T09:00:45.000Z","nodes":[
      {"name":"a","address":"h:1","version":"0.2.0","started_at":"2026-11-15T09:00:00.000Z","seen_at":"2026-11-15T09:00:29.000Z",
       "leader":true,"listening":true,"pending":3,"workers":12,"notify_lag_ms":5}]})");
  ASSERT_TRUE(cluster.ok());
  EXPECT_EQ(cluster->leader, "a");
  EXPECT_EQ(cluster->term, 7u);
  ASSERT_EQ(cluster->nodes.size(), 1u);
  EXPECT_TRUE(cluster->nodes[0].leader);
  EXPECT_EQ(cluster->nodes[0].pending, 3u);
  EXPECT_EQ(cluster->nodes[0].workers, 12u);
  EXPECT_EQ(cluster->nodes[0].notify_lag, Duration(5));
  EXPECT_EQ(*cluster->now - *cluster->nodes[0].seen_at, Duration(1'000));
  EXPECT_EQ(json::parse(cluster->nodes[0].document)["name"], "a");
  EXPECT_EQ(decode_cluster(R"({"now":"2026-11-15T09:00:30.000Z","self":"b","term":8,"nodes":[]})")->leader, "");
  EXPECT_EQ(decode_cluster(R"({"self":"b","nodes":[{}]})").error().code, Code::bad_reply);
}

TEST(ClusterDecoding, ReadsTheSettingsThatDiffer) {
  const Result<ClusterSettings> found = decode_cluster_settings(
      R"({"nodes":["a","b"],"silent":["c"],"differing":1,"settings":[{"name":"retention.dead_kept","own":false,"known":true,)"
      R"("values":[{"node":"a","value":"7d","group":1},{"node":"b","value":"30d","group":2}]}]})");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->nodes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found->silent, std::vector<std::string>{"c"});
  EXPECT_EQ(found->differing, 1u);
  ASSERT_EQ(found->settings.size(), 1u);
  EXPECT_EQ(found->settings[0].name, "retention.dead_kept");
  EXPECT_TRUE(found->settings[0].known);
  ASSERT_EQ(found->settings[0].values.size(), 2u);
  EXPECT_EQ(found->settings[0].values[1].value, "30d");
  EXPECT_EQ(found->settings[0].values[1].group, 2u);
  EXPECT_EQ(decode_cluster_settings(R"({"nodes":[]})").error().code, Code::bad_reply);
}

TEST(ProblemDecoding, TakesCodeAndDetail) {
  const Error error =
      decode_problem(409, R"({"type":"x","title":"conflict","status":409,"code":"conflict","detail":"job j is completed"})");
  EXPECT_EQ(error.code, Code::conflict);
  EXPECT_EQ(error.status, 409);
  EXPECT_EQ(error.detail, "job j is completed");
}

TEST(ProblemDecoding, NamesTheStatusWhenTheBodyIsForeign) {
  const Error error = decode_problem(502, "<html>bad gateway</html>");
  EXPECT_EQ(error.code, Code::bad_reply);
  EXPECT_NE(error.detail.find("502"), std::string::npos);
}

TEST(EventDecoding, KnowsJobEventsAndGaps) {
  const Result<Event> job = decode_event(
      {.id = "12",
       .event = "job",
       .data =
           R"({"at":"2026-11-15T09:00:00.000Z","id":"j","namespace":"default","queue":"q","type":"t","event":"claimed","from":"ready","to":"running","attempt":1,"worker":"w"})"});
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->number, "12");
  EXPECT_EQ(job->to, "running");
  const Result<Event> gap = decode_event({.id = "", .event = "gap", .data = ""});
  ASSERT_TRUE(gap.ok());
  EXPECT_EQ(gap->kind, "gap");
}

TEST(Base64, RoundTripsEveryLengthAndRefusesNonsense) {
  const std::string bytes("\x00\x01\xfe\xff\x80hello", 10);
  for (std::size_t n = 0; n <= bytes.size(); ++n) EXPECT_EQ(from_base64(to_base64(bytes.substr(0, n))), bytes.substr(0, n));
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  for (const char* bad : {"abc", "ab=c", "a===", "ab!d"}) EXPECT_FALSE(from_base64(bad)) << bad;
}

TEST(ActionEncoding, SendsInputsAsTheyCame) {
  ActionRequest request;
  request.plan = "p";
  request.inputs = {R"({"n":1.50})", "123456789012345678901234567890", "null"};
  EXPECT_EQ(*encode(request), R"({"plan":"p","inputs":[{"n":1.50},123456789012345678901234567890,null]})");
  request.ns = "n";
  request.id = "a";
  request.job_unit = "task";
  request.priority = -1;
  request.timeout = Duration(5);
  request.attempts_max = 2;
  request.rescues_max = 0;
  request.inputs = {"1"};
  EXPECT_EQ(json::parse(*encode(request)),
            json::parse(R"({"namespace":"n","id":"a","plan":"p","job_unit":"task","priority":-1,"timeout_ms":5,"attempts_max":2,
              "rescues_max":0,"inputs":[1]})"));
}

TEST(ActionEncoding, RefusesAnInputThatIsNotJson) {
  ActionRequest request;
  request.plan = "p";
  request.inputs = {"1", "1],\"plan\":\"other\",\"x\":[2"};
  const Result<std::string> text = encode(request);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, Code::invalid_argument);
  EXPECT_EQ(text.error().detail.find("input 1 is not JSON"), 0U);
}

TEST(PlanDecoding, ReadsAPlanWithItsText) {
  const Result<Plan> plan = decode_plan(
      R"({"id":"p","namespace":"n","description":"d","tasks":2,"needs":["tool:wc"],"created_at":"2026-11-15T10:00:00.000Z",
      "last_used_at":"2026-11-15T10:00:01.000Z","actions":1,"jobs":3,"document":{"plan_id":"p","z":1,"a":2}})");
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->description, "d");
  EXPECT_EQ(plan->tasks, 2U);
  EXPECT_EQ(plan->needs, std::vector<std::string>{"tool:wc"});
  EXPECT_TRUE(plan->last_used_at);
  EXPECT_EQ(plan->jobs, 3U);
  EXPECT_EQ(plan->text, R"({"plan_id":"p","z":1,"a":2})");
  EXPECT_FALSE(decode_plan(R"({"tasks":1})").ok());
  const Result<PlanPage> page = decode_plan_page(R"({"plans":[{"id":"p","existed":true}],"total":9})");
  ASSERT_TRUE(page.ok());
  EXPECT_TRUE(page->plans.at(0).existed);
  EXPECT_EQ(page->total, 9U);
}

TEST(ActionDecoding, ReadsCountsAndIds) {
  const Result<Action> action = decode_action(
      R"({"id":"a","plan":"p","state":"running","jobs":21,"counts":{"waiting":1,"running":2,"completed":3,"failed":4,"dead":5,
      "cancelled":6},"job_ids":["j1","j2"]})");
  ASSERT_TRUE(action.ok());
  EXPECT_EQ(action->state, "running");
  EXPECT_EQ(action->counts.unfinished(), 3U);
  EXPECT_EQ(action->counts.finished(), 18U);
  EXPECT_EQ(action->job_ids, (std::vector<std::string>{"j1", "j2"}));
  const Result<ActionPage> page = decode_action_page(R"({"actions":[{"id":"a"}],"total":1})");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->actions.at(0).id, "a");
}

TEST(LogsDecoding, ReadsTextAndBytes) {
  const Result<JobLogs> logs = decode_logs(R"({"id":"j","state":"completed","stdout_base64":"AP8=","stderr":"oops"})");
  ASSERT_TRUE(logs.ok());
  EXPECT_EQ(logs->output, std::string("\x00\xff", 2));
  EXPECT_EQ(logs->errors, "oops");
}

}  // namespace
}  // namespace muster::sdk
