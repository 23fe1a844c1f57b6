#include "fronts/ws/schemas.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/embedded.h"
#include "base/json_reader.h"
#include "fronts/ws/front.h"
#include "fronts/ws/schemas_biz.h"
#include "fronts/ws/schemas_session.h"
#include "fronts/ws/schemas_ws.h"

namespace muster::ws {
namespace {

using session::FrameKind;
using session::Protocol;

// The files of a frame's payload, without their ending.
struct Source {
  FrameKind kind;
  std::string_view v1;  // of docs/schema/ws; empty: v1 has no such frame
  std::string_view v2;  // of docs/schema/session or docs/schema/biz
};

constexpr std::array kSources{
    Source{FrameKind::handshake, "ws.handshake", "handshake"},
    Source{FrameKind::registration, "ws.register", "register"},
    Source{FrameKind::session_accept, "", "session.accept"},
    Source{FrameKind::resume, "", "session.resume"},
    Source{FrameKind::reset, "", "session.reset"},
    Source{FrameKind::drain, "ws.cmd.drain", "session.drain"},
    Source{FrameKind::ack, "ws.ack", "ack"},
    Source{FrameKind::heartbeat, "ws.heartbeat", "heartbeat"},
    Source{FrameKind::dispatch, "ws.cmd.dispatch", "exec.dispatch"},
    Source{FrameKind::feedback, "ws.feedback", "exec.feedback"},
    Source{FrameKind::result, "ws.result", "exec.result"},
    Source{FrameKind::error, "ws.error", "exec.error"},
    Source{FrameKind::next_request, "ws.middleware.next_request", "exec.next.request"},
    Source{FrameKind::next_response, "ws.middleware.next_response", "exec.next.response"},
    Source{FrameKind::package_install, "ws.pkg.install", "pkg.install"},
    Source{FrameKind::package_uninstall, "ws.pkg.uninstall", "pkg.uninstall"},
    Source{FrameKind::package_event, "ws.pkg.event", "pkg.event"},
    Source{FrameKind::package_catalog, "", "pkg.catalog"},
};

constexpr std::string_view kManifest = "pkg.manifest";

const embedded::File* find(std::span<const embedded::File> files, std::string_view stem) {
  const std::string name = std::string(stem) + ".schema.json";
  const auto found = std::find_if(files.begin(), files.end(), [&](const embedded::File& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

Result<schema::Schema> compile(const embedded::File* file, std::string_view stem) {
  const auto document = file != nullptr ? json::parse(file->text) : std::nullopt;
  if (!document) return Status::internal("the schema " + std::string(stem) + " is missing or no JSON");
  auto compiled = schema::Schema::compile(*document, {.assert_formats = true});
  if (!compiled.ok()) return Status::internal(std::string(stem) + ": " + compiled.status().message());
  return compiled;
}

}  // namespace

std::map<std::string, std::string_view> schema_documents() {
  std::map<std::string, std::string_view> out;
  const auto add = [&out](std::string_view folder, std::span<const embedded::File> files) {
    for (const embedded::File& file : files) out["/schemas/" + std::string(folder) + "/" + std::string(file.name)] = file.text;
  };
  add("ws", embedded::schemas_ws());
  add("session", embedded::schemas_session());
  add("biz", embedded::schemas_biz());
  return out;
}

Result<Schemas> Schemas::compile() {
  auto table = std::make_shared<Table>();
  for (const Source& source : kSources) {
    const auto kind = static_cast<std::size_t>(source.kind);
    if (!source.v1.empty()) {
      auto v1 = ws::compile(find(embedded::schemas_ws(), source.v1), source.v1);
      if (!v1.ok()) return v1.status();
      (*table)[static_cast<std::size_t>(Protocol::v1)][kind] = *std::move(v1);
    }
    const embedded::File* file = find(embedded::schemas_session(), source.v2);
    if (file == nullptr) file = find(embedded::schemas_biz(), source.v2);
    auto v2 = ws::compile(file, source.v2);
    if (!v2.ok()) return v2.status();
    (*table)[static_cast<std::size_t>(Protocol::v2)][kind] = *std::move(v2);
  }
  auto manifest = ws::compile(find(embedded::schemas_biz(), kManifest), kManifest);
  if (!manifest.ok()) return manifest.status();
  Schemas out;
  out.manifest_ = std::make_shared<const schema::Schema>(*std::move(manifest));
  out.table_ = std::move(table);
  return out;
}

const schema::Schema* Schemas::payload(Protocol protocol, FrameKind kind) const {
  const auto& found = (*table_)[static_cast<std::size_t>(protocol)][static_cast<std::size_t>(kind)];
  return found ? &*found : nullptr;
}

}  // namespace muster::ws
