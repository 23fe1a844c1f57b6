#include "websocket/upgrade.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/ascii.h"

namespace muster::websocket {
namespace {

constexpr std::string_view kKey = "dGhlIHNhbXBsZSBub25jZQ==";  // RFC 6455, section 1.3
constexpr std::string_view kAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
const UpgradeNonce kNonce{'t', 'h', 'e', ' ', 's', 'a', 'm', 'p', 'l', 'e', ' ', 'n', 'o', 'n', 'c', 'e'};

HeaderLines ordinary() {
  return {{"Host", "server.example.com"},
          {"Upgrade", "websocket"},
          {"Connection", "Upgrade"},
          {"Sec-WebSocket-Key", std::string(kKey)},
          {"Sec-WebSocket-Version", "13"}};
}

HeaderLines with(HeaderLines lines, std::string_view name, std::optional<std::string> value) {
  std::erase_if(lines, [&](const auto& line) { return line.first == name; });
  if (value) lines.emplace_back(name, *value);
  return lines;
}

HeaderValues lookup(const HeaderLines& lines) {
  return [&lines](std::string_view name) {
    std::vector<std::string_view> out;
    for (const auto& [each, value] : lines)
      if (lower(each) == name) out.emplace_back(value);
    return out;
  };
}

using Judgement = std::variant<UpgradeAcceptance, UpgradeRefusal>;

Judgement judged_request(const HeaderLines& lines, std::string_view method = "GET", unsigned minor = 1) {
  return judge_upgrade({.method = method, .version_minor = minor, .headers = lookup(lines)}, {});
}

unsigned status_of(const Judgement& judgement) {
  const auto* refusal = std::get_if<UpgradeRefusal>(&judgement);
  return refusal != nullptr ? refusal->status : 101;
}

std::string extra(const Judgement& judgement, std::string_view name) {
  for (const auto& [each, value] : std::get<UpgradeRefusal>(judgement).headers)
    if (each == name) return value;
  return "";
}

TEST(Upgrade, AnswersTheRequestOfTheRfc) {
  EXPECT_EQ(accept_value(kKey), kAccept);
  const HeaderLines lines = ordinary();
  const Judgement judgement = judged_request(lines);
  ASSERT_EQ(status_of(judgement), 101U);
  const auto& accepted = std::get<UpgradeAcceptance>(judgement);
  EXPECT_EQ(accepted.response,
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
            "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
  EXPECT_FALSE(accepted.deflate);
}

TEST(Upgrade, FindsItsTokensInListsInAnyCaseAndOnSeveralLines) {
  HeaderLines lines = with(with(ordinary(), "Upgrade", "h2c, WebSocket"), "Connection", "keep-alive");
  EXPECT_EQ(status_of(judged_request(lines)), 400U);
  lines.emplace_back("Connection", "foo ,\tuPGRADE");
  EXPECT_EQ(status_of(judged_request(lines)), 101U);
  EXPECT_TRUE(asks_for_websocket(lookup(lines)));
  const HeaderLines plain{{"Host", "a"}, {"Upgrade", "websocketx"}};
  EXPECT_FALSE(asks_for_websocket(lookup(plain)));
}

TEST(Upgrade, RefusesWhatIsMissingOrWrongWithTheStatusThatSaysSo) {
  EXPECT_EQ(status_of(judged_request(ordinary(), "POST")), 405U);
  EXPECT_EQ(extra(judged_request(ordinary(), "POST"), "Allow"), "GET");
  EXPECT_EQ(status_of(judged_request(ordinary(), "get")), 405U) << "methods have a case";
  EXPECT_EQ(status_of(judged_request(ordinary(), "GET", 0)), 400U);
  EXPECT_EQ(status_of(judged_request(with(ordinary(), "Host", std::nullopt))), 400U);
  EXPECT_EQ(status_of(judged_request(with(ordinary(), "Connection", std::nullopt))), 400U);
  EXPECT_EQ(status_of(judged_request(with(ordinary(), "Upgrade", std::nullopt))), 426U);
  EXPECT_EQ(extra(judged_request(with(ordinary(), "Upgrade", "h2c")), "Upgrade"), "websocket");
  EXPECT_EQ(status_of(judged_request(with(ordinary(), "Sec-WebSocket-Extensions", "a b"))), 400U);
}

TEST(Upgrade, NamesItsVersionWhenAnotherIsAskedFor) {
  for (const std::optional<std::string>& version : {std::optional<std::string>(), {"8"}, {"013"}, {"13, 8"}, {""}, {"\xFF"}}) {
    const Judgement judgement = judged_request(with(ordinary(), "Sec-WebSocket-Version", version));
    ASSERT_EQ(status_of(judgement), 426U) << version.value_or("none");
    EXPECT_EQ(extra(judgement, "Sec-WebSocket-Version"), "13");
    EXPECT_EQ(std::get<UpgradeRefusal>(judgement).reason.find('\xFF'), std::string::npos) << "what is not text is not repeated";
  }
  HeaderLines twice = ordinary();
  twice.emplace_back("Sec-WebSocket-Version", "13");
  EXPECT_EQ(status_of(judged_request(twice)), 426U);
}

TEST(Upgrade, WantsAKeyOf16Bytes) {
  for (const std::optional<std::string>& key : {std::optional<std::string>(),
                                                {""},
                                                {"dGhlIHNhbXBsZSBub25j"},
                                                {"dGhlIHNhbXBsZSBub25jZWVl"},
                                                {"dGhlIHNhbXBsZSBub25jZQ"},
                                                {"!!!!"}})
    EXPECT_EQ(status_of(judged_request(with(ordinary(), "Sec-WebSocket-Key", key))), 400U) << key.value_or("none");
  HeaderLines twice = ordinary();
  twice.emplace_back("Sec-WebSocket-Key", std::string(kKey));
  EXPECT_EQ(status_of(judged_request(twice)), 400U);
}

TEST(Upgrade, SaysWhatCompressionItAgreedToAndChoosesNoSubprotocol) {
  HeaderLines lines = ordinary();
  lines.emplace_back("Sec-WebSocket-Protocol", "chat");
  lines.emplace_back("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits");
  const auto accepted = std::get<UpgradeAcceptance>(judged_request(lines));
  EXPECT_TRUE(accepted.deflate);
  EXPECT_NE(accepted.response.find("Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
                                   "client_no_context_takeover\r\n"),
            std::string::npos);
  EXPECT_EQ(accepted.response.find("Protocol:"), std::string::npos);
  EXPECT_TRUE(accepted.response.ends_with("\r\n\r\n"));
}

TEST(UpgradeRequest, SaysWhatAServerOfOursAccepts) {
  const auto request = upgrade_request({.host = "h:1", .target = "/a?b", .headers = {{"Authorization", "Bearer x"}}}, kNonce, {});
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(*request,
            "GET /a?b HTTP/1.1\r\nHost: h:1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: permessage-deflate; "
            "server_no_context_takeover; client_no_context_takeover; client_max_window_bits\r\nAuthorization: Bearer x\r\n\r\n");
  const auto plain = upgrade_request({.host = "h", .target = "/"}, kNonce, {.enabled = false});
  EXPECT_EQ(plain->find("Extensions"), std::string::npos);
}

TEST(UpgradeRequest, LetsNothingEndALineOrSpeakForTheUpgrade) {
  const auto refused_demand = [](const UpgradeDemand& demand) {
    return upgrade_request(demand, kNonce, {}).code() == Code::invalid_argument;
  };
  EXPECT_TRUE(refused_demand({.host = "", .target = "/"}));
  EXPECT_TRUE(refused_demand({.host = "h\r\nX: y", .target = "/"}));
  EXPECT_TRUE(refused_demand({.host = "h", .target = ""}));
  EXPECT_TRUE(refused_demand({.host = "h", .target = "a"}));
  EXPECT_TRUE(refused_demand({.host = "h", .target = "/ HTTP/1.1\r\n"}));
  for (const std::string_view name :
       {"", "a b", "a:b", "a\n", "Host", "upgrade", "CONNECTION", "Sec-WebSocket-Key", "sec-websocket-foo"})
    EXPECT_TRUE(refused_demand({.host = "h", .target = "/", .headers = {{std::string(name), "v"}}})) << name;
  EXPECT_TRUE(refused_demand({.host = "h", .target = "/", .headers = {{"A", "v\r\nB: c"}}}));
}

Result<std::optional<DeflateTerms>> judged_answer(const HeaderLines& lines, unsigned status = 101,
                                                  const DeflatePolicy& policy = {}) {
  return judge_response({.status = status, .headers = lookup(lines)}, kNonce, policy);
}

HeaderLines answer() {
  return {{"Upgrade", "WebSocket"}, {"Connection", "keep-alive, upgrade"}, {"Sec-WebSocket-Accept", std::string(kAccept)}};
}

TEST(UpgradeResponse, IsTakenWhenItAnswersThisRequest) {
  const auto plain = judged_answer(answer());
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE(*plain);
  const auto deflate =
      judged_answer(with(answer(), "Sec-WebSocket-Extensions", "permessage-deflate; server_no_context_takeover"));
  ASSERT_TRUE(deflate.ok());
  EXPECT_TRUE(*deflate);
}

TEST(UpgradeResponse, IsRefusedWhenItIsNotAWebSocketsOrAnswersAnotherRequest) {
  EXPECT_FALSE(judged_answer(with(answer(), "Upgrade", std::nullopt)).ok());
  EXPECT_FALSE(judged_answer(with(answer(), "Upgrade", "h2c")).ok());
  EXPECT_FALSE(judged_answer(with(answer(), "Connection", "close")).ok());
  EXPECT_FALSE(judged_answer(with(answer(), "Sec-WebSocket-Accept", std::nullopt)).ok());
  EXPECT_FALSE(judged_answer(with(answer(), "Sec-WebSocket-Accept", "S3pPLMBiTxaQ9kYGzzhZRbK+xOo=")).ok());
  EXPECT_FALSE(judged_answer(with(answer(), "Sec-WebSocket-Protocol", "chat")).ok());
  EXPECT_FALSE(judged_answer(with(answer(), "Sec-WebSocket-Extensions", "foo")).ok());
  EXPECT_FALSE(judged_answer(with(answer(), "Sec-WebSocket-Extensions", "permessage-deflate"), 101, {.enabled = false}).ok());
}

TEST(UpgradeResponse, TellsByItsCodeWhyTheServerRefused) {
  EXPECT_EQ(judged_answer({}, 401).code(), Code::unauthenticated);
  EXPECT_EQ(judged_answer({}, 403).code(), Code::permission_denied);
  EXPECT_EQ(judged_answer({}, 404).code(), Code::not_found);
  EXPECT_EQ(judged_answer({}, 429).code(), Code::exhausted);
  EXPECT_EQ(judged_answer({}, 503).code(), Code::unavailable);
  EXPECT_EQ(judged_answer({}, 200).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::websocket
