// A status of ours on the gRPC wires: its number there, and the details blob in the dialect's own message. Kagzi clients read the
// blob first and take its absence for "unspecified, retry", so no error leaves without one.
#include <string>

#include "base/check.h"
#include "base/utf8.h"
#include "fronts/grpc/methods.h"
#include "kagzi_k0.pb.h"
#include "kagzi_v1.pb.h"
#include "muster_v1.pb.h"

namespace muster::rpc {
namespace {

// No default: a new Code stops the build until this wire has decided.
WireCode kagzi_code(Code code) {
  switch (code) {
    case Code::ok: return WireCode::ok;
    case Code::invalid_argument: return WireCode::invalid_argument;
    case Code::unauthenticated: return WireCode::unauthenticated;
    case Code::permission_denied: return WireCode::permission_denied;
    case Code::not_found: return WireCode::not_found;
    case Code::already_exists: return WireCode::aborted;
    case Code::conflict: return WireCode::failed_precondition;
    case Code::lease_lost: return WireCode::failed_precondition;
    case Code::exhausted: return WireCode::resource_exhausted;
    case Code::unavailable: return WireCode::unavailable;
    case Code::outcome_unknown: return WireCode::deadline_exceeded;
    case Code::corrupt: return WireCode::internal;
    case Code::internal: return WireCode::internal;
  }
  unreachable();
}

kagzi::ErrorCode k0_code(Code code) {
  switch (code) {
    case Code::ok: return kagzi::ERROR_CODE_UNSPECIFIED;
    case Code::invalid_argument: return kagzi::ERROR_CODE_INVALID_ARGUMENT;
    case Code::unauthenticated:
    case Code::permission_denied: return kagzi::ERROR_CODE_UNAUTHORIZED;
    case Code::not_found: return kagzi::ERROR_CODE_NOT_FOUND;
    case Code::already_exists: return kagzi::ERROR_CODE_CONFLICT;
    case Code::conflict:
    case Code::lease_lost: return kagzi::ERROR_CODE_PRECONDITION_FAILED;
    case Code::exhausted:
    case Code::unavailable:
    case Code::outcome_unknown: return kagzi::ERROR_CODE_UNAVAILABLE;
    case Code::corrupt:
    case Code::internal: return kagzi::ERROR_CODE_INTERNAL;
  }
  unreachable();
}

kagzi::v1::ErrorCode v1_code(Code code) {
  switch (code) {
    case Code::ok: return kagzi::v1::ERROR_CODE_UNSPECIFIED;
    case Code::invalid_argument: return kagzi::v1::ERROR_CODE_INVALID_ARGUMENT;
    case Code::unauthenticated:
    case Code::permission_denied: return kagzi::v1::ERROR_CODE_UNAUTHORIZED;
    case Code::not_found: return kagzi::v1::ERROR_CODE_NOT_FOUND;
    case Code::already_exists: return kagzi::v1::ERROR_CODE_CONFLICT;
    case Code::conflict:
    case Code::lease_lost: return kagzi::v1::ERROR_CODE_PRECONDITION_FAILED;
    case Code::exhausted:
    case Code::unavailable: return kagzi::v1::ERROR_CODE_UNAVAILABLE;
    case Code::outcome_unknown: return kagzi::v1::ERROR_CODE_TIMEOUT;
    case Code::corrupt:
    case Code::internal: return kagzi::v1::ERROR_CODE_INTERNAL;
  }
  unreachable();
}

// What waiting may mend.
bool may_pass(Code code) {
  switch (code) {
    case Code::already_exists:  // the dialects call it a lock conflict
    case Code::exhausted:
    case Code::unavailable:
    case Code::outcome_unknown: return true;
    case Code::ok:
    case Code::invalid_argument:
    case Code::unauthenticated:
    case Code::permission_denied:
    case Code::not_found:
    case Code::conflict:
    case Code::lease_lost:
    case Code::corrupt:
    case Code::internal: return false;
  }
  unreachable();
}

template <class Detail, class Number>
std::string kagzi_details(const Status& status, Number number, Subject subject) {
  Detail detail;
  detail.set_code(number);
  detail.set_message(status.message());
  detail.set_non_retryable(!may_pass(status.code()));
  detail.set_subject(std::string(subject.kind));
  detail.set_subject_id(std::string(subject.id));
  return detail.SerializeAsString();
}

std::string native_details(const Status& status) {
  muster::v1::ErrorDetail detail;
  detail.set_code(std::string(to_string(status.code())));
  detail.set_message(status.message());
  return detail.SerializeAsString();
}

}  // namespace

WireError wire_error(ErrorDialect dialect, const Status& given, Subject subject) {
  const Status status(given.code(), std::string(utf8_front(given.message(), kWireErrorBytesMax)));
  subject.id = utf8_front(subject.id, kEchoedBytesMax);
  WireError error{.code = kagzi_code(status.code()), .message = status.message(), .details = {}};
  switch (dialect) {
    case ErrorDialect::k0: error.details = kagzi_details<kagzi::ErrorDetail>(status, k0_code(status.code()), subject); break;
    case ErrorDialect::v1: error.details = kagzi_details<kagzi::v1::ErrorDetail>(status, v1_code(status.code()), subject); break;
    case ErrorDialect::native:
      if (status.code() == Code::already_exists) error.code = WireCode::already_exists;
      error.details = native_details(status);
      break;
  }
  return error;
}

}  // namespace muster::rpc
