#include "engine/packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "engine/requests.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

namespace key = store::key;
using store::KeyAnswer;
using store::KeyCommand;

constexpr std::size_t kWalkStep = 1'000;                      // rows of workers read at a time
constexpr Duration kWorkerKept = std::chrono::hours(7 * 24);  // unheard of, when there are too many
constexpr Duration kHeardEvery = std::chrono::hours(6);       // a worker that stays is written down this often
constexpr std::size_t kTextBytesMax = 256;                    // of a name for people, a label or a description

// FNV-1a: tells one manifest from another; nobody gains by making two alike.
std::uint64_t manifest_hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string cut_text(std::string text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
    text.resize(end);
  }
  return text;
}

template <class Record, class Read>
std::vector<Record> records_of(const KeyAnswer& answer, Read read) {
  std::vector<Record> out;
  for (const KeyAnswer& each : answer.list)
    if (auto record = read(each.text)) out.push_back(*std::move(record));
  return out;
}

std::vector<PackageWish> wishes_of(const KeyAnswer& answer) { return records_of<PackageWish>(answer, read_package_wish); }

// The newest first, and only so many.
void keep_changes(std::vector<KeyCommand>& commands, const std::vector<PackageChange>& changes) {
  if (changes.empty()) return;
  std::vector<std::string> texts;
  for (const PackageChange& change : changes) texts.push_back(to_text(change));
  commands.push_back(key::Push{.key = kPackageEventsKey, .end = store::ListEnd::left, .values = std::move(texts)});
  commands.push_back(key::ListTrim{kPackageEventsKey, 0, static_cast<std::int64_t>(kPackageEventsMax) - 1});
}

KeyCommand wishes_all() { return key::HashAll{kPackageWishesKey, store::key::HashPart::values}; }
KeyCommand records_all() { return key::HashAll{kPackagesKey, store::key::HashPart::values}; }

bool is_package(const WorkerPackage& package) {
  return validate_package_name(package.name).ok() && validate_package_version(package.version).ok();
}

bool by_version(const PackageRecord& a, const PackageRecord& b) {
  if (a.name != b.name) return a.name < b.name;
  return is_older_version(a.version, b.version);
}

}  // namespace

Packages::Packages(store::Store& store, Events& events, const Clock& clock, Metrics& metrics, const Options& options)
    : store_(store), events_(events), clock_(clock), metrics_(metrics), timing_(options.packages) {}

void Packages::run(const NamespaceName& ns, std::vector<KeyCommand> commands, Reply<Answers> reply) {
  store::KeyBatch batch;
  batch.ns = ns;
  batch.space = store::KeySpace::internal;
  batch.commands = std::move(commands);
  store_.keyspace(std::move(batch), [reply = std::move(reply)](Result<Answers> answers) mutable {
    if (answers.ok())
      for (const KeyAnswer& answer : *answers)
        if (answer.kind == KeyAnswer::Kind::refused) return reply(Status::internal("packages: " + answer.text));
    reply(std::move(answers));
  });
}

void Packages::publish(const NamespaceName& ns, std::vector<PackageChange> changes) {
  for (PackageChange& change : changes) {
    change.ns = ns;
    if (change.op)
      metrics_
          .counter("pkg_ops_total", "Operations on packages of workers, by what became of them.",
                   {{"tenant", ns.text()},
                    {"op", std::string(to_string(*change.op))},
                    {"status", std::string(to_string(change.status))}})
          .add();
  }
  events_.publish(std::move(changes));
}

// --- what a worker has ---

// One report on its way through: read, decide, write.
struct Packages::Reconciling {
  PackageReport report;
  Reply<PackageInstructions> reply;
  std::string stored;  // the worker's row; empty: there is none
  std::optional<PackageWorker> row;
  std::vector<PackageWish> wishes;
  std::map<std::string, PackageRecord> known;          // of the packages it names, by field
  std::vector<PackageRecord> fresh;                    // what the catalogue does not have yet
  std::map<std::string, std::string> fresh_manifests;  // by field
  PackageRound round;
  bool pruned = false;
};

