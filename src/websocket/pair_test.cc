// A client's and a server's peer, in memory: they upgrade, send messages of chance to each other in pieces of chance, and say
// goodbye. What arrives is what was sent, in order, in every form of compression that they can agree on.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "base/ascii.h"
#include "websocket/peer.h"
#include "websocket/upgrade.h"
#include "websocket/websocket_testing.h"

namespace muster::websocket {
namespace {

using namespace std::chrono_literals;

// The head of a request or response as an HTTP library would give it. `start` gets the first line.
HeaderLines head_lines(std::string_view head, std::string& start) {
  HeaderLines out;
  start = head.substr(0, head.find("\r\n"));
  head.remove_prefix(start.size() + 2);
  while (!head.starts_with("\r\n")) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    const std::size_t colon = line.find(':');
    out.emplace_back(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    head.remove_prefix(line.size() + 2);
  }
  return out;
}

HeaderValues values_of(const HeaderLines& lines) {
  return [&lines](std::string_view name) {
    std::vector<std::string_view> out;
    for (const auto& [each, value] : lines)
      if (each == name) out.emplace_back(value);
    return out;
  };
}

// Both sides by their own judgement of what the other one said.
struct Agreed {
  std::optional<DeflateTerms> server;
  std::optional<DeflateTerms> client;
};
Agreed upgraded(const DeflatePolicy& server, const DeflatePolicy& client) {
  const UpgradeNonce nonce{};
  std::string start;
  const HeaderLines request = head_lines(*upgrade_request({.host = "h", .target = "/"}, nonce, client), start);
  EXPECT_EQ(start, "GET / HTTP/1.1");
  const auto judged = judge_upgrade({.method = "GET", .headers = values_of(request)}, server);
  const auto& accepted = std::get<UpgradeAcceptance>(judged);
  const HeaderLines response = head_lines(accepted.response, start);
  EXPECT_EQ(start, "HTTP/1.1 101 Switching Protocols");
  const auto seen = judge_response({.status = 101, .headers = values_of(response)}, nonce, client);
  EXPECT_TRUE(seen.ok()) << seen.status().message();
  return {.server = accepted.deflate, .client = seen.ok() ? *seen : std::nullopt};
}

struct End {
  Peer peer;
  std::string incoming;              // on its way to this end
  std::deque<std::string> expected;  // what the other end has sent and this one has not seen
};

class Pair {
 public:
  Pair(Agreed agreed, std::uint64_t seed)
      : chance_(seed),
        server_{.peer = Peer({.role = Role::server, .deflate = agreed.server, .deflate_bytes_min = 64}, {})},
        client_{.peer = Peer({.role = Role::client,
                              .deflate = agreed.client,
                              .deflate_bytes_min = 0,
                              .mask_keys = [this] { return chance_.mask(); }},
                             {})} {}

  void step() {
    End& from = chance_.below(2) == 0 ? server_ : client_;
    End& to = &from == &server_ ? client_ : server_;
    if (chance_.below(3) == 0) send(from, to);
    to.incoming += from.peer.take_output();
    deliver(to, chance_.between(1, to.incoming.size() + 1));
  }

  // Everything that was sent arrives.
  void settle() {
    for (int round = 0; round < 3; ++round) {
      for (End* end : {&server_, &client_}) {
        End& to = end == &server_ ? client_ : server_;
        to.incoming += end->peer.take_output();
        deliver(to, to.incoming.size());
      }
    }
    EXPECT_TRUE(server_.expected.empty());
    EXPECT_TRUE(client_.expected.empty());
  }

  void finish() {
    settle();
    client_.peer.close(CloseCode::normal, "done", 5s);
    settle();
    EXPECT_TRUE(server_.peer.finished());
    EXPECT_TRUE(client_.peer.finished());
    EXPECT_EQ(closes_, 2);
  }

  std::size_t messages() const { return messages_; }
  std::size_t server_bytes() const { return server_.peer.buffered(); }

