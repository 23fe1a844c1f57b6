// Envelopes, acks and session tokens from the wire: nothing crashes, refusals say why, and what is accepted is written as it was
// read.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "session/ack.h"
#include "session/envelope.h"
#include "session/quick_ack.h"
#include "session/token.h"

using namespace muster;
using namespace muster::session;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(!open_token("secret", text), "nobody guesses a signature");
  const Result<Envelope> envelope = read_envelope(text, {});
  if (const auto quick = read_quick_ack(text)) {
    check(envelope.ok() && envelope->type == "control.ack" && envelope->tenant == quick->tenant && !envelope->ack_request,
          "what is taken the short way is taken the long way");
    const auto payload = read_ack(envelope->payload.tree());
    check(payload.ok() && payload->window == quick->window, "and says the same");
  }
  if (!envelope.ok()) {
    check(!envelope.status().message().empty() && envelope.status().message().size() < 512, "a refusal says why, in a line");
    return 0;
  }
  const json::Tree tree = json::Tree::parse(text, nullptr, false);
  check(tree.is_object() && *json::text(tree, "type") == envelope->type &&
            *json::member(tree, "payload") == envelope->payload.tree(),
        "what is accepted is JSON, and read as the library reads it");
  const std::string written = write_envelope(*envelope);
  const Result<Envelope> back = read_envelope(written, {});
  check(back.ok(), "what is written can be read");
  check(write_envelope(*back) == written, "what is read twice is the same");
  check(back->type == envelope->type && back->id == envelope->id && back->corr == envelope->corr &&
            back->session_seq == envelope->session_seq,
        "nothing is lost");
  const Result<AckPayload> ack = read_ack(envelope->payload.tree());
  if (ack.ok() && ack->window)
    check(ack->window->recv_window >= 1 && ack->window->recv_window <= kSessionWindowMax, "a window has a size");
  return 0;
}