void Packages::reconcile(PackageReport report, Reply<PackageInstructions> reply) {
  if (Status status = validate_name("namespace", report.ns.text()); !status.ok()) return reply(status);
  if (Status status = validate_name("worker", report.worker.text()); !status.ok()) return reply(status);
  report.worker_name = cut_text(std::move(report.worker_name), kTextBytesMax);
  if (report.packages) {
    // What nobody could ask for by its name is not kept; the frame it came in has no way to say so.
    std::erase_if(*report.packages, [](const WorkerPackage& package) { return !is_package(package); });
    if (report.packages->size() > kPackagesOfWorkerMax) report.packages->resize(kPackagesOfWorkerMax);
  }
  auto work = std::make_shared<Reconciling>();
  work->report = std::move(report);
  work->reply = std::move(reply);
  reconcile_with(std::move(work));
}

void Packages::reconcile_with(std::shared_ptr<Reconciling> work) {
  const PackageReport& report = work->report;
  std::vector<std::string> fields;
  if (report.packages)
    for (const WorkerPackage& package : *report.packages) fields.push_back(version_field(package.name, package.version));
  std::vector<KeyCommand> commands{key::HashGet{kPackageWorkersKey, report.worker.text()}, key::HashLength{kPackageWorkersKey},
                                   wishes_all()};
  if (!fields.empty()) commands.push_back(key::HashGetMany{kPackagesKey, fields});
  run(report.ns, std::move(commands), [this, work, fields](Result<Answers> answers) {
    if (!answers.ok()) return work->reply(answers.status());
    work->stored = (*answers)[0].text;
    work->row = read_package_worker(work->stored);
    work->wishes = wishes_of((*answers)[2]);
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (auto record = read_package_record((*answers)[3].list[i].text)) work->known.emplace(fields[i], *std::move(record));
    const bool full = work->stored.empty() && (*answers)[1].number >= static_cast<std::int64_t>(kPackageWorkersMax);
    if (!full) return admit(work);
    if (work->pruned)
      return work->reply(Status::exhausted(
          fmt::format("packages of {} workers are known, which is the most there may be; those unheard of for a week make room",
                      kPackageWorkersMax)));
    // Rows of workers that are long gone make room.
    work->pruned = true;
    auto gone = std::make_shared<std::vector<std::string>>();
    walk(
        work->report.ns, {},
        [gone, before = clock_.now() - kWorkerKept](PackageWorker row) {
          if (row.at < before) gone->push_back(row.id.text());
        },
        [this, work, gone](Result<PackageNoticed> walked) {
          if (!walked.ok()) return work->reply(walked.status());
          if (gone->empty()) return reconcile_with(work);
          run(work->report.ns, {key::HashDelete{kPackageWorkersKey, *gone}}, [this, work](Result<Answers> removed) {
            if (!removed.ok()) return work->reply(removed.status());
            reconcile_with(work);
          });
        });
  });
}

