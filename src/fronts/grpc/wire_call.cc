#include "fronts/grpc/wire_call.h"

#include <fmt/format.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>

#include <utility>

#include "fronts/grpc/gunzip.h"

namespace muster::rpc {
namespace {

constexpr std::size_t kCopiedBytesMax = 4 * 1024;  // a longer answer is handed over as it is instead

// Nothing of ours is among them, and they would be copied for every call.
bool is_plumbing(std::string_view name) {
  return name == "user-agent" || name == "authorization" || name.starts_with("grpc-") || name.starts_with(":") || name == "te" ||
         name == "content-type" || name == "accept-encoding";
}

std::string_view view(const grpc::string_ref& text) { return {text.data(), text.size()}; }

grpc::ByteBuffer to_buffer(std::string bytes) {
  if (bytes.size() <= kCopiedBytesMax) {
    const grpc::Slice slice(bytes.data(), bytes.size());
    return {&slice, 1};
  }
  auto* kept = new std::string(std::move(bytes));
  const grpc::Slice slice(
      kept->data(), kept->size(), [](void* text) { delete static_cast<std::string*>(text); }, kept);
  return {&slice, 1};
}

bool to_text(const grpc::ByteBuffer& buffer, std::string& out) {
  grpc::Slice single;
  if (buffer.TrySingleSlice(&single).ok()) {
    out.assign(reinterpret_cast<const char*>(single.begin()), single.size());
    return true;
  }
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return false;
  out.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return true;
}

}  // namespace

std::string address_of(const std::string& peer) {
  const std::size_t scheme = peer.find(':');
  if (scheme == std::string::npos) return peer;
  std::string_view rest = std::string_view(peer).substr(scheme + 1);
  if (const std::size_t port = rest.rfind(':'); port != std::string_view::npos) rest = rest.substr(0, port);
  // Brackets of an IPv6 address arrive escaped.
  for (const std::string_view bracket : {"%5B", "%5b", "["})
    if (rest.starts_with(bracket)) rest.remove_prefix(bracket.size());
  for (const std::string_view bracket : {"%5D", "%5d", "]"})
    if (rest.ends_with(bracket)) rest.remove_suffix(bracket.size());
  return std::string(rest);
}

std::string_view find_metadata(const grpc::CallbackServerContext& context, std::string_view name) {
  const auto& all = context.client_metadata();
  const auto at = all.find(grpc::string_ref(name.data(), name.size()));
  return at == all.end() ? std::string_view() : view(at->second);
}

grpc::Status to_grpc(WireError error) {
  return {static_cast<grpc::StatusCode>(error.code), std::move(error.message), std::move(error.details)};
}

Result<std::string> message_of(const grpc::ByteBuffer& buffer, std::size_t bytes_max) {
  if (buffer.Length() > bytes_max)
    return Status::exhausted(fmt::format("the message has {} bytes; {} are accepted", buffer.Length(), bytes_max));
  std::string out;
  if (!to_text(buffer, out)) return Status::invalid_argument("the message cannot be read");
  if (is_gzip(out)) return gunzip(out, bytes_max);
  return out;
}

grpc::ServerUnaryReactor* WireCall::begin(std::shared_ptr<CallGate> gate, Entry& entry, grpc::CallbackServerContext& context,
                                          const grpc::ByteBuffer& incoming, grpc::ByteBuffer& outgoing) {
  auto* call = new WireCall(std::move(gate), entry, context, outgoing);
  try {
    call->name_itself();
    call->connection = context.peer();
    const Status admitted = call->admit(find_metadata(context, "authorization"), address_of(call->connection));
    // The method may answer at once, and the call be gone when this returns.
    if (admitted.ok())
      call->take(incoming);
    else
      call->refuse(admitted);
  } catch (...) {
    // Before the method runs: what it throws does not come here.
    const Incident incident(call->gate().incidents, entry.method.name);
    call->refuse(incident.status());
  }
  return call;
}

WireCall::WireCall(std::shared_ptr<CallGate> gate, Entry& entry, grpc::CallbackServerContext& context, grpc::ByteBuffer& outgoing)
    : LiveCall(std::move(gate), entry), context_(context), outgoing_(outgoing) {
  for (const auto& [name, value] : context.client_metadata())
    if (!is_plumbing(view(name))) received.emplace_back(std::string(view(name)), std::string(view(value)));
  const auto due = context.deadline();
  if (due != std::chrono::system_clock::time_point::max())
    deadline = core.clock().elapsed() + std::chrono::duration_cast<Ticks>(due - std::chrono::system_clock::now());
}

void WireCall::take(const grpc::ByteBuffer& incoming) {
  auto message = message_of(incoming, core.options.limits.message_bytes_max);
  if (!message.ok()) return refuse(message.status());
  request = *std::move(message);
  run();
}

void WireCall::OnCancel() {
  if (ended()) return undelivered();
  give_up(WireError{.code = WireCode::cancelled, .message = "the client went away or its deadline passed", .details = {}});
}

void WireCall::OnDone() { let_go_of_transport(); }

void WireCall::deliver(std::string response, const Metadata& trailers) {
  for (const auto& [name, value] : trailers) context_.AddTrailingMetadata(name, value);
  outgoing_ = to_buffer(std::move(response));
  gate().reply_thread.hand_over([this] { Finish(grpc::Status::OK); });
}

void WireCall::deliver(WireError error, const Metadata& trailers) {
  for (const auto& [name, value] : trailers) context_.AddTrailingMetadata(name, value);
  Finish(to_grpc(std::move(error)));
}

WireMethods::WireMethods(const std::shared_ptr<CallGate>& gate) {
  using Handler = grpc::internal::CallbackUnaryHandler<grpc::ByteBuffer, grpc::ByteBuffer>;
  int place = 0;
  for (const auto& [path, entry] : gate->catalogue.paths()) {
    AddMethod(new grpc::internal::RpcServiceMethod(path.data(), grpc::internal::RpcMethod::NORMAL_RPC, nullptr));
    MarkMethodRawCallback(
        place++, new Handler([gate, entry = entry](grpc::CallbackServerContext* context, const grpc::ByteBuffer* incoming,
                                                   grpc::ByteBuffer* outgoing) -> grpc::ServerUnaryReactor* {
          return WireCall::begin(gate, *entry, *context, *incoming, *outgoing);
        }));
  }
}

}  // namespace muster::rpc
