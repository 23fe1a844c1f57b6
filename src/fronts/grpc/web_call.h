// A call that came by gRPC-Web: what a transport does is done by whoever brought it.
#pragma once

#include <memory>

#include "fronts/grpc/live_call.h"
#include "fronts/grpc/web.h"

namespace muster::rpc {

class WebCall final : public LiveCall {
 public:
  static WebCancel begin(std::shared_ptr<CallGate> gate, WebRequest request, WebReply reply);

 private:
  WebCall(std::shared_ptr<CallGate> gate, Entry& entry, WebRequest request, WebReply reply);
  void deliver(std::string response, Metadata trailers) override;
  void deliver(WireError error, Metadata trailers) override;

  WebReply reply_;
};

}  // namespace muster::rpc