// What is new to the catalogue, within its bounds.
void Packages::admit(std::shared_ptr<Reconciling> work) {
  const PackageReport& report = work->report;
  std::map<std::string, const PackageManifest*> manifests;
  for (const PackageManifest& manifest : report.manifests) manifests[version_field(manifest.name, manifest.version)] = &manifest;
  const Instant now = clock_.now();
  for (const WorkerPackage& package : report.packages.value_or(std::vector<WorkerPackage>())) {
    const std::string field = version_field(package.name, package.version);
    const auto known = work->known.find(field);
    const auto brought = manifests.find(field);
    PackageRecord record;
    if (known != work->known.end()) record = known->second;
    record.name = package.name;
    record.version = package.version;
    if (known == work->known.end()) record.seen_at = now;
    if (brought != manifests.end()) {
      const PackageManifest& manifest = *brought->second;
      const bool fits = manifest.text.size() <= kPackageManifestBytesMax;
      record.description = cut_text(manifest.description, kTextBytesMax);
      record.nodes = manifest.nodes;
      if (record.nodes.size() > kPackageNodesMax) record.nodes.resize(kPackageNodesMax);
      record.problem = fits ? cut_text(manifest.problem, limits::kPackageMessageBytesMax)
                            : fmt::format("it has {} bytes; at most {} are kept", manifest.text.size(), kPackageManifestBytesMax);
      const bool kept = fits && manifest.problem.empty();
      record.manifest_bytes = kept ? manifest.text.size() : 0;
      record.manifest_hash = manifest_hash_of(manifest.text);
      if (kept) work->fresh_manifests[field] = manifest.text;
    }
    if (known != work->known.end() && to_text(known->second) == to_text(record)) {
      work->fresh_manifests.erase(field);
      continue;
    }
    work->fresh.push_back(std::move(record));
  }
  if (work->fresh.empty()) return decide(work);
  run(report.ns, {records_all()}, [this, work](Result<Answers> answers) {
    if (!answers.ok()) return work->reply(answers.status());
    std::map<std::string, std::uint64_t> bytes;
    std::uint64_t total = 0;
    for (const PackageRecord& record : records_of<PackageRecord>((*answers)[0], read_package_record)) {
      bytes[version_field(record.name, record.version)] = record.manifest_bytes;
      total += record.manifest_bytes;
    }
    std::erase_if(work->fresh, [&](PackageRecord& record) {
      const std::string field = version_field(record.name, record.version);
      const auto before = bytes.find(field);
      if (before == bytes.end() && bytes.size() >= kPackageVersionsMax) {
        work->fresh_manifests.erase(field);
        return true;
      }
      const std::uint64_t freed = before == bytes.end() ? 0 : before->second;
      if (total - freed + record.manifest_bytes > kPackageManifestsBytesMax) {
        record.problem =
            fmt::format("the manifests of all packages together would have more than {} bytes", kPackageManifestsBytesMax);
        record.manifest_bytes = 0;
        work->fresh_manifests.erase(field);
      }
      total += record.manifest_bytes - freed;
      bytes[field] = record.manifest_bytes;
      return false;
    });
    decide(work);
  });
}

void Packages::decide(std::shared_ptr<Reconciling> work) {
  const PackageReport& report = work->report;
  const Instant now = clock_.now();
  const bool known = work->row.has_value();
  PackageWorker row = known ? *work->row : PackageWorker{};
  row.id = report.worker;
  row.name = report.worker_name;
  row.labels = report.labels;
  row.unable = report.unable;
  if (!known || now - row.at >= kHeardEvery) row.at = now;
  std::vector<PackageChange> changes;
  if (report.packages) {
    const std::vector<WorkerPackage> before = std::exchange(row.packages, *report.packages);
    // Of a worker that was never here everything would be new, and nothing of it news.
    if (known) changes = differences(row, before, now);
  }
  work->round = advance(row, work->wishes, timing_, now, report.contact);
  changes.insert(changes.end(), work->round.changes.begin(), work->round.changes.end());
  work->round.changes = std::move(changes);
  work->row = std::move(row);
  write(std::move(work));
}

