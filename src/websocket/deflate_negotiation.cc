#include "websocket/deflate_negotiation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/check.h"

namespace muster::websocket {
namespace {

constexpr std::string_view kDeflateName = "permessage-deflate";
constexpr std::string_view kServerNoTakeover = "server_no_context_takeover";
constexpr std::string_view kClientNoTakeover = "client_no_context_takeover";
constexpr std::string_view kServerWindowBits = "server_max_window_bits";
constexpr std::string_view kClientWindowBits = "client_max_window_bits";

// The parameters as they stand in an offer or an answer.
struct DeflateParameters {
  bool server_no_takeover = false;
  bool client_no_takeover = false;
  std::optional<int> server_window_bits;
  std::optional<int> client_window_bits;
  bool client_window_bits_named = false;  // an offer may name it without a value: "you may limit mine"
};

// 8 to 15 without a leading zero; nothing else.
std::optional<int> window_bits_of(const std::optional<std::string>& value) {
  if (!value) return std::nullopt;
  for (int bits = kWindowBitsLeast; bits <= kWindowBitsMost; ++bits)
    if (*value == std::to_string(bits)) return bits;
  return std::nullopt;
}

// nullopt: an unknown parameter, one that stands twice, or a value that it may not have.
std::optional<DeflateParameters> parameters_of(const Extension& extension) {
  DeflateParameters out;
  std::set<std::string_view> seen;
  for (const auto& [name, value] : extension.parameters) {
    if (!seen.insert(name).second) return std::nullopt;
    if (name == kServerNoTakeover && !value) {
      out.server_no_takeover = true;
    } else if (name == kClientNoTakeover && !value) {
      out.client_no_takeover = true;
    } else if (name == kServerWindowBits) {
      out.server_window_bits = window_bits_of(value);
      if (!out.server_window_bits) return std::nullopt;
    } else if (name == kClientWindowBits) {
      out.client_window_bits = window_bits_of(value);
      if (value && !out.client_window_bits) return std::nullopt;
      out.client_window_bits_named = true;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<DeflateAgreement> accept_offer(const DeflateParameters& offer, const DeflateTerms& most) {
  // A client that does not know the parameter cannot be told to use a smaller window.
  if (!offer.client_window_bits_named && most.client.window_bits < kWindowBitsMost) return std::nullopt;
  DeflateAgreement agreed;
  DeflateTerms& terms = agreed.terms;
  terms.server = {.takeover = most.server.takeover && !offer.server_no_takeover,
                  .window_bits = std::min(most.server.window_bits, offer.server_window_bits.value_or(kWindowBitsMost))};
  terms.client = {.takeover = most.client.takeover && !offer.client_no_takeover,
                  .window_bits = std::min(most.client.window_bits, offer.client_window_bits.value_or(kWindowBitsMost))};
  agreed.answer = kDeflateName;
  if (!terms.server.takeover) agreed.answer += fmt::format("; {}", kServerNoTakeover);
  if (!terms.client.takeover) agreed.answer += fmt::format("; {}", kClientNoTakeover);
  if (offer.server_window_bits || terms.server.window_bits < kWindowBitsMost)
    agreed.answer += fmt::format("; {}={}", kServerWindowBits, terms.server.window_bits);
  if (terms.client.window_bits < kWindowBitsMost)
    agreed.answer += fmt::format("; {}={}", kClientWindowBits, terms.client.window_bits);
  return agreed;
}

Status wrong_answer(std::string_view what) {
  return Status::invalid_argument(fmt::format("the server's Sec-WebSocket-Extensions cannot be accepted: {}", what));
}

}  // namespace

std::optional<DeflateAgreement> choose_deflate(const std::vector<Extension>& offers, const DeflatePolicy& policy) {
  if (!policy.enabled) return std::nullopt;
  for (const Extension& offer : offers) {
    if (offer.name != kDeflateName) continue;
    const auto parameters = parameters_of(offer);
    if (!parameters) continue;
    if (auto agreed = accept_offer(*parameters, policy.most)) return agreed;
  }
  return std::nullopt;
}

std::string deflate_offer(const DeflatePolicy& policy) {
  check(policy.enabled, "an offer is made when compression is wanted");
  std::string out(kDeflateName);
  if (!policy.most.server.takeover) out += fmt::format("; {}", kServerNoTakeover);
  if (!policy.most.client.takeover) out += fmt::format("; {}", kClientNoTakeover);
  if (policy.most.server.window_bits < kWindowBitsMost)
    out += fmt::format("; {}={}", kServerWindowBits, policy.most.server.window_bits);
  out += fmt::format("; {}", kClientWindowBits);
  if (policy.most.client.window_bits < kWindowBitsMost) out += fmt::format("={}", policy.most.client.window_bits);
  return out;
}

Result<std::optional<DeflateTerms>> judge_deflate_answer(const std::vector<Extension>& answer, const DeflatePolicy& offered) {
  if (answer.empty()) return std::optional<DeflateTerms>();
  if (answer.size() > 1) return wrong_answer("it accepts more than one extension");
  if (!offered.enabled || answer.front().name != kDeflateName)
    return wrong_answer(fmt::format("extension '{}' was not offered", answer.front().name));
  const auto parameters = parameters_of(answer.front());
  if (!parameters)
    return wrong_answer("a parameter of permessage-deflate is unknown, stands twice or has a value it may not have");
  if (parameters->client_window_bits_named && !parameters->client_window_bits)
    return wrong_answer("client_max_window_bits has no value");
  const DeflateTerms& most = offered.most;
  const int server_bits = parameters->server_window_bits.value_or(kWindowBitsMost);
  if (server_bits > most.server.window_bits)
    return wrong_answer(fmt::format("server_max_window_bits is {}, and {} was asked for", server_bits, most.server.window_bits));
  if (!most.server.takeover && !parameters->server_no_takeover)
    return wrong_answer("server_no_context_takeover was asked for and is missing");
  // What this side sends may always be less than what it is allowed to send.
  const int client_bits = std::min(most.client.window_bits, parameters->client_window_bits.value_or(kWindowBitsMost));
  return std::optional(
      DeflateTerms{.server = {.takeover = !parameters->server_no_takeover, .window_bits = server_bits},
                   .client = {.takeover = most.client.takeover && !parameters->client_no_takeover, .window_bits = client_bits}});
}

}  // namespace muster::websocket
