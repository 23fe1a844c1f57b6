// One field, two meanings: clients of the first days send a text where later ones send an ErrorDetail. The bytes are an
// ErrorDetail only when they parse as one that says something and has nothing else in it; a short text may parse by accident, but
// then as fields that no ErrorDetail has.
#include <array>

#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/k0/k0.h"

namespace muster::rpc::k0 {
namespace {

// What the registry calls an error of this code.
constexpr std::array<const char*, 10> kKinds{
    "failed",   "not_found",         "invalid_argument", "invalid_state", "precondition_failed",
    "conflict", "already_completed", "unauthorized",     "unavailable",   "internal"};

}  // namespace

Complaint complaint_of(const std::string& bytes) {
  pb::ErrorDetail detail;
  const bool is_detail = detail.ParseFromString(bytes) && detail.GetReflection()->GetUnknownFields(detail).empty() &&
                         (detail.code() != pb::ERROR_CODE_UNSPECIFIED || !detail.message().empty() || detail.non_retryable() ||
                          detail.retry_after_ms() != 0);
  if (!is_detail) return {kKinds[0], error_text(bytes), false, 0};
  const auto code = static_cast<std::size_t>(detail.code());
  return {code < kKinds.size() ? kKinds[code] : kKinds[0], error_text(detail.message()), detail.non_retryable(),
          detail.retry_after_ms()};
}

NamespaceName namespace_of(const std::string& namespace_id) {
  return NamespaceName(namespace_id.empty() ? std::string(kDefaultNamespace) : encode_name(namespace_id));
}

}  // namespace muster::rpc::k0