void Packages::write(std::shared_ptr<Reconciling> work) {
  std::vector<KeyCommand> commands;
  if (std::string text = to_text(*work->row); text != work->stored)
    commands.push_back(key::HashSet{.key = kPackageWorkersKey, .fields = {{work->report.worker.text(), std::move(text)}}});
  for (const PackageRecord& record : work->fresh) {
    const std::string field = version_field(record.name, record.version);
    commands.push_back(key::HashSet{.key = kPackagesKey, .fields = {{field, to_text(record)}}});
    if (const auto manifest = work->fresh_manifests.find(field); manifest != work->fresh_manifests.end())
      commands.push_back(
          key::Set{.key = manifest_key(record.name, record.version), .value = manifest->second, .expires_at = std::nullopt});
    else if (record.manifest_bytes == 0)
      commands.push_back(key::Delete{{manifest_key(record.name, record.version)}});
  }
  keep_changes(commands, work->round.changes);
  PackageInstructions instructions{.orders = work->round.orders,
                                   .look_at = std::min(work->round.next.value_or(Instant::max()), work->row->at + kHeardEvery),
                                   .drift = work->round.drift};
  if (commands.empty()) return work->reply(std::move(instructions));
  run(work->report.ns, std::move(commands), [this, work, instructions = std::move(instructions)](Result<Answers> done) mutable {
    if (!done.ok()) return work->reply(done.status());
    publish(work->report.ns, std::move(work->round.changes));
    work->reply(std::move(instructions));
  });
}

void Packages::note(PackageNotice notice, Reply<PackageNoticed> reply) {
  if (Status status = validate_name("worker", notice.worker.text()); !status.ok()) return reply(status);
  if (!is_package({notice.name, notice.version, notice.status}))
    return reply(Status::invalid_argument("what the worker names is no package"));
  notice.message = cut_text(std::move(notice.message), limits::kPackageMessageBytesMax);
  const NamespaceName ns = notice.ns;
  std::vector<KeyCommand> look{key::HashGet{kPackageWorkersKey, notice.worker.text()}};
  run(ns, std::move(look), [this, notice = std::move(notice), reply = std::move(reply)](Result<Answers> answers) mutable {
    if (!answers.ok()) return reply(answers.status());
    const Instant now = clock_.now();
    PackageChange change;
    change.worker = notice.worker;
    change.worker_name = notice.worker_name;
    change.package = notice.name;
    change.version = notice.version;
    change.status = notice.status;
    change.message = notice.message;
    change.at = now;
    std::vector<KeyCommand> commands;
    if (auto row = read_package_worker((*answers)[0].text)) {
      const auto operation = row->operations.find(notice.name);
      if (operation != row->operations.end() && !operation->second.failed) change.op = operation->second.op;
      if (notice.status == PackageStatus::failed) fail_operation(*row, notice.name, notice.message, timing_, now);
      if (std::string text = to_text(*row); text != (*answers)[0].text)
        commands.push_back(key::HashSet{.key = kPackageWorkersKey, .fields = {{notice.worker.text(), std::move(text)}}});
    }
    std::vector<PackageChange> changes{std::move(change)};
    keep_changes(commands, changes);
    run(notice.ns, std::move(commands),
        [this, ns = notice.ns, op = changes.front().op, changes = std::move(changes),
         reply = std::move(reply)](Result<Answers> done) mutable {
          if (!done.ok()) return reply(done.status());
          publish(ns, std::move(changes));
          reply(PackageNoticed{op});
        });
  });
}

// --- what operators want ---

