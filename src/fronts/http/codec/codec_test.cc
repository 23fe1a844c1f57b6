// What the decoders refuse, and in which words; what they accept arrives whole.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/time_text.h"
#include "fronts/http/codec/events.h"
#include "fronts/http/codec/job_query.h"
#include "fronts/http/codec/job_requests.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/queues.h"
#include "fronts/http/codec/workers.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;

const JobId kJob{Uuid{.high = 1, .low = 2}};

struct Bad {
  const char* what;
  std::function<Status()> decode;
  const char* message;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.what; }

template <class T>
Status status_of(const Result<T>& result) {
  return result.status();
}

std::function<Status()> submit(std::string body) {
  return [body = std::move(body)] { return status_of(decode_submit(body)); };
}

class RefusedRequest : public testing::TestWithParam<Bad> {};

TEST_P(RefusedRequest, NamesTheFieldAndWhatIsAccepted) {
  const Status status = GetParam().decode();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_EQ(status.message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, RefusedRequest,
    testing::Values(
        Bad{"nothing", submit(""), "the body is not valid JSON: at byte 0 the text ends, expected an object"},
        Bad{"an array", submit("[]"), "an object is accepted, found an array"},
        Bad{"cut off", submit(R"({"type":"t")"), "the body is not valid JSON: at byte 11 the text ends, expected ',' or '}'"},
        Bad{"something after", submit(R"({"type":"t"} x)"),
            "the body is not valid JSON: at byte 13 found 'x', expected the end of the text"},
        Bad{"no type", submit("{}"), "field \"type\": required, and missing"},
        Bad{"null type", submit(R"({"type":null})"), "field \"type\": required, and missing"},
        Bad{"number as type", submit(R"({"type":7})"), "field \"type\": a string is accepted, found a number"},
        Bad{"given twice", submit(R"({"type":"a","type":"b"})"), "field \"type\": given twice"},
        Bad{"misspelt", submit(R"({"typ":"t"})"),
            "unknown field \"typ\"; did you mean \"type\"? accepted are namespace, queue, type, payload, payload_base64, needs, "
            "selector, labels, priority, run_at, delay_ms, "
            "expires_in_ms, timeout_ms, lease_ms, retry, rescues_max, idempotency_key, unique, concurrency, fairness, affinity, "
            "after, on_dependency_failure, correlation, deadline"},
        Bad{"misspelt inside", submit(R"({"type":"t","retry":{"jiter":0}})"),
            "field \"retry\": unknown field \"jiter\"; did you mean \"jitter\"? accepted are attempts_max, backoff_base_ms, "
            "backoff_factor, backoff_max_ms, jitter, non_retryable"},
        Bad{"text as jitter", submit(R"({"type":"t","retry":{"jitter":"much"}})"),
            "field \"retry.jitter\": a number is accepted, found a string"},
        Bad{"priority out of range", submit(R"({"type":"t","priority":1001})"),
            "field \"priority\": 1001 is out of range; -1000 to 1000 is accepted"},
        Bad{"fraction of a priority", submit(R"({"type":"t","priority":1.5})"),
            "field \"priority\": an integer is accepted, found 1.5"},
        Bad{"no time", submit(R"({"type":"t","run_at":"tomorrow"})"),
            "field \"run_at\": \"tomorrow\" is not an RFC 3339 time such as 2026-11-15T09:00:00.000Z"},
        Bad{"two payloads", submit(R"({"type":"t","payload":1,"payload_base64":"AA=="})"),
            "\"payload\" and \"payload_base64\" are given; one of them is accepted"},
        Bad{"bad base64", submit(R"({"type":"t","payload_base64":"A"})"),
            "field \"payload_base64\": not base64 (RFC 4648, section 4, with padding)"},
        Bad{"number as need", submit(R"({"type":"t","needs":["a:b",3]})"),
            "field \"needs[1]\": a string is accepted, found a number"},
        Bad{"number as label", submit(R"({"type":"t","labels":{"k":1}})"),
            "field \"labels.k\": a string is accepted, found a number"},
        Bad{"unknown while", submit(R"({"type":"t","unique":{"key":"k","while":"never"}})"),
            "field \"unique.while\": \"never\" is not accepted; \"waiting\" or \"unfinished\" is"},
        Bad{"key missing", submit(R"({"type":"t","concurrency":{}})"), "field \"concurrency.key\": required, and missing"},
        Bad{"no id", submit(R"({"type":"t","after":["x"]})"), "field \"after[0]\": job id \"x\" is not a UUID"},
        Bad{"in a list", [] { return status_of(decode_submit_bulk(R"({"jobs":[{"type":"a"},{"type":1}]})")); },
            "field \"jobs[1].type\": a string is accepted, found a number"},
        Bad{"no list", [] { return status_of(decode_submit_bulk(R"({"jobs":{}})")); },
            "field \"jobs\": an array is accepted, found an object"}));

INSTANTIATE_TEST_SUITE_P(
    Others, RefusedRequest,
    testing::Values(
        Bad{"no worker", [] { return status_of(decode_claim("{}")); }, "field \"worker\": required, and missing"},
        Bad{"no limit", [] { return status_of(decode_claim(R"({"worker":"w","limit":0})")); },
            "field \"limit\": 0 is out of range; 1 to 1000 is accepted"},
        Bad{"no fence", [] { return status_of(decode_completion(kJob, "{}")); }, "field \"fence\": required, and missing"},
        Bad{"negative fence", [] { return status_of(decode_completion(kJob, R"({"fence":-1})")); },
            "field \"fence\": -1 is out of range; 0 to 18446744073709551615 is accepted"},
        Bad{"no boolean", [] { return status_of(decode_failure(kJob, R"({"fence":1,"retryable":"no"})")); },
            "field \"retryable\": true or false is accepted, found a string"},
        Bad{"no delay", [] { return status_of(decode_snooze(kJob, R"({"fence":1})")); },
            "field \"delay_ms\": required, and missing"},
        Bad{"settle without id", [] { return status_of(decode_settle(R"({"complete":[{"fence":1}]})")); },
            "field \"complete[0].id\": required, and missing"},
        Bad{"unknown state", [] { return status_of(decode_job_search(R"({"states":["lost"]})")); },
            "field \"states[0]\": \"lost\" is not a state; scheduled, ready, running, completed, dead or cancelled is accepted"},
        Bad{"metadata not an object", [] { return status_of(decode_registration(R"({"metadata":"x"})")); },
            "field \"metadata\": an object is accepted, found a string"},
        Bad{"held without fence",
            [] { return status_of(decode_beat("w", fmt::format(R"({{"held":[{{"id":"{}"}}]}})", kJob.text()))); },
            "field \"held[0].fence\": required, and missing"},
        Bad{"rate without count", [] { return status_of(decode_queue_limit("q", R"({"rate":{}})")); },
            "field \"rate.count\": required, and missing"},
        Bad{"query: unknown",
            [] {
              return status_of(decode_job_query({{"stat", "dead"}}));
            },
            "query: unknown field \"stat\"; did you mean \"state\"? accepted are namespace, queue, type, state, worker, label, "
            "created_after, created_before, error_kind, order, limit, cursor, payload"},
        Bad{"query: label",
            [] {
              return status_of(decode_job_query({{"label", "x"}}));
            },
            "query parameter \"label\": \"x\" is not of the form key=value"},
        Bad{"query: limit",
            [] {
              return status_of(decode_job_query({{"limit", "1001"}}));
            },
            "query parameter \"limit\": \"1001\" is not an integer from 0 to 1000"},
        Bad{"query: zero",
            [] {
              return status_of(decode_job_query({{"limit", "0"}}));
            },
            "query parameter \"limit\": 0 is not accepted; 1 to 1000 is"},
        Bad{"query: twice",
            [] {
              return status_of(decode_job_query({{"queue", "a"}, {"queue", "b"}}));
            },
            "query parameter \"queue\": given twice"},
        Bad{"query: flag",
            [] {
              return status_of(decode_job_query({{"payload", "yes"}}));
            },
            "query parameter \"payload\": \"yes\" is not accepted; true or false is"}));

TEST(JobSpecCodec, ReadsEveryField) {
  const auto request = decode_submit(R"({"namespace":"n","queue":"q","type":"t","payload":{"any":"json"},"payload_base64":null,
    "needs":["tool:ffmpeg"],"selector":{"region":"eu"},"labels":{"customer":"42"},"priority":-3,"run_at":"2026-11-15T10:00:00.000Z",
    "delay_ms":5,"expires_in_ms":60000,"timeout_ms":3600000,"lease_ms":30000,
    "retry":{"attempts_max":7,"backoff_base_ms":10,"backoff_factor":3.0,"backoff_max_ms":300,"jitter":0.2,"non_retryable":["bad"]},
    "rescues_max":1,"idempotency_key":"order-17","unique":{"key":"u","while":"waiting"},"concurrency":{"key":"c","limit":2},
    "fairness":{"key":"f","weight":3},"affinity":{"sticky_key":"s","prefer":"label:zone=a","prefer_wait_ms":100},
    "after":["00000000-0000-0001-0000-000000000002"],"on_dependency_failure":"run","correlation":"trace-1"})");
  ASSERT_TRUE(request.ok()) << request.status().text();
  JobSpec expected;
  expected.ns = NamespaceName("n");
  expected.queue = QueueName("q");
  expected.type = JobType("t");
  expected.payload = {.data = R"({"any":"json"})", .encoding = Encoding::json};
  expected.needs = CapabilitySet({"tool:ffmpeg"});
  expected.selector = {{"region", "eu"}};
  expected.labels = {{"customer", "42"}};
  expected.priority = -3;
  expected.run_at = parse_rfc3339("2026-11-15T10:00:00.000Z");
  expected.delay = 5ms;
  expected.expires_in = 60s;
  expected.timeout = 1h;
  expected.lease_ttl = 30s;
  expected.retry = {.attempts_max = 7,
                    .backoff_base = 10ms,
                    .backoff_factor = 3,
                    .backoff_max = 300ms,
                    .jitter = 0.2,
                    .non_retryable = {"bad"}};
  expected.rescues_max = 1;
  expected.idempotency_key = "order-17";
  expected.unique = UniqueKey{.key = "u", .during = UniqueWhile::waiting};
  expected.concurrency = ConcurrencyKey{.key = "c", .limit = 2};
  expected.fairness = FairnessKey{.key = "f", .weight = 3};
  expected.affinity = {.sticky_key = "s", .prefer = "label:zone=a", .prefer_wait = 100ms};
  expected.after = {kJob};
  expected.on_dependency_failure = OnDependencyFailure::run;
  expected.correlation = "trace-1";
  EXPECT_EQ(request->job, expected);
}

