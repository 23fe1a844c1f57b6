// Server-sent events: order, filters, resuming, gaps, slow readers.
#include <fmt/format.h>

#include "fronts/http/event_pulse.h"
#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;

struct Seen {
  std::string id;
  std::string event;
  nlohmann::json data;
};

class EventStream : public FrontTest {
 protected:
  Client open(std::string_view query = "", std::string_view headers = "") {
    Client client = connect();
    client.send(request_text("GET", fmt::format("/events{}", query), "", headers));
    head = client.read_until("\r\n\r\n");
    return client;
  }
  Seen next(Client& client) {
    Seen seen;
    std::string text;
    do text = client.read_until("\n\n");
    while (text.starts_with(":"));
    const auto field = [&](const std::string& name) {
      const std::size_t at = text.find(name + ": ");
      return at == std::string::npos ? std::string()
                                     : text.substr(at + name.size() + 2, text.find('\n', at) - at - name.size() - 2);
    };
    seen.id = field("id");
    seen.event = field("event");
    seen.data = nlohmann::json::parse(field("data"), nullptr, false);
    return seen;
  }
  std::string head;
};

TEST_F(EventStream, TellsWhatHappensToAJobInOrder) {
  start();
  Client client = open("?kinds=job");
  EXPECT_NE(head.find("200 OK"), std::string::npos);
  EXPECT_NE(head.find("text/event-stream"), std::string::npos);
  register_worker("w1");
  const std::string id = submit(R"({"type":"t","queue":"mail"})");
  claim_one("w1");
  const Seen enqueued = next(client);
  const Seen claimed = next(client);
  EXPECT_EQ(enqueued.event, "job");
  EXPECT_EQ(enqueued.data["event"], "enqueued");
  EXPECT_EQ(enqueued.data["id"], id);
  EXPECT_EQ(enqueued.data["queue"], "mail");
  EXPECT_EQ(claimed.data["event"], "claimed");
  EXPECT_EQ(claimed.data["worker"], "w1");
  EXPECT_LT(std::stoull(enqueued.id), std::stoull(claimed.id));
}

TEST_F(EventStream, FiltersByKindQueueAndJob) {
  start();
  Client workers = open("?kinds=worker");
  Client mail = open("?queue=mail");
  register_worker("w1");
  submit(R"({"type":"t","queue":"other"})");
  const std::string id = submit(R"({"type":"t","queue":"mail"})");
  EXPECT_EQ(next(workers).event, "worker");
  EXPECT_EQ(next(mail).data["id"], id);
}

TEST_F(EventStream, ResumesAfterTheLastEventSeen) {
  start();
  Client first = open();
  submit(R"({"type":"a"})");
  const Seen seen = next(first);
  first.close();
  submit(R"({"type":"b"})");
  Client by_header = open("", fmt::format("Last-Event-ID: {}\r\n", seen.id));
  EXPECT_EQ(next(by_header).data["type"], "b");
  Client by_query = open(fmt::format("?last_event_id={}", seen.id));
  EXPECT_EQ(next(by_query).data["type"], "b");
}

TEST_F(EventStream, TellsOfAGapWhenItCannotResume) {
  start();
  submit(R"({"type":"a"})");
  Client client = open("?last_event_id=1");
  const Seen gap = next(client);
  EXPECT_EQ(gap.event, "gap");
  EXPECT_EQ(next(client).data["type"], "a") << "what the ring still holds follows the gap";
}

TEST_F(EventStream, SendsACommentAfterSilence) {
  start();
  Client client = open();
  EXPECT_TRUE(eventually([&] { return metrics.gauge("muster_http_connections_open", "").value() == 1; }));
  clock.advance(16s);
  EXPECT_EQ(client.read_until("\n\n"), ": still here\n\n");
}

TEST_F(EventStream, RefusesUnknownKindsAndParameters) {
  start();
  EXPECT_EQ(call("GET", "/events?kinds=jobs").status, 400);
  EXPECT_EQ(call("GET", "/events?que=x").status, 400);
  EXPECT_EQ(call("GET", "/events?coalesce_ms=49").status, 400);
  EXPECT_EQ(call("GET", "/events?coalesce_ms=10001").status, 400);
  EXPECT_EQ(call("GET", "/events", "", "Last-Event-ID: abc\r\n").status, 400);
}

TEST_F(EventStream, RefusesOneStreamTooMany) {
  HttpOptions options;
  options.limits.event_streams_max = 1;
  start(options);
  Client first = open();
  EXPECT_EQ(call("GET", "/events").status, 429);
  first.close();
  EXPECT_TRUE(eventually([&] {
    Client again = open();
    return head.find("200 OK") != std::string::npos;
  }));
}

