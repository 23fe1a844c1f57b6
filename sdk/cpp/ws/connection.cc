#include "sdk/cpp/ws/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>
#include <variant>

#include "base/ascii.h"

namespace muster::sdk::ws {
namespace {

using websocket::CloseCode;

constexpr websocket::DeflatePolicy kDeflate{};

struct Answer {
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // lower-case names
};

std::optional<Answer> parse_answer(std::string_view head) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  constexpr std::size_t kStatusDigits = 3;
  if (!head.starts_with(kVersion) || head.size() < kVersion.size() + kStatusDigits) return std::nullopt;
  Answer answer;
  const char* const digits = head.data() + kVersion.size();
  if (std::from_chars(digits, digits + kStatusDigits, answer.status).ptr != digits + kStatusDigits) return std::nullopt;
  const std::size_t first_end = head.find("\r\n");
  head.remove_prefix(first_end == head.npos ? head.size() : first_end + 2);
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    const std::size_t colon = line.find(':');
    if (colon == line.npos || colon == 0) return std::nullopt;
    answer.headers.emplace_back(lower(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1))));
  }
  return answer;
}

}  // namespace

Connection::Connection(const Endpoint& endpoint, std::string_view user_agent, RandomWord random, Moment now)
    : random_(std::move(random)), open_by_(now.ticks + kUpgradeWithin) {
  const std::array<std::uint64_t, 2> words{random_(), random_()};
  static_assert(sizeof words == sizeof nonce_);
  std::memcpy(nonce_.data(), words.data(), sizeof nonce_);
  auto request = websocket::upgrade_request(
      {.host = endpoint.host, .target = endpoint.target, .headers = {{"User-Agent", std::string(user_agent)}}}, nonce_, kDeflate);
  if (request.ok())
    output_ = *std::move(request);
  else
    end_ = ConnectionEnd{.status = request.status()};
}

void Connection::received(std::string_view bytes, Moment now, std::vector<std::string>& messages) {
  if (!peer_) read_answer(bytes, now);
  while (peer_ && !end_) {
    auto event = peer_->received(bytes, now.ticks);
    if (!event) return;
    finish(*std::move(event), &messages);
  }
}

void Connection::read_answer(std::string_view& bytes, Moment now) {
  constexpr std::string_view kHeadEnd = "\r\n\r\n";
  if (end_) return;
  const std::size_t known = answer_.size();
  answer_ += bytes.substr(0, kUpgradeAnswerBytesMax + 1 - known);
  const std::size_t head_end = answer_.find(kHeadEnd);
  if (head_end == answer_.npos) {
    bytes = {};
    if (answer_.size() > kUpgradeAnswerBytesMax)
      end_ = ConnectionEnd{.status = muster::Status::invalid_argument(
                               fmt::format("the answer to the upgrade has more than {} bytes", kUpgradeAnswerBytesMax))};
    return;
  }
  bytes.remove_prefix(head_end + kHeadEnd.size() - known);
  judge_answer(std::string_view(answer_).substr(0, head_end), now);
  answer_ = {};
}

void Connection::judge_answer(std::string_view head, Moment now) {
  const auto answer = parse_answer(head);
  if (!answer) {
    end_ = ConnectionEnd{.status = muster::Status::invalid_argument("the server does not speak HTTP/1.1")};
    return;
  }
  const websocket::HeaderValues headers = [&answer](std::string_view name) {
    std::vector<std::string_view> values;
    for (const auto& [key, value] : answer->headers)
      if (key == name) values.push_back(value);
    return values;
  };
  auto agreed = websocket::judge_response({.status = answer->status, .headers = headers}, nonce_, kDeflate);
  if (!agreed.ok()) {
    end_ = ConnectionEnd{.status = agreed.status()};
    return;
  }
  websocket::PeerOptions options;
  options.role = websocket::Role::client;
  options.deflate = *agreed;
  options.message_bytes_max = kInboundBytesMax;
  options.mask_keys = [this] {
    const std::uint64_t word = random_();
    websocket::MaskKey key;
    std::memcpy(key.data(), &word, key.size());
    return key;
  };
  peer_.emplace(std::move(options), now.ticks);
}

void Connection::finish(websocket::PeerEvent event, std::vector<std::string>* messages) {
  if (auto* text = std::get_if<websocket::Text>(&event)) {
    if (messages != nullptr) messages->push_back(std::move(text->data));
  } else if (auto* binary = std::get_if<websocket::Binary>(&event)) {
    if (messages != nullptr) messages->push_back(std::move(binary->data));
  } else if (auto* close = std::get_if<websocket::Close>(&event)) {
    end_ = ConnectionEnd{.status = {}, .close_code = static_cast<std::uint16_t>(close->code), .reason = std::move(close->reason)};
  } else if (auto* fault = std::get_if<websocket::Fault>(&event)) {
    end_ = ConnectionEnd{.status = muster::Status::invalid_argument(fault->reason), .reason = fault->reason};
  }
}

void Connection::send(std::string_view message) {
  if (is_open()) peer_->send_text(message);
}

void Connection::close(CloseCode code, std::string_view reason, Moment now) {
  if (end_) return;
  if (peer_)
    peer_->close(code, reason, now.ticks + kGoodbyeWithin);
  else
    broke("closed before the upgrade was answered");
}

void Connection::broke(std::string why) {
  if (!end_) end_ = ConnectionEnd{.status = {}, .reason = std::move(why)};
}

void Connection::tick(Moment now) {
  if (end_) return;
  if (!peer_) {
    if (now.ticks >= open_by_)
      end_ = ConnectionEnd{.status = muster::Status::unavailable(
                               fmt::format("the upgrade was not answered within {} ms", kUpgradeWithin.count()))};
    return;
  }
  if (auto event = peer_->tick(now.ticks)) finish(*std::move(event), nullptr);
}

std::optional<Ticks> Connection::next_due() const {
  if (end_) return std::nullopt;
  return peer_ ? peer_->next_due() : std::optional(open_by_);
}

std::string Connection::take_output() {
  std::string out = std::exchange(output_, {});
  if (peer_) out += peer_->take_output();
  return out;
}

}  // namespace muster::sdk::ws
