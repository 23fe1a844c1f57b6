// A unary call that came over gRPC itself: one message in, one message or an error out. Lives on the loop's thread but for its
// answer, which may be given on any and is sent there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fronts/grpc/call_head.h"
#include "fronts/grpc/live_call.h"
#include "fronts/grpc/message_reader.h"
#include "fronts/http2/stream.h"

namespace muster::rpc {

class WireCall final : public http2::Handler, public LiveCall {
 public:
  // The transport's share of the call: it ends with the stream, the rest with the last CallRef.
  static std::shared_ptr<http2::Handler> begin(std::shared_ptr<CallGate> gate, Entry& entry, http2::Stream& stream,
                                               const http2::Head& head);

  void received(std::string_view bytes) override;
  void input_ended() override;
  void expired() override;
  void closed() override;

 private:
  WireCall(std::shared_ptr<CallGate> gate, Entry& entry, http2::Stream& stream);
  void take_head(const http2::Head& head);
  void refuse_peer(const Status& why) { refuse(wire_error(entry().method.dialect, why)); }
  using LiveCall::refuse;
  void deliver(std::string response, Metadata trailers) override;
  void deliver(WireError error, Metadata trailers) override;
  void send_on_loop();
  void send();

  http2::Stream* stream_;  // null: it has ended
  std::weak_ptr<WireCall> self_;
  CallHead head_;
  MessageReader reader_;
  std::optional<MessageReader::Message> message_;
  std::optional<Alarms::Key> late_;
  // What is to be sent. Written by whoever ends the call, read on the loop's thread after that.
  std::string response_;
  std::unique_ptr<WireError> error_;
  Metadata trailers_;
};

}  // namespace muster::rpc