TEST_F(EventStream, DoesNotBufferWithoutBoundForAReaderThatStops) {
  // Method: the reader takes nothing while far more events happen than its buffers hold; afterwards every event it missed is
  // either delivered in order or covered by a gap, and the server went on serving others meanwhile.
  HttpOptions options;
  options.limits.event_buffer_bytes_max = 4 * 1024;
  start(options);
  Client client = open();
  std::string bulk = R"({"jobs":[)";
  for (int i = 0; i < 5'000; ++i) bulk += fmt::format(R"({}{{"type":"{}"}})", i == 0 ? "" : ",", std::string(100, 'x'));
  bulk += "]}";
  for (int i = 0; i < 20; ++i) ASSERT_EQ(call("POST", "/api/v1/jobs/bulk", bulk).status, 201);
  std::uint64_t last = 0;
  std::size_t gaps = 0;
  std::size_t events = 0;
  while (last < engine->events().newest()) {
    const Seen seen = next(client);
    ASSERT_FALSE(seen.id.empty());
    const std::uint64_t number = std::stoull(seen.id);
    if (seen.event == "gap") {
      ++gaps;
    } else {
      ASSERT_TRUE(last == 0 || number == last + 1) << "nothing is left out in silence";
      ++events;
    }
    last = number;
  }
  EXPECT_GE(gaps, 1u) << "100,000 events do not fit the ring";
  EXPECT_GT(events, 0u);
}

TEST_F(EventStream, APacedStreamTellsOfAJobOnceATurnAndTheNewestOfIt) {
  // Method: time stands still, so that everything up to the advance is one turn.
  start();
  Client client = open("?kinds=job&coalesce_ms=250");
  const std::string first = submit(R"({"type":"a"})");
  EXPECT_EQ(next(client).data["id"], first) << "after a pause nobody waits";
  register_worker("w1");
  const std::string second = submit(R"({"type":"b"})");
  claim_one("w1");
  claim_one("w1");
  clock.advance(250ms);
  const Seen one = next(client);
  const Seen other = next(client);
  EXPECT_EQ(one.data["event"], "claimed");
  EXPECT_EQ(other.data["event"], "claimed");
  EXPECT_EQ(one.data["id"], first);
  EXPECT_EQ(other.data["id"], second);
  EXPECT_LT(std::stoull(one.id), std::stoull(other.id));
}

TEST_F(EventStream, PacedStreamsOfOneTurnHearTheSameWhateverTheyAskFor) {
  start();
  Client all = open("?coalesce_ms=100");
  Client same = open("?coalesce_ms=100");
  Client mail = open("?queue=mail&coalesce_ms=100");
  Client at_once = open("?queue=mail");
  submit(R"({"type":"t","queue":"other"})");
  const std::string id = submit(R"({"type":"t","queue":"mail"})");
  EXPECT_EQ(next(at_once).data["id"], id);
  clock.advance(100ms);  // what the first turn came too early for
  EXPECT_EQ(next(mail).data["id"], id);
  EXPECT_EQ(next(all).data["queue"], "other");
  EXPECT_EQ(next(all).data["queue"], "mail");
  EXPECT_EQ(next(same).data["queue"], "other");
  EXPECT_EQ(next(same).data["queue"], "mail");
}

TEST_F(EventStream, ATurnWithTooMuchToTellIsMovedAheadAndSaysSo) {
  start();
  Client client = open("?kinds=job&coalesce_ms=10000");
  submit(R"({"type":"first"})");
  EXPECT_EQ(next(client).data["type"], "first");
  std::string bulk = R"({"jobs":[)";
  for (std::size_t i = 0; i < kPulseToldMax + 100; ++i) bulk += fmt::format(R"({}{{"type":"t{}"}})", i == 0 ? "" : ",", i);
  bulk += "]}";
  ASSERT_EQ(call("POST", "/api/v1/jobs/bulk", bulk).status, 201);
  clock.advance(10s);
  EXPECT_EQ(next(client).event, "gap");
  for (std::size_t i = 100; i < kPulseToldMax + 100; ++i) ASSERT_EQ(next(client).data["type"], fmt::format("t{}", i));
}

TEST_F(EventStream, APacedReaderThatStopsIsSkippedAheadAndHoldsNobodyUp) {
  // Method: one reader takes nothing while far more happens than its buffers hold; the other hears of the last job all the same,
  // and the first, when it reads on, comes to the newest through a gap.
  start();
  Client stopped = open("?kinds=job&coalesce_ms=50");
  Client reading = open("?kinds=job&coalesce_ms=50");
  std::string bulk = R"({"jobs":[)";
  for (int i = 0; i < 5'000; ++i) bulk += fmt::format(R"({}{{"type":"{}"}})", i == 0 ? "" : ",", std::string(100, 'x'));
  bulk += "]}";
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(call("POST", "/api/v1/jobs/bulk", bulk).status, 201);
    clock.advance(50ms);
  }
  submit(R"({"type":"last"})");
  const auto hears_of_the_last = [&](Client& client) {
    for (;;) {
      clock.advance(50ms);
      const Seen seen = next(client);
      if (seen.event == "gap") continue;
      if (seen.data["type"] == "last") return true;
    }
  };
  EXPECT_TRUE(hears_of_the_last(reading));
  EXPECT_TRUE(hears_of_the_last(stopped));
}

TEST_F(EventStream, EndsWhenTheFrontStops) {
  start();
  Client client = open();
  std::thread stopping([&] { front->stop(10s); });
  EXPECT_TRUE(client.read_end());
  client.close();
  stopping.join();
}

}  // namespace
}  // namespace muster::http