void Packages::wish(NamespaceName ns, PackageWish wish, Reply<PackageWished> reply) {
  if (Status status = validate_name("namespace", ns.text()); !status.ok()) return reply(status);
  if (Status status = validate(wish); !status.ok()) return reply(status);
  const std::string field = wish_field(wish);
  std::vector<KeyCommand> commands{key::HashGet{kPackageWishesKey, field}, key::HashLength{kPackageWishesKey},
                                   key::HashGet{kPackageWorkersKey, wish.worker.text()}};
  run(ns, std::move(commands),
      [this, ns, field, wish = std::move(wish), reply = std::move(reply)](Result<Answers> answers) mutable {
        if (!answers.ok()) return reply(answers.status());
        const auto before = read_package_wish((*answers)[0].text);
        if (!before && (*answers)[1].number >= static_cast<std::int64_t>(kPackageWishesMax))
          return reply(Status::exhausted(
              fmt::format("there are {} wishes about packages, which is the most there may be; forget some", kPackageWishesMax)));
        const auto worker = read_package_worker((*answers)[2].text);
        if (!wish.worker.empty() && !worker)
          return reply(Status::not_found(fmt::format("no worker \"{}\" with packages has registered in the namespace \"{}\"",
                                                     wish.worker.text(), ns.text())));
        // The same wish again is a new one: what failed is tried again at once.
        wish.at = clock_.now();
        if (before && before->at >= wish.at) wish.at = before->at + Duration(1);
        PackageChange change;
        change.worker = wish.worker;
        change.worker_name = wish.worker.empty() ? target_text(wish) : worker->name;
        change.package = wish.name;
        change.version = wish.version;
        change.op = wish.op;
        change.status = PackageStatus::requested;
        change.by = wish.by;
        change.at = wish.at;
        std::vector<PackageChange> changes{std::move(change)};
        std::vector<KeyCommand> writes{key::HashSet{.key = kPackageWishesKey, .fields = {{field, to_text(wish)}}}};
        keep_changes(writes, changes);
        run(ns, std::move(writes),
            [this, ns, wish = std::move(wish), changes = std::move(changes),
             reply = std::move(reply)](Result<Answers> done) mutable {
              if (!done.ok()) return reply(done.status());
              publish(ns, std::move(changes));
              auto out = std::make_shared<PackageWished>();
              out->ns = ns;
              out->wish = std::move(wish);
              walk(
                  ns, {},
                  [out](const PackageWorker& row) {
                    if (!matches(row, out->wish)) return;
                    ++out->workers;
                    if (!is_met(row, out->wish)) ++out->drift;
                  },
                  [out, reply = std::move(reply)](Result<PackageNoticed> walked) mutable {
                    if (!walked.ok()) return reply(walked.status());
                    reply(std::move(*out));
                  });
            });
      });
}

void Packages::forget(NamespaceName ns, PackageWish wish, Reply<PackageWished> reply) {
  if (Status status = validate_name("namespace", ns.text()); !status.ok()) return reply(status);
  if (Status status = validate_package_name(wish.name); !status.ok()) return reply(status);
  const std::string field = wish_field(wish);
  std::vector<KeyCommand> commands{key::HashGet{kPackageWishesKey, field}, key::HashDelete{kPackageWishesKey, {field}}};
  run(ns, std::move(commands), [ns, wish = std::move(wish), reply = std::move(reply)](Result<Answers> answers) mutable {
    if (!answers.ok()) return reply(answers.status());
    auto before = read_package_wish((*answers)[0].text);
    if (!before)
      return reply(
          Status::not_found(fmt::format("nothing is wanted of the package \"{}\" for {}", wish.name, target_text(wish))));
    reply(PackageWished{.ns = ns, .wish = *std::move(before), .forgotten = true});
  });
}

void Packages::wishes_version(NamespaceName ns, Reply<std::string> reply) {
  if (Status status = validate_name("namespace", ns.text()); !status.ok()) return reply(status);
  run(ns, {key::Version{kPackageWishesKey}}, [reply = std::move(reply)](Result<Answers> answers) mutable {
    if (!answers.ok()) return reply(answers.status());
    reply(std::move(answers->front().text));
  });
}

// --- what is shown ---

void Packages::walk(NamespaceName ns, std::string after, UniqueFunction<void(PackageWorker)> see, Reply<PackageNoticed> done) {
  run(ns, {key::HashScan{.key = kPackageWorkersKey, .after = std::move(after), .pattern = {}, .limit = kWalkStep}},
      [this, ns, see = std::move(see), done = std::move(done)](Result<Answers> answers) mutable {
        if (!answers.ok()) return done(answers.status());
        std::vector<KeyAnswer>& page = answers->front().list;
        if (page.empty()) return done(PackageNoticed{});
        for (std::size_t i = 2; i < page.size(); i += 2)
          if (auto row = read_package_worker(page[i].text)) see(*std::move(row));
        if (page[0].text.empty()) return done(PackageNoticed{});
        walk(std::move(ns), std::move(page[0].text), std::move(see), std::move(done));
      });
}

