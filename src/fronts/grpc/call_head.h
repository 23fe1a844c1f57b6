// What a request of gRPC says before its messages, and how answers of gRPC are written on a stream of HTTP/2. Unary calls and
// streams share it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/status.h"
#include "fronts/grpc/call_gate.h"
#include "fronts/grpc/message_reader.h"
#include "fronts/grpc/web.h"
#include "fronts/http2/stream.h"

namespace muster::rpc {

inline constexpr Duration kCallTimeoutMax{365 * 24 * 3'600'000LL};  // a longer one is taken as this: it can be added to a time

struct CallHead {
  std::string_view authorization;  // of the head, as long as that is
  Metadata received;               // what methods may ask for; the values of names in -bin are decoded
  std::optional<Duration> timeout;
  bool gzip = false;  // messages that are marked as compressed are gzip
};

// "application/grpc", "application/grpc+proto", with parameters or without; gRPC-Web is another protocol.
bool is_grpc(std::string_view content_type);
// The error: the call is refused for what its head says.
std::optional<WireError> read_head(const http2::Head& head, ErrorDialect dialect, CallHead& out);
// The bytes of a message as they are meant; they are unpacked for callers that were let in. The error: too many, they cannot be
// unpacked, or, by gRPC's rules, it is compressed and nothing said how.
std::variant<std::string, WireError> unpacked(MessageReader::Message message, const CallHead& head, const CallGate& gate,
                                              const Entry& entry);

// Head of an answer that has messages, its end, and an error as all there is of it.
void begin_answer(http2::Stream& stream);
void end_answer(http2::Stream& stream, const Metadata& trailers, http2::Stream::Done done = {});
void answer_error(http2::Stream& stream, const WireError& error, const Metadata& trailers);

}  // namespace muster::rpc
