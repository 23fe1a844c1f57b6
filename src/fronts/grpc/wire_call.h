// A unary call that came over gRPC itself: one message in, one message or an error out. gRPC's threads drive it.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/impl/service_type.h>

#include <memory>

#include "fronts/grpc/live_call.h"

namespace muster::rpc {

class WireCall final : public grpc::ServerUnaryReactor, public LiveCall {
 public:
  // Owns itself from here on: OnDone() and the last CallRef end it. `incoming` and `outgoing` are gRPC's, until OnDone().
  static grpc::ServerUnaryReactor* begin(std::shared_ptr<CallGate> gate, Entry& entry, grpc::CallbackServerContext& context,
                                         const grpc::ByteBuffer& incoming, grpc::ByteBuffer& outgoing);

  void OnCancel() override;
  void OnDone() override;
  // Neither blocks, so gRPC need not wake another thread for them; that thread was a sixth of a call's cost.
  bool InternalInlineable() override { return true; }

 private:
  WireCall(std::shared_ptr<CallGate> gate, Entry& entry, grpc::CallbackServerContext& context, grpc::ByteBuffer& outgoing);
  // Reads the message and runs the method, or refuses.
  void take(const grpc::ByteBuffer& incoming);
  void deliver(std::string response, const Metadata& trailers) override;
  void deliver(WireError error, const Metadata& trailers) override;

  grpc::CallbackServerContext& context_;  // until OnDone()
  grpc::ByteBuffer& outgoing_;
};

// Every method of the catalogue, registered by its path as a unary one of raw bytes: a registered call arrives together with its
// message, which spares a round through gRPC's queue that a generic one costs.
class WireMethods final : public grpc::Service {
 public:
  explicit WireMethods(const std::shared_ptr<CallGate>& gate);
};

// What the streams and unary calls share about a peer and its metadata.
std::string address_of(const std::string& peer);  // "ipv4:10.0.0.1:4711" → "10.0.0.1"
std::string_view find_metadata(const grpc::CallbackServerContext& context, std::string_view name);
grpc::Status to_grpc(WireError error);
// The bytes of a message, unpacked. exhausted: more than `bytes_max`. invalid_argument: it cannot be unpacked.
Result<std::string> message_of(const grpc::ByteBuffer& buffer, std::size_t bytes_max);

// Answers a call that no method takes. Ends itself.
class Refusal final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(WireError error) { Finish(to_grpc(std::move(error))); }
  void OnDone() override { delete this; }
};

}  // namespace muster::rpc
