// A unary call that came over gRPC itself: one message in, one message or an error out. gRPC's threads drive it.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <memory>

#include "fronts/grpc/live_call.h"

namespace muster::rpc {

class WireCall final : public grpc::ServerGenericBidiReactor, public LiveCall {
 public:
  // Owns itself from here on: OnDone() and the last CallRef end it.
  static grpc::ServerGenericBidiReactor* begin(std::shared_ptr<Board> board, Entry& entry,
                                               grpc::GenericCallbackServerContext& context);

  void OnReadDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  WireCall(std::shared_ptr<Board> board, Entry& entry, grpc::GenericCallbackServerContext& context);
  void deliver(std::string response, const Metadata& trailers) override;
  void deliver(WireError error, const Metadata& trailers) override;

  grpc::GenericCallbackServerContext& context_;  // until OnDone()
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
};

// What the streams and unary calls share about a peer and its metadata.
std::string address_of(const std::string& peer);  // "ipv4:10.0.0.1:4711" → "10.0.0.1"
std::string_view find_metadata(const grpc::CallbackServerContext& context, std::string_view name);
grpc::Status to_grpc(WireError error);

// Answers a call that no method takes. Ends itself.
class Refusal final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(WireError error) { Finish(to_grpc(std::move(error))); }
  void OnDone() override { delete this; }
};

}  // namespace muster::rpc
