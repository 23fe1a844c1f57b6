// The names of frames in both versions of the protocol, and the family a name belongs to. Used by whoever reads or writes frames.
//
// v1 names stand alone (`cmd.dispatch`); v2 names begin with their family: `control.` is the session, `biz.` first-party
// business, `ext.vendor.` third-party business. Only frames outside `control.` are numbered.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::session {

enum class Protocol : std::uint8_t { v1, v2 };

enum class FrameKind : std::uint8_t {
  handshake,
  registration,
  session_accept,  // v2 only
  resume,          // v2 only
  reset,           // v2 only
  drain,
  ack,
  heartbeat,
  dispatch,
  feedback,
  result,
  error,
  next_request,
  next_response,
  package_install,
  package_uninstall,
  package_event,
  package_catalog,  // v2 only; no peer sends it
  extension,        // ext.vendor.*: transported, opaque
  unknown,
};

struct FrameName {
  FrameKind kind;
  std::string_view v1;  // empty: v1 has no such frame
  std::string_view v2;
};

inline constexpr std::array kFrameNames{
    FrameName{FrameKind::handshake, "handshake", "control.handshake"},
    FrameName{FrameKind::registration, "register", "control.register"},
    FrameName{FrameKind::session_accept, "", "control.session.accept"},
    FrameName{FrameKind::resume, "", "control.resume"},
    FrameName{FrameKind::reset, "", "control.reset"},
    FrameName{FrameKind::drain, "cmd.drain", "control.drain"},
    FrameName{FrameKind::ack, "ack", "control.ack"},
    FrameName{FrameKind::heartbeat, "heartbeat", "control.heartbeat"},
    FrameName{FrameKind::dispatch, "cmd.dispatch", "biz.exec.dispatch"},
    FrameName{FrameKind::feedback, "feedback", "biz.exec.feedback"},
    FrameName{FrameKind::result, "result", "biz.exec.result"},
    FrameName{FrameKind::error, "error", "biz.exec.error"},
    FrameName{FrameKind::next_request, "middleware.next_request", "biz.exec.next.request"},
    FrameName{FrameKind::next_response, "middleware.next_response", "biz.exec.next.response"},
    FrameName{FrameKind::package_install, "pkg.install", "biz.pkg.install"},
    FrameName{FrameKind::package_uninstall, "pkg.uninstall", "biz.pkg.uninstall"},
    FrameName{FrameKind::package_event, "pkg.event", "biz.pkg.event"},
    FrameName{FrameKind::package_catalog, "", "biz.pkg.catalog"},
};
// What v1 workers call their error frames; `error` is the name in the v1 text. Both are read, `error` is written.
inline constexpr std::string_view kWorkerErrorV1 = "command.error";

enum class Family : std::uint8_t { control, business, extension, none };

constexpr Family family_of(std::string_view type) {
  if (type.starts_with("control.")) return Family::control;
  if (type.starts_with("biz.")) return Family::business;
  if (type.starts_with("ext.vendor.")) return Family::extension;
  return Family::none;  // a v1 name, or nothing we know
}

// v2 numbers every frame outside its control family, known or not.
constexpr bool is_numbered(std::string_view type) { return family_of(type) != Family::control; }

// Which version a frame of this type belongs to. Both versions share one address and one `protocol` number, so the first frame's
// type is what tells them apart.
constexpr Protocol protocol_of(std::string_view type) { return family_of(type) == Family::none ? Protocol::v1 : Protocol::v2; }

constexpr FrameKind kind_of(Protocol protocol, std::string_view type) {
  for (const FrameName& name : kFrameNames)
    if (!type.empty() && type == (protocol == Protocol::v1 ? name.v1 : name.v2)) return name.kind;
  if (protocol == Protocol::v1 && type == kWorkerErrorV1) return FrameKind::error;
  if (protocol == Protocol::v2 && family_of(type) == Family::extension) return FrameKind::extension;
  return FrameKind::unknown;
}

// Empty: the version has no such frame, or the kind has no single name.
constexpr std::string_view name_of(Protocol protocol, FrameKind kind) {
  for (const FrameName& name : kFrameNames)
    if (name.kind == kind) return protocol == Protocol::v1 ? name.v1 : name.v2;
  return {};
}

static_assert(name_of(Protocol::v2, kind_of(Protocol::v1, "cmd.dispatch")) == "biz.exec.dispatch");
static_assert(kind_of(Protocol::v1, "") == FrameKind::unknown);

}  // namespace muster::session
