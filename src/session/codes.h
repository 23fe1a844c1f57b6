// The error codes of the AstraFlow wires, each with the text that is sent when nobody knows a better one.
//
// Codes travel in `control.reset`, in error frames and in answers to next requests; which code belongs to which case is the
// business of those who send it. No code is made up anywhere else.
#pragma once

#include <array>
#include <string_view>

namespace muster::session {

struct ErrorCode {
  std::string_view code;
  std::string_view reason;
  friend constexpr bool operator==(const ErrorCode& a, const ErrorCode& b) { return a.code == b.code; }
};

// Handshake and register.
inline constexpr ErrorCode kAuthMissingToken{"E.AUTH.MISSING_TOKEN", "Authentication token missing"};
inline constexpr ErrorCode kAuthInvalidToken{"E.AUTH.INVALID_TOKEN", "Authentication token invalid"};
inline constexpr ErrorCode kAuthMtlsRequired{"E.AUTH.MTLS_REQUIRED", "Client certificate fingerprint required"};
inline constexpr ErrorCode kAuthModeUnsupported{"E.AUTH.MODE_UNSUPPORTED", "Authentication mode not supported"};
inline constexpr ErrorCode kAuthHandshakeRequired{"E.AUTH.HANDSHAKE_REQUIRED", "Handshake required"};
inline constexpr ErrorCode kAuthUnauthenticated{"E.AUTH.UNAUTHENTICATED", "Session not authenticated"};

// Resume. The first text is also the close reason that sends a worker into a fresh handshake.
inline constexpr ErrorCode kSessionUnknown{"E.SESSION.UNKNOWN", "Unknown session"};
inline constexpr ErrorCode kSessionTenantMismatch{"E.SESSION.TENANT_MISMATCH", "Tenant mismatch"};
inline constexpr ErrorCode kSessionNotRegistered{"E.SESSION.NOT_REGISTERED", "Session not registered"};
inline constexpr ErrorCode kSessionMismatch{"E.SESSION.MISMATCH", "Session mismatch"};
inline constexpr ErrorCode kSessionInvalidToken{"E.SESSION.INVALID_TOKEN", "Session token invalid"};
inline constexpr ErrorCode kSessionStaleBinding{"E.SESSION.STALE_BINDING", "Instance is bound to another connection"};
inline constexpr ErrorCode kSessionDenied{"E.SESSION.DENIED", "Session denied"};

// Commands, their execution and their dispatch.
inline constexpr ErrorCode kCommandUnknown{"E.CMD.UNKNOWN", "Unknown command"};
inline constexpr ErrorCode kCommandConcurrencyViolation{"E.CMD.CONCURRENCY_VIOLATION", "Concurrency key already running"};
inline constexpr ErrorCode kResourceMissing{"E.RESOURCE.MISSING", "Resource not available on this worker"};
inline constexpr ErrorCode kRunnerFailure{"E.RUNNER.FAILURE", "Handler failed"};
inline constexpr ErrorCode kRunnerCancelled{"E.RUNNER.CANCELLED", "Task cancelled"};
inline constexpr ErrorCode kDispatchUnavailable{"E.DISPATCH.UNAVAILABLE", "Dispatch attempts exhausted"};
inline constexpr ErrorCode kDispatchInvalidMetadata{"E.DISPATCH.INVALID_METADATA", "Inconsistent middleware metadata"};

// Results, packages, anything.
inline constexpr ErrorCode kResultDuplicate{"E.RESULT.DUPLICATE", "Duplicate result"};
inline constexpr ErrorCode kResultSeqGap{"E.RESULT.SEQ_GAP", "Gap in the sequence of results"};
inline constexpr ErrorCode kPackageInvalid{"E.PKG.INVALID", "Package invalid"};
inline constexpr ErrorCode kPackagePermission{"E.PKG.PERMISSION", "Package operation not permitted"};
inline constexpr ErrorCode kInternal{"E.INTERNAL", "Internal error"};
inline constexpr ErrorCode kTimeout{"E.TIMEOUT", "Timed out"};

// The `error.code` of answers to next requests.
inline constexpr ErrorCode kNextRunFinalised{"next_run_finalised", "run already in final status"};
inline constexpr ErrorCode kNextDuplicate{"next_duplicate", "duplicate next request"};
inline constexpr ErrorCode kNextNoChain{"next_no_chain", "middleware chain not found"};
inline constexpr ErrorCode kNextInvalidChain{"next_invalid_chain", "invalid chain index"};
inline constexpr ErrorCode kNextTargetNotReady{"next_target_not_ready", "target node not ready"};
inline constexpr ErrorCode kNextTimeout{"next_timeout", "next request timed out"};
inline constexpr ErrorCode kNextCancelled{"next_cancelled", "next request cancelled"};
inline constexpr ErrorCode kNextUnavailable{"next_unavailable", "next request rejected"};
inline constexpr ErrorCode kNextFailed{"next_failed", "target node failed"};
inline constexpr ErrorCode kNextSkipped{"next_skipped", "target node was skipped"};

inline constexpr std::array kErrorCodes{
    kAuthMissingToken,
    kAuthInvalidToken,
    kAuthMtlsRequired,
    kAuthModeUnsupported,
    kAuthHandshakeRequired,
    kAuthUnauthenticated,
    kSessionUnknown,
    kSessionTenantMismatch,
    kSessionNotRegistered,
    kSessionMismatch,
    kSessionInvalidToken,
    kSessionStaleBinding,
    kSessionDenied,
    kCommandUnknown,
    kCommandConcurrencyViolation,
    kResourceMissing,
    kRunnerFailure,
    kRunnerCancelled,
    kDispatchUnavailable,
    kDispatchInvalidMetadata,
    kResultDuplicate,
    kResultSeqGap,
    kPackageInvalid,
    kPackagePermission,
    kInternal,
    kTimeout,
    kNextRunFinalised,
    kNextDuplicate,
    kNextNoChain,
    kNextInvalidChain,
    kNextTargetNotReady,
    kNextTimeout,
    kNextCancelled,
    kNextUnavailable,
    kNextFailed,
    kNextSkipped,
};

// Reasons of WebSocket closes that are no error codes.
inline constexpr std::string_view kCloseSuperseded = "superseded session";
inline constexpr std::string_view kCloseInternal = "internal error";
inline constexpr std::string_view kCloseHandshakeRequired = "handshake required";
inline constexpr std::string_view kCloseServiceRestart = "service restart";

}  // namespace muster::session