TEST(JobQueryCodec, ReadsTheSameFromQueryAndBody) {
  const auto by_query = decode_job_query({{"namespace", "n"},
                                          {"state", "dead,ready"},
                                          {"state", "running"},
                                          {"label", "a=1"},
                                          {"label", "b=2=3"},
                                          {"order", "oldest"},
                                          {"limit", "7"},
                                          {"payload", "true"}});
  const auto by_body = decode_job_search(
      R"({"namespace":"n","states":["dead","ready","running"],"labels":{"a":"1","b":"2=3"},"order":"oldest","limit":7,"payload":true})");
  ASSERT_TRUE(by_query.ok() && by_body.ok());
  EXPECT_EQ(by_query->filter.states, by_body->filter.states);
  EXPECT_EQ(by_query->filter.labels, by_body->filter.labels);
  EXPECT_EQ(by_query->order, by_body->order);
  EXPECT_EQ(by_query->limit, by_body->limit);
  EXPECT_EQ(by_query->with_payload, by_body->with_payload);
}

TEST(WorkerCodec, FillsTheOtherHalfOfAHeartbeatPolicy) {
  const auto worker = decode_registration(R"({"heartbeat_ms":2000})");
  ASSERT_TRUE(worker.ok());
  EXPECT_EQ(worker->policy->interval, 2s);
  EXPECT_EQ(worker->policy->dead_after, 6s);
  EXPECT_EQ(decode_registration(R"({"dead_after_ms":9000})")->policy->interval, 3s);
  EXPECT_FALSE(decode_registration("{}")->policy.has_value());
}

}  // namespace
}  // namespace muster::http
