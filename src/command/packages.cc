#include "command/packages.h"

#include <utility>

#include "command/target.h"

namespace muster::command {
namespace {

// What AstraFlow's documents call a package, or a request about one, that is not as it must be.
constexpr std::string_view kInvalidPackage = "E.PKG.INVALID";

Status invalid(const Status& status) {
  return status.code() == Code::invalid_argument ? status.annotate(kInvalidPackage) : status;
}

template <class T>
Reply<T> naming_invalid(Reply<T> reply) {
  return [reply = std::move(reply)](Result<T> result) mutable {
    if (result.ok()) return reply(std::move(result));
    reply(invalid(result.status()));
  };
}

Result<PackageWish> wish_of(const Caller& caller, PackageOp op, std::string name, std::string version, PackageTarget target) {
  const int said = (target.worker.empty() ? 0 : 1) + (target.selector.empty() ? 0 : 1) + (target.everybody ? 1 : 0);
  if (said != 1)
    return Status::invalid_argument("it is about one worker, a selector of labels, or all; exactly one of them is to be said");
  PackageWish wish;
  wish.op = op;
  wish.name = std::move(name);
  wish.version = std::move(version);
  wish.worker = std::move(target.worker);
  wish.selector = std::move(target.selector);
  wish.by = caller.name;
  return wish;
}

std::string whom(const PackageTarget& target) {
  PackageWish wish;
  wish.worker = target.worker;
  wish.selector = target.selector;
  return target_text(wish);
}

}  // namespace

std::string target_of(const PackageInstallRequest& request) {
  return in_namespace(request.ns, request.name + "@" + request.version + " " + whom(request.target));
}

std::string target_of(const PackageUninstallRequest& request) {
  const std::string version = request.version.empty() ? "" : "@" + request.version;
  return in_namespace(request.ns, request.name + version + " " + whom(request.target));
}

void handle(Context& context, PackageListRequest request, Reply<PackagePage> reply) {
  context.engine.packages().list(std::move(request), std::move(reply));
}

void handle(Context& context, PackageGetRequest request, Reply<PackageView> reply) {
  context.engine.packages().get(std::move(request), std::move(reply));
}

void handle(Context& context, PackageInstallRequest request, Reply<PackageWished> reply) {
  reply = naming_invalid(std::move(reply));
  auto wish =
      wish_of(context.caller, PackageOp::install, std::move(request.name), std::move(request.version), std::move(request.target));
  if (!wish.ok()) return reply(wish.status());
  wish->url = request.url;
  wish->sha256 = request.sha256;
  if (Status status = validate(*wish); !status.ok()) return reply(status);
  if (!request.url.empty() && !request.file.empty())
    return reply(Status::invalid_argument("url and file are both set; the archive is in one place"));
  Archives* const archives = context.facts.archives.get();
  if (archives == nullptr && request.url.empty())
    return reply(Status::invalid_argument("this server has no folder of archives; give a url"));
  const ArchiveRef ref{wish->name, wish->version, std::move(request.file)};
  auto checked = [&engine = context.engine, ns = std::move(request.ns), wish = *std::move(wish),
                  reply = std::move(reply)](Result<CheckedArchive> archive) mutable {
    if (!archive.ok()) return reply(archive.status());
    wish.url = std::move(archive->url);
    wish.sha256 = std::move(archive->sha256);
    engine.packages().wish(std::move(ns), std::move(wish), std::move(reply));
  };
  if (archives == nullptr) return checked(CheckedArchive{std::move(request.url), std::move(request.sha256)});
  if (request.url.empty()) return archives->find(ref, std::move(request.sha256), std::move(checked));
  archives->check(std::move(request.url), std::move(request.sha256), std::move(checked));
}

void handle(Context& context, PackageUninstallRequest request, Reply<PackageWished> reply) {
  reply = naming_invalid(std::move(reply));
  auto wish = wish_of(context.caller, PackageOp::uninstall, std::move(request.name), std::move(request.version),
                      std::move(request.target));
  if (!wish.ok()) return reply(wish.status());
  if (request.forget) return context.engine.packages().forget(std::move(request.ns), *std::move(wish), std::move(reply));
  context.engine.packages().wish(std::move(request.ns), *std::move(wish), std::move(reply));
}

void handle(Context& context, PackageEventsRequest request, Reply<PackageEvents> reply) {
  context.engine.packages().events(std::move(request), std::move(reply));
}

void handle(Context& context, PackageArchiveRequest request, Reply<ArchiveBytes> reply) {
  if (context.facts.archives == nullptr) return reply(Status::not_found("this server has no folder of archives"));
  context.facts.archives->read(std::move(request.archive), std::move(reply));
}

void handle(Context& context, PackageReconcileRequest request, Reply<PackageInstructions> reply) {
  if (const Status allowed = authorize_worker(context.caller, request.worker); !allowed.ok()) return reply(allowed);
  context.engine.packages().reconcile(std::move(request), std::move(reply));
}

void handle(Context& context, PackageNoteRequest request, Reply<PackageNoticed> reply) {
  if (const Status allowed = authorize_worker(context.caller, request.worker); !allowed.ok()) return reply(allowed);
  context.engine.packages().note(std::move(request), std::move(reply));
}

void handle(Context& context, PackageWatchRequest request, Reply<std::string> reply) {
  context.engine.packages().wishes_version(std::move(request.ns), std::move(reply));
}

}  // namespace muster::command
