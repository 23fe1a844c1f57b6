// Packages of AstraFlow's workers: what they have, what they shall have, and what happened about it.
//
// package.install and package.uninstall say what one worker, or all with some labels, shall have. The node that holds a worker's
// socket finds out by package.reconcile what to send it, and tells by package.note what the worker says.
#pragma once

#include <string>

#include "base/reply.h"
#include "command/archives.h"
#include "command/context.h"
#include "command/spec.h"
#include "engine/packages.h"

namespace muster::command {

using engine::kPackageEventsMax;
using engine::kPackagesOfWorkerMax;
using engine::PackageAt;
using engine::PackageEvents;
using engine::PackageInstructions;
using engine::PackageManifest;
using engine::PackageNoticed;
using engine::PackageOrder;
using engine::PackagePage;
using engine::PackageSummary;
using engine::PackageVersion;
using engine::PackageView;
using engine::PackageWished;

// package.list: a page of packages.
inline constexpr Spec kPackageList{
    .name = "package.list",
    .since = "0.4",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List packages of workers, with how many differ from what they shall have.",
};

using PackageListRequest = engine::PackageQuery;

template <>
struct Record<PackageListRequest> : Command<kPackageList, PackagePage> {};

void handle(Context& context, PackageListRequest request, Reply<PackagePage> reply);

// package.get: one package with its versions, manifest, workers and wishes.
inline constexpr Spec kPackageGet{
    .name = "package.get",
    .since = "0.4",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one package: versions, manifest, who has it, who shall have it.",
};

using PackageGetRequest = engine::PackageGet;

template <>
struct Record<PackageGetRequest> : Command<kPackageGet, PackageView> {};

void handle(Context& context, PackageGetRequest request, Reply<PackageView> reply);

// Whom an install or uninstall is about: one worker, those with some labels, or all. Exactly one of them is said.
struct PackageTarget {
  WorkerId worker;
  Labels selector;
  bool everybody = false;
};

// package.install: workers shall have a version.
inline constexpr Spec kPackageInstall{
    .name = "package.install",
    .since = "0.4",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Want a version of a package on a worker, or on all with some labels.",
    .refusal = "E.PKG.PERMISSION",
};

struct PackageInstallRequest {
  NamespaceName ns{kDefaultNamespace};
  std::string name;
  std::string version;
  PackageTarget target;
  std::string url;     // passed on as it is; empty: an archive of the folder
  std::string file;    // of the folder; empty: the only one there
  std::string sha256;  // checked where the bytes can be read, and passed on
};

// invalid_argument: E.PKG.INVALID, and nothing is wanted that was not before.
template <>
struct Record<PackageInstallRequest> : Command<kPackageInstall, PackageWished> {};

void handle(Context& context, PackageInstallRequest request, Reply<PackageWished> reply);

// package.uninstall: workers shall not have it.
inline constexpr Spec kPackageUninstall{
    .name = "package.uninstall",
    .since = "0.4",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Want a package off a worker, or off all with some labels; or want nothing of it any more.",
    .refusal = "E.PKG.PERMISSION",
};

struct PackageUninstallRequest {
  NamespaceName ns{kDefaultNamespace};
  std::string name;
  std::string version;  // empty: every version
  PackageTarget target;
  bool forget = false;  // only what was wanted is dropped; workers keep what they have
};

template <>
struct Record<PackageUninstallRequest> : Command<kPackageUninstall, PackageWished> {};

void handle(Context& context, PackageUninstallRequest request, Reply<PackageWished> reply);

std::string target_of(const PackageInstallRequest& request);
std::string target_of(const PackageUninstallRequest& request);

// package.events: what happened, newest first.
inline constexpr Spec kPackageEvents{
    .name = "package.events",
    .since = "0.4",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show what happened to packages, newest first.",
};

using PackageEventsRequest = engine::PackageEventQuery;

template <>
struct Record<PackageEventsRequest> : Command<kPackageEvents, PackageEvents> {};

void handle(Context& context, PackageEventsRequest request, Reply<PackageEvents> reply);

// package.archive: the bytes of an archive of the folder.
inline constexpr Spec kPackageArchive{
    .name = "package.archive",
    .since = "0.4",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Download an archive of a package.",
};

struct PackageArchiveRequest {
  ArchiveRef archive;
};

template <>
struct Record<PackageArchiveRequest> : Command<kPackageArchive, ArchiveBytes> {};

void handle(Context& context, PackageArchiveRequest request, Reply<ArchiveBytes> reply);

// package.reconcile: the wire of a worker tells what it has, and is told what to send it.
inline constexpr Spec kPackageReconcile{
    .name = "package.reconcile",
    .since = "0.4",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Tell what packages a worker has; the reply says what it is to do.",
};

using PackageReconcileRequest = engine::PackageReport;

template <>
struct Record<PackageReconcileRequest> : Command<kPackageReconcile, PackageInstructions> {};

void handle(Context& context, PackageReconcileRequest request, Reply<PackageInstructions> reply);

// package.note: a worker says what became of a package.
inline constexpr Spec kPackageNote{
    .name = "package.note",
    .since = "0.4",
    .auth = Auth::worker,
    .effect = Effect::write,
    .summary = "Write down what a worker says about one of its packages.",
};

using PackageNoteRequest = engine::PackageNotice;

template <>
struct Record<PackageNoteRequest> : Command<kPackageNote, PackageNoticed> {};

void handle(Context& context, PackageNoteRequest request, Reply<PackageNoticed> reply);

// package.watch: whether anything else is wanted than before, for those who cannot be told.
inline constexpr Spec kPackageWatch{
    .name = "package.watch",
    .since = "0.4",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "A text that changes whenever something else is wanted of a namespace's packages.",
};

struct PackageWatchRequest {
  NamespaceName ns{kDefaultNamespace};
};

template <>
struct Record<PackageWatchRequest> : Command<kPackageWatch, std::string> {};

void handle(Context& context, PackageWatchRequest request, Reply<std::string> reply);

}  // namespace muster::command