// What is asked about packages as a whole: their records, the wishes, and what the rows of workers add to them.
struct Packages::Survey {
  std::vector<PackageRecord> records;  // by name, oldest version first
  std::vector<PackageWish> wishes;
  std::map<std::string, PackageSummary> by_name;
};

void Packages::list(PackageQuery query, Reply<PackagePage> reply) {
  if (Status status = validate_name("namespace", query.ns.text()); !status.ok()) return reply(status);
  if (Status status = validate_count("limit", query.limit, {.least = 1, .most = limits::kPageMax}); !status.ok())
    return reply(status);
  if (Status status = validate_text("cursor", query.cursor, {.bytes_max = kCursorBytesMax}); !status.ok()) return reply(status);
  const NamespaceName ns = query.ns;
  run(ns, {records_all(), wishes_all()},
      [this, query = std::move(query), reply = std::move(reply)](Result<Answers> answers) mutable {
        if (!answers.ok()) return reply(answers.status());
        auto survey = std::make_shared<Survey>();
        survey->records = records_of<PackageRecord>((*answers)[0], read_package_record);
        survey->wishes = wishes_of((*answers)[1]);
        std::sort(survey->records.begin(), survey->records.end(), by_version);
        auto concerned = std::make_shared<std::set<std::string>>();  // of the one worker that is asked about
        auto see = [survey, concerned, only = query.worker](const PackageWorker& row) {
          if (!only.empty() && row.id != only) return;
          std::set<std::string_view> installed;
          for (const WorkerPackage& package : row.packages) {
            concerned->insert(package.name);
            if (package.status == PackageStatus::installed) installed.insert(package.name);
          }
          for (const std::string_view name : installed) ++survey->by_name[std::string(name)].workers;
          for (const PackageWish* wish : wishes_for(row, survey->wishes)) {
            concerned->insert(wish->name);
            if (!is_met(row, *wish)) ++survey->by_name[wish->name].drift;
          }
        };
        const NamespaceName of = query.ns;
        walk(of, {}, std::move(see),
             [survey, concerned, query = std::move(query), reply = std::move(reply)](Result<PackageNoticed> walked) mutable {
               if (!walked.ok()) return reply(walked.status());
               for (const PackageRecord& record : survey->records) {
                 PackageSummary& summary = survey->by_name[record.name];
                 summary.versions.push_back(record.version);
                 summary.latest = record.version;
                 summary.description = record.description;
               }
               for (const PackageWish& wish : survey->wishes) ++survey->by_name[wish.name].wishes;
               PackagePage page;
               for (auto at = survey->by_name.upper_bound(query.cursor); at != survey->by_name.end(); ++at) {
                 if (!query.worker.empty() && !concerned->contains(at->first)) continue;
                 if (page.packages.size() == query.limit) {
                   page.next = page.packages.back().name;
                   break;
                 }
                 at->second.name = at->first;
                 page.packages.push_back(std::move(at->second));
               }
               reply(std::move(page));
             });
      });
}

