// Method: one good value of each noun, and one table of single changes that each must be refused with a message that names the
// thing; the value at each bound must be accepted, the one beyond it refused.
#include "model/validate.h"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "model/key_scope.h"
#include "model/limits.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

JobSpec job() {
  JobSpec spec;
  spec.type = JobType("email.send");
  return spec;
}

WorkerSpec worker() {
  WorkerSpec spec;
  spec.id = WorkerId("w1");
  return spec;
}

QueueChange queue() {
  QueueChange change;
  change.queue = QueueName("mail");
  return change;
}

Labels many_labels(std::size_t count) {
  Labels labels;
  for (std::size_t i = 0; i < count; ++i) labels["k" + std::to_string(i)] = "v";
  return labels;
}

CapabilitySet many_capabilities(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("tool:" + std::to_string(i));
  return CapabilitySet(std::move(names));
}

template <class Noun>
struct Case {
  const char* named;  // part of the message
  std::function<void(Noun&)> change;
};

template <class Noun>
void expect_refused(const Noun& good, const std::vector<Case<Noun>>& cases) {
  ASSERT_TRUE(validate(good).ok()) << validate(good).text();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Noun bad = good;
    cases[i].change(bad);
    const Status status = validate(bad);
    EXPECT_EQ(status.code(), Code::invalid_argument) << "case " << i << " " << cases[i].named;
    EXPECT_NE(status.message().find(cases[i].named), std::string::npos) << "case " << i << ": " << status.message();
  }
}

template <class Noun>
void expect_accepted(const Noun& good, const std::vector<std::function<void(Noun&)>>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Noun changed = good;
    changes[i](changed);
    EXPECT_TRUE(validate(changed).ok()) << "case " << i << ": " << validate(changed).text();
  }
}

TEST(Validate, AScopeOfOursDoesNotCountAgainstAKey) {
  JobSpec spec;
  spec.type = JobType("t");
  const std::string longest(limits::kKeyBytesMax, 'k');
  for (const std::string& scope : {std::string(kKagziKeys), kChildKeys + Uuid{1, 2}.text() + ":"}) {
    spec.idempotency_key = scope + longest;
    spec.unique = UniqueKey{scope + longest, UniqueWhile::unfinished};
    EXPECT_TRUE(validate(spec).ok()) << validate(spec).text();
    spec.idempotency_key += "k";
    EXPECT_FALSE(validate(spec).ok());
  }
  spec.idempotency_key = "other:" + longest;
  EXPECT_FALSE(validate(spec).ok());
}

TEST(ValidateName, AcceptsPrintableTextUpToItsLimit) {
  for (const std::string& text :
       {std::string("a"), std::string("email.send:v2"), std::string("größe"), std::string(limits::kNameBytesMax, 'x')})
    EXPECT_TRUE(validate_name("queue", text).ok()) << text;
}

TEST(ValidateName, RefusesSpacesControlsSlashesAndBadUtf8) {
  const std::vector<std::string> bad{"",
                                     std::string(limits::kNameBytesMax + 1, 'x'),
                                     "a b",
                                     "a\tb",
                                     "a/b",
                                     std::string("a\0b", 3),
                                     "\x7f",
                                     "\xff",
                                     "\xc0\xaf",
                                     "\xe2\x82",
                                     "\xed\xa0\x80",
                                     "\xf5\x80\x80\x80",
                                     "\xe0\x80\x80",
                                     "\xf0\x80\x80\x80"};
  for (const std::string& text : bad) EXPECT_EQ(validate_name("queue", text).code(), Code::invalid_argument) << text;
}

TEST(ValidateName, SaysTheThingTheValueAndTheRange) {
  EXPECT_EQ(validate_name("queue", "").message(), "queue '' has 0 bytes; 1 to 128 are accepted");
  EXPECT_EQ(validate_name("queue", "a\nb").message(),
            "queue 'a\\x0ab' holds a space, a control character or '/'; other printable characters are accepted");
}