 private:
  void send(End& from, End& to) {
    const std::size_t size = chance_.below(10) == 0 ? chance_.below(100'000) : chance_.below(400);
    if (chance_.below(2) == 0) {
      const std::string text = chance_.words(size);
      if (chance_.below(4) == 0) {
        PreparedText prepared(text);
        EXPECT_TRUE(from.peer.send_text_prepared(prepared));
      } else {
        EXPECT_TRUE(from.peer.send_text(text));
      }
      to.expected.push_back("text " + text);
    } else {
      const std::string data = chance_.below(2) == 0 ? chance_.bytes(size) : chance_.words(size);
      EXPECT_TRUE(from.peer.send_binary(data));
      to.expected.push_back("binary " + data);
    }
  }

  void deliver(End& end, std::size_t size) {
    const std::string piece = end.incoming.substr(0, size);
    end.incoming.erase(0, size);
    std::string_view bytes = piece;
    while (auto event = end.peer.received(bytes, {})) {
      const std::string text = std::visit([](const auto& each) { return text_of(Event(each)); }, *event);
      if (std::holds_alternative<Close>(*event)) {
        ++closes_;
        continue;
      }
      ASSERT_FALSE(end.expected.empty()) << text.substr(0, 100);
      ASSERT_TRUE(text == end.expected.front()) << text.substr(0, 100);
      end.expected.pop_front();
      ++messages_;
    }
  }

  Chance chance_;
  End server_;
  End client_;
  std::size_t messages_ = 0;
  int closes_ = 0;
};

void exchange(const Agreed& agreed, std::uint64_t seed) {
  Pair pair(agreed, seed);
  for (int i = 0; i < 300 && !::testing::Test::HasFailure(); ++i) pair.step();
  pair.finish();
  EXPECT_GT(pair.messages(), 50U);
}

TEST(Pair, ExchangesMessagesWithoutCompression) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) exchange(upgraded({.enabled = false}, {}), seed);
}

TEST(Pair, ExchangesMessagesInEveryFormOfCompressionTheyAgreeOn) {
  std::size_t forms = 0;
  for (const bool server_takeover : {false, true}) {
    for (const bool client_takeover : {false, true}) {
      for (const int server_bits : {8, 9, 15}) {
        for (const int client_bits : {8, 12, 15}) {
          const DeflatePolicy policy{.most = {.server = {.takeover = server_takeover, .window_bits = server_bits},
                                              .client = {.takeover = client_takeover, .window_bits = client_bits}}};
          const Agreed agreed = upgraded(policy, {.most = {.server = {.takeover = true}, .client = {.takeover = true}}});
          ASSERT_TRUE(agreed.server && agreed.client);
          EXPECT_EQ(*agreed.server, policy.most);
          EXPECT_EQ(*agreed.server, *agreed.client);
          exchange(agreed, ++forms);
          ASSERT_FALSE(HasFailure()) << server_takeover << client_takeover << " " << server_bits << " " << client_bits;
        }
      }
    }
  }
  EXPECT_EQ(forms, 36U);
}

TEST(Pair, CostsAServerNextToNothingWhileItIsIdleUnlessTakeoverWasAgreed) {
  static constexpr DeflatePolicy kAll{.most = {.server = {.takeover = true}, .client = {.takeover = true}}};
  const auto idle_bytes = [](const DeflatePolicy& server) {
    const Agreed agreed = upgraded(server, kAll);
    EXPECT_TRUE(agreed.server);
    Pair pair(agreed, 1);
    for (int i = 0; i < 300; ++i) pair.step();
    pair.settle();
    EXPECT_GT(pair.messages(), 50U);
    return pair.server_bytes();
  };
  EXPECT_LT(idle_bytes({}), 100U);
  EXPECT_GT(idle_bytes(kAll), 30'000U);
}

}  // namespace
}  // namespace muster::websocket
