// A call of several messages on a stream of HTTP/2, and the method that serves it. Lives on the loop's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fronts/grpc/call_head.h"
#include "fronts/grpc/message_reader.h"
#include "fronts/grpc/stream_call.h"
#include "fronts/http2/stream.h"

namespace muster::rpc {

class WireStream final : public http2::Handler, public StreamCall, public std::enable_shared_from_this<WireStream> {
 public:
  // Gone when the stream has ended and nobody holds its handle.
  static std::shared_ptr<http2::Handler> begin(std::shared_ptr<CallGate> gate, Entry& entry, http2::Stream& stream,
                                               const http2::Head& head);
  WireStream(std::shared_ptr<CallGate> gate, Entry& entry, http2::Stream& stream);
  ~WireStream() override;

  void received(std::string_view bytes) override;
  void input_ended() override;
  void drained() override;
  bool is_owed() const override { return method_ == nullptr || reader_.is_inside(); }
  void expired() override;
  void closed() override;

  std::string_view metadata(std::string_view name) const override;
  bool may_go_on() override { return entry_.open() || gate_->still_valid(credential_); }
  void send(std::string message) override;
  std::size_t unsent() const override { return stream_ == nullptr ? 0 : stream_->unsent(); }
  void finish() override;
  void refuse(WireError error) override;
  void after(Duration wait, UniqueFunction<void()> then) override;
  std::weak_ptr<StreamCall> handle() override { return weak_from_this(); }

 private:
  enum class Place : std::uint8_t { none, call, watch };

  Status take_head(const http2::Head& head);
  Status open_place();
  void refuse_peer(const Status& why) { refuse(wire_error(entry_.method.dialect, why)); }
  void read_on();
  bool over() const { return stream_ == nullptr || finished_; }
  void end(WireCode code);

  std::shared_ptr<CallGate> gate_;  // shared by all calls and the front
  Entry& entry_;
  http2::Stream* stream_;  // null: it has ended
  const Ticks begun_;
  CallHead head_;
  auth::Credential credential_;
  MessageReader reader_;
  std::string input_;  // what came while the method was sending
  std::unique_ptr<StreamMethod> method_;
  std::optional<Alarms::Key> late_;
  Place place_ = Place::none;
  bool input_ended_ = false;
  bool half_close_told_ = false;
  bool finished_ = false;
};

}  // namespace muster::rpc