TEST(ValidateName, CutsALongValueInItsMessage) {
  EXPECT_LT(validate_name("queue", std::string(100'000, 'x')).message().size(), 200u);
}

TEST(ValidateJob, RefusesEachBadFieldByName) {
  expect_refused<JobSpec>(job(),
                          {
                              {"namespace", [](JobSpec& s) { s.ns = NamespaceName(""); }},
                              {"queue", [](JobSpec& s) { s.queue = QueueName("a/b"); }},
                              {"type", [](JobSpec& s) { s.type = JobType(""); }},
                              {"payload", [](JobSpec& s) { s.payload.data.resize(limits::kPayloadBytesMax + 1); }},
                              {"needs", [](JobSpec& s) { s.needs = many_capabilities(limits::kNeedsMax + 1); }},
                              {"needs", [](JobSpec& s) { s.needs = CapabilitySet({"notakind"}); }},
                              {"needs", [](JobSpec& s) { s.needs = CapabilitySet({"tool:\xff"}); }},
                              {"selector", [](JobSpec& s) { s.selector = many_labels(limits::kLabelsMax + 1); }},
                              {"selector",
                               [](JobSpec& s) {
                                 s.selector = {{"a b", "c"}};
                               }},
                              {"labels",
                               [](JobSpec& s) {
                                 s.labels = {{"", "v"}};
                               }},
                              {"labels",
                               [](JobSpec& s) {
                                 s.labels = {{"a=b", "v"}};
                               }},
                              {"labels",
                               [](JobSpec& s) {
                                 s.labels = {{"a\nb", "v"}};
                               }},
                              {"labels",
                               [](JobSpec& s) {
                                 s.labels = {{"a", "line\nbreak"}};
                               }},
                              {"labels",
                               [](JobSpec& s) {
                                 s.labels = {{"a", std::string(limits::kLabelBytesMax + 1, 'v')}};
                               }},
                              {"priority", [](JobSpec& s) { s.priority = limits::kPriorityMax + 1; }},
                              {"priority", [](JobSpec& s) { s.priority = limits::kPriorityMin - 1; }},
                              {"run_at",
                               [](JobSpec& s) {
                                 s.run_at = Instant(1s);
                                 s.delay = 1ms;
                               }},
                              {"run_at", [](JobSpec& s) { s.run_at = Instant(-1ms); }},
                              {"run_at", [](JobSpec& s) { s.run_at = limits::kRunAtMax + 1ms; }},
                              {"delay", [](JobSpec& s) { s.delay = -1ms; }},
                              {"delay", [](JobSpec& s) { s.delay = limits::kDelayMax + 1ms; }},
                              {"expires_in", [](JobSpec& s) { s.expires_in = 0ms; }},
                              {"timeout", [](JobSpec& s) { s.timeout = 0ms; }},
                              {"timeout", [](JobSpec& s) { s.timeout = limits::kJobTimeoutMax + 1ms; }},
                              {"lease", [](JobSpec& s) { s.lease_ttl = limits::kLeaseMin - 1ms; }},
                              {"lease", [](JobSpec& s) { s.lease_ttl = limits::kLeaseMax + 1ms; }},
                              {"attempts_max", [](JobSpec& s) { s.retry.attempts_max = 0; }},
                              {"rescues_max", [](JobSpec& s) { s.rescues_max = limits::kRescuesMax + 1; }},
                              {"idempotency_key", [](JobSpec& s) { s.idempotency_key.assign(limits::kKeyBytesMax + 1, 'k'); }},
                              {"unique key", [](JobSpec& s) { s.unique = UniqueKey{}; }},
                              {"concurrency key", [](JobSpec& s) { s.concurrency = ConcurrencyKey{}; }},
                              {"concurrency limit",
                               [](JobSpec& s) {
                                 s.concurrency = ConcurrencyKey{"k", 0};
                               }},
                              {"fairness key", [](JobSpec& s) { s.fairness = FairnessKey{}; }},
                              {"fairness weight",
                               [](JobSpec& s) {
                                 s.fairness = FairnessKey{"k", limits::kFairnessWeightMax + 1};
                               }},
                              {"sticky_key", [](JobSpec& s) { s.affinity.sticky_key = "a\nb"; }},
                              {"prefer", [](JobSpec& s) { s.affinity.prefer = "zone"; }},
                              {"prefer_wait",
                               [](JobSpec& s) {
                                 s.affinity.prefer = "label:zone=a";
                                 s.affinity.prefer_wait = -1ms;
                               }},
                              {"after", [](JobSpec& s) { s.after = {JobId{}}; }},
                              {"more than once",
                               [](JobSpec& s) {
                                 s.after = {JobId{{1, 2}}, JobId{{3, 4}}, JobId{{1, 2}}};
                               }},
                              {"after", [](JobSpec& s) { s.after.resize(limits::kDependenciesMax + 1); }},
                              {"correlation", [](JobSpec& s) { s.correlation = "\xff"; }},
                          });
}

TEST(ValidateJob, AcceptsTheValueAtEachBound) {
  expect_accepted<JobSpec>(job(), {
                                      [](JobSpec& s) { s.payload.data.resize(limits::kPayloadBytesMax); },
                                      [](JobSpec& s) { s.needs = many_capabilities(limits::kNeedsMax); },
                                      [](JobSpec& s) { s.labels = many_labels(limits::kLabelsMax); },
                                      [](JobSpec& s) {
                                        s.labels = {{"customer", "two words"}, {"empty", ""}};
                                      },
                                      [](JobSpec& s) { s.priority = limits::kPriorityMin; },
                                      [](JobSpec& s) { s.delay = limits::kDelayMax; },
                                      [](JobSpec& s) { s.run_at = limits::kRunAtMax; },
                                      [](JobSpec& s) { s.timeout = 1ms; },
                                      [](JobSpec& s) { s.lease_ttl = limits::kLeaseMax; },
                                      [](JobSpec& s) { s.rescues_max = 0; },
                                      [](JobSpec& s) {
                                        s.after = {JobId{{1, 2}}, JobId{{3, 4}}};
                                      },
                                  });
}

TEST(ValidateJob, MayNeedAWorkerOrALabelByName) {
  JobSpec spec = job();
  spec.needs = CapabilitySet({"worker:w1", "label:zone=a"});
  EXPECT_TRUE(validate(spec).ok()) << validate(spec).text();
}

TEST(ValidateRetry, RefusesEachBadField) {
  expect_refused<RetryPolicy>(
      RetryPolicy{}, {
                         {"attempts_max", [](RetryPolicy& p) { p.attempts_max = limits::kAttemptsMax + 1; }},
                         {"backoff_base", [](RetryPolicy& p) { p.backoff_base = -1ms; }},
                         {"backoff_base", [](RetryPolicy& p) { p.backoff_base = p.backoff_max + 1ms; }},
                         {"backoff_factor", [](RetryPolicy& p) { p.backoff_factor = 0.99; }},
                         {"backoff_factor", [](RetryPolicy& p) { p.backoff_factor = std::numeric_limits<double>::quiet_NaN(); }},
                         {"backoff_factor", [](RetryPolicy& p) { p.backoff_factor = std::numeric_limits<double>::infinity(); }},
                         {"backoff_max", [](RetryPolicy& p) { p.backoff_max = limits::kBackoffMax + 1ms; }},
                         {"jitter", [](RetryPolicy& p) { p.jitter = 1.01; }},
                         {"non_retryable", [](RetryPolicy& p) { p.non_retryable = {""}; }},
                         {"non_retryable", [](RetryPolicy& p) { p.non_retryable.assign(limits::kErrorKindsMax + 1, "io"); }},
                     });
}

TEST(ValidateHeartbeat, FitsThreeBeatsIntoDeadAfter) {
  EXPECT_TRUE(validate(HeartbeatPolicy{10s, 30s}).ok());
  EXPECT_EQ(validate(HeartbeatPolicy{10s, 29'999ms}).message(), "dead_after is 29999 ms; 30000 to 86400000 ms is accepted");
  EXPECT_EQ(validate(HeartbeatPolicy{limits::kHeartbeatMin - 1ms, 30s}).code(), Code::invalid_argument);
  EXPECT_EQ(validate(HeartbeatPolicy{limits::kHeartbeatMax + 1ms, 12h}).code(), Code::invalid_argument);
  EXPECT_EQ(validate(HeartbeatPolicy{10s, limits::kLeaseMax + 1ms}).code(), Code::invalid_argument);
}

TEST(ValidateWorker, RefusesEachBadFieldByName) {
  expect_refused<WorkerSpec>(
      worker(), {
                    {"namespace", [](WorkerSpec& s) { s.ns = NamespaceName("a b"); }},
                    {"worker", [](WorkerSpec& s) { s.id = WorkerId("a/b"); }},
                    {"capabilities", [](WorkerSpec& s) { s.capabilities = many_capabilities(limits::kCapabilitiesMax + 1); }},
                    {"reserved", [](WorkerSpec& s) { s.capabilities = CapabilitySet({"label:zone=a"}); }},
                    {"reserved", [](WorkerSpec& s) { s.capabilities = CapabilitySet({"worker:other"}); }},
                    {"queues", [](WorkerSpec& s) { s.queues.assign(limits::kQueuesPerClaimMax + 1, QueueName("q")); }},
                    {"queue", [](WorkerSpec& s) { s.queues = {QueueName("")}; }},
                    {"labels",
                     [](WorkerSpec& s) {
                       s.labels = {{"a=b", ""}};
                     }},
                    {"slots", [](WorkerSpec& s) { s.slots = 0; }},
                    {"slots", [](WorkerSpec& s) { s.slots = limits::kSlotsMax + 1; }},
                    {"hostname", [](WorkerSpec& s) { s.hostname = "\n"; }},
                    {"version", [](WorkerSpec& s) { s.version.assign(limits::kKeyBytesMax + 1, '1'); }},
                    {"metadata", [](WorkerSpec& s) { s.metadata.assign(limits::kMetadataBytesMax + 1, ' '); }},
                    {"dead_after",
                     [](WorkerSpec& s) {
                       s.policy = HeartbeatPolicy{10s, 20s};
                     }},
                });
}

TEST(ValidateWorker, AcceptsNoNameAndKindsThatOnlyLookReserved) {
  WorkerSpec spec = worker();
  spec.id = WorkerId();
  spec.capabilities = CapabilitySet({"labels:x", "worker-pool:y"});
  EXPECT_TRUE(validate(spec).ok()) << validate(spec).text();
}

TEST(ValidateQueue, RefusesEachBadFieldByName) {
  expect_refused<QueueChange>(queue(),
                              {
                                  {"namespace", [](QueueChange& c) { c.ns = NamespaceName(""); }},
                                  {"queue", [](QueueChange& c) { c.queue = QueueName(""); }},
                                  {"reason", [](QueueChange& c) { c.pause_reason.assign(limits::kErrorBytesMax + 1, 'x'); }},
                                  {"running_max", [](QueueChange& c) { c.running_max = limits::kConcurrencyMax + 1; }},
                                  {"type",
                                   [](QueueChange& c) {
                                     c.running_max_by_type = {{"a b", 1}};
                                   }},
                                  {"type 'a'",
                                   [](QueueChange& c) {
                                     c.running_max_by_type = {{"a", limits::kConcurrencyMax + 1}};
                                   }},
                                  {"rate count", [](QueueChange& c) { c.rate = RateLimit{.count = -1}; }},
                                  {"rate period", [](QueueChange& c) { c.rate = RateLimit{.count = 1, .per = 0ms}; }},
                                  {"rate burst", [](QueueChange& c) { c.rate = RateLimit{.count = 1, .burst = 0}; }},
                              });
}

TEST(ValidateQueue, AcceptsZeroAsTheRemovalOfALimit) {
  QueueChange change = queue();
  change.running_max = 0;
  change.running_max_by_type = {{"a", 0}};
  change.rate = RateLimit{.count = 0, .per = 0ms, .burst = 0};
  EXPECT_TRUE(validate(change).ok()) << validate(change).text();
}

TEST(ValidateError, AcceptsLinesButNoNulAndNoExcess) {
  EXPECT_TRUE(validate(JobError{"io", "first\nsecond"}).ok());
  EXPECT_EQ(validate(JobError{"i\no", ""}).code(), Code::invalid_argument);
  EXPECT_EQ(validate(JobError{"io", std::string("a\0b", 3)}).code(), Code::invalid_argument);
  EXPECT_TRUE(validate(JobError{"io", std::string(limits::kErrorBytesMax, 'x')}).ok());
  EXPECT_EQ(validate(JobError{"io", std::string(limits::kErrorBytesMax + 1, 'x')}).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster
