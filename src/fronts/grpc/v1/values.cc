#include <array>

#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/v1/v1.h"

namespace muster::rpc::v1 {
namespace {

// What the registry calls an error of this code.
constexpr std::array<std::string_view, 9> kKinds{"failed",   "not_found",    "invalid_argument", "precondition_failed",
                                                 "conflict", "unauthorized", "unavailable",      "internal",
                                                 "timeout"};

}  // namespace

Status required(std::initializer_list<std::pair<const char*, const std::string*>> fields) {
  for (const auto& [name, value] : fields)
    if (value->empty()) return Status::invalid_argument(fmt::format("{} is empty", name));
  return {};
}

NamespaceName namespace_of(const std::string& text) { return NamespaceName(encode_name(text)); }

JobError error_of(const pb::ErrorDetail& detail) {
  const auto code = static_cast<std::size_t>(detail.code());
  return {std::string(code < kKinds.size() ? kKinds[code] : kKinds[0]), error_text(detail.message())};
}

pb::ErrorCode code_of(const JobError& error) {
  if (error.kind == kErrorDeadline) return pb::ERROR_CODE_TIMEOUT;
  if (error.kind == kErrorWorkerLost || error.kind == kErrorRescueFailed) return pb::ERROR_CODE_UNAVAILABLE;
  for (std::size_t i = 1; i < kKinds.size(); ++i)
    if (error.kind == kKinds[i]) return static_cast<pb::ErrorCode>(i);
  return pb::ERROR_CODE_UNSPECIFIED;
}

std::optional<Page> page_of(const CallRef& call, const pb::PageRequest& request, PageRule rule) {
  Result<std::string> cursor = cursor_of(request.page_token());
  if (cursor.ok()) return Page{page_size(request.page_size(), rule), std::move(*cursor), request.include_total_count()};
  V1::refuse(call, cursor.status());
  return std::nullopt;
}

void put_page(const std::string& next, std::optional<std::uint64_t> total, pb::PageInfo* out) {
  out->set_next_page_token(page_token(next));
  out->set_has_more(!next.empty());
  if (total) out->set_total_count(static_cast<std::int64_t>(*total));
}

}  // namespace muster::rpc::v1