void Packages::get(PackageGet query, Reply<PackageView> reply) {
  if (Status status = validate_name("namespace", query.ns.text()); !status.ok()) return reply(status);
  if (Status status = validate_package_name(query.name); !status.ok()) return reply(status);
  if (!query.version.empty())
    if (Status status = validate_package_version(query.version); !status.ok()) return reply(status);
  const NamespaceName ns = query.ns;
  run(ns, {records_all(), wishes_all()},
      [this, query = std::move(query), reply = std::move(reply)](Result<Answers> answers) mutable {
        if (!answers.ok()) return reply(answers.status());
        auto view = std::make_shared<PackageView>();
        view->ns = query.ns;
        view->name = query.name;
        auto records = records_of<PackageRecord>((*answers)[0], read_package_record);
        auto wishes = std::make_shared<std::vector<PackageWish>>(wishes_of((*answers)[1]));
        std::erase_if(records, [&](const PackageRecord& record) { return record.name != query.name; });
        std::erase_if(*wishes, [&](const PackageWish& wish) { return wish.name != query.name; });
        if (records.empty() && wishes->empty())
          return reply(
              Status::not_found(fmt::format("no worker has registered a package \"{}\", and nobody wants it", query.name)));
        std::sort(records.begin(), records.end(), by_version);
        view->wishes = *wishes;
        for (PackageRecord& record : records) {
          view->latest = record.version;
          view->description = record.description;
          PackageVersion version;
          version.version = record.version;
          version.nodes = std::move(record.nodes);
          version.problem = std::move(record.problem);
          version.seen_at = record.seen_at;
          view->versions.push_back(std::move(version));
        }
        view->manifest_version = query.version.empty() ? view->latest : query.version;
        const bool has_version = std::any_of(view->versions.begin(), view->versions.end(), [&](const PackageVersion& version) {
          return version.version == view->manifest_version;
        });
        if (!query.version.empty() && !has_version)
          return reply(
              Status::not_found(fmt::format("no worker has registered version {} of \"{}\"", query.version, query.name)));
        auto see = [view, wishes](const PackageWorker& row) {
          PackageAt at;
          for (const WorkerPackage& package : row.packages) {
            if (package.name != view->name) continue;
            at.has.push_back(package);
            const auto version = std::find_if(view->versions.begin(), view->versions.end(),
                                              [&](const PackageVersion& each) { return each.version == package.version; });
            if (version == view->versions.end()) continue;
            if (package.status == PackageStatus::installed) ++version->installed;
            if (package.status == PackageStatus::missing) ++version->missing;
            if (package.status == PackageStatus::failed) ++version->failed;
          }
          if (const auto wanted = wishes_for(row, *wishes); !wanted.empty()) {
            at.wanted = wanted.front()->op;
            at.wanted_version = wanted.front()->version;
            at.drift = !is_met(row, *wanted.front());
            if (at.drift) ++view->drift;
          }
          if (at.has.empty() && !at.wanted) return;
          ++view->workers_total;
          if (view->workers.size() == limits::kPageMax) return;
          at.worker = row.id;
          at.worker_name = row.name;
          at.seen_at = row.at;
          if (const auto operation = row.operations.find(view->name); operation != row.operations.end())
            at.operation = operation->second;
          view->workers.push_back(std::move(at));
        };
        const NamespaceName of = query.ns;
        walk(of, {}, std::move(see), [this, of, view, reply = std::move(reply)](Result<PackageNoticed> walked) mutable {
          if (!walked.ok()) return reply(walked.status());
          run(of, {key::Get{manifest_key(view->name, view->manifest_version)}},
              [view, reply = std::move(reply)](Result<Answers> manifest) mutable {
                if (!manifest.ok()) return reply(manifest.status());
                view->manifest = std::move(manifest->front().text);
                reply(std::move(*view));
              });
        });
      });
}

void Packages::events(PackageEventQuery query, Reply<PackageEvents> reply) {
  if (Status status = validate_name("namespace", query.ns.text()); !status.ok()) return reply(status);
  if (Status status = validate_count("limit", query.limit, {.least = 1, .most = kPackageEventsMax}); !status.ok())
    return reply(status);
  const NamespaceName ns = query.ns;
  run(ns, {key::ListRange{kPackageEventsKey}},
      [query = std::move(query), reply = std::move(reply)](Result<Answers> answers) mutable {
        if (!answers.ok()) return reply(answers.status());
        PackageEvents out;
        for (const KeyAnswer& each : answers->front().list) {
          if (out.events.size() == query.limit) break;
          auto change = read_package_change(each.text);
          if (!change || (!query.package.empty() && change->package != query.package) ||
              (!query.worker.empty() && change->worker != query.worker))
            continue;
          change->ns = query.ns;
          out.events.push_back(*std::move(change));
        }
        reply(std::move(out));
      });
}

}  // namespace muster::engine
