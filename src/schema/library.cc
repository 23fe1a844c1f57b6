#include "schema/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json_depth.h"
#include "schema/uri.h"

namespace muster::schema {
namespace {

using Tree = json::Tree;

constexpr std::array kOneSchema{"not",
                                "if",
                                "then",
                                "else",
                                "items",
                                "contains",
                                "additionalProperties",
                                "propertyNames",
                                "unevaluatedItems",
                                "unevaluatedProperties",
                                "contentSchema"};
constexpr std::array kSchemaLists{"allOf", "anyOf", "oneOf", "prefixItems"};
constexpr std::array kSchemaMaps{"$defs", "properties", "patternProperties", "dependentSchemas"};

constexpr std::string_view kVocabularies = "https://json-schema.org/draft/2020-12/vocab/";

bool is_schema(const Tree& value) { return value.is_object() || value.is_boolean(); }

bool is_anchor(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), fits);
}

std::string pointer(std::string_view keyword, std::string_view name) {
  std::string out;
  append_name(out, keyword);
  append_name(out, name);
  return out;
}

// nullptr: no such item.
const Tree* item(const Tree& array, std::string_view text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || (text.size() > 1 && text.front() == '0')) return nullptr;
  return index < array.size() ? &array[index] : nullptr;
}

}  // namespace

Status Library::open(const Tree& root) { return open_document("", root); }

Status Library::open_document(std::string uri, const Tree& tree) {
  if (Status status = measure(tree, 0); !status.ok()) return status;
  const auto place = static_cast<std::uint32_t>(places_.size());
  const auto document = static_cast<std::uint32_t>(documents_.size());
  const auto resource = static_cast<std::uint32_t>(resources_.size());
  documents_.push_back(uri);
  places_.push_back({.outer = place, .document = document});
  resources_.push_back({.uri = uri, .root = &tree, .document = document});
  by_uri_.emplace(std::move(uri), resource);
  return scan({&tree, place, resource});
}

Status Library::measure(const Tree& tree, std::size_t depth) {
  if (depth > json::kDepthMax)
    return Status::invalid_argument(fmt::format("a schema nested deeper than {} levels", json::kDepthMax));
  if (const auto* text = tree.get_ptr<const std::string*>()) bytes_ += text->size();
  if (tree.is_object())
    for (auto at = tree.begin(); at != tree.end(); ++at) bytes_ += at.key().size();
  if (++values_ > kSchemaValuesMax)
    return Status::invalid_argument(fmt::format("a schema of more than {} values", kSchemaValuesMax));
  if (bytes_ > kSchemaBytesMax)
    return Status::invalid_argument(fmt::format("a schema of more than {} bytes of text", kSchemaBytesMax));
  if (!tree.is_structured()) return {};
  for (const Tree& part : tree)
    if (Status status = measure(part, depth + 1); !status.ok()) return status;
  return {};
}

Status Library::scan(Pending first) {
  std::vector<Pending> pending{first};
  while (!pending.empty()) {
    const Pending at = pending.back();
    pending.pop_back();
    if (Status status = visit(at, pending); !status.ok()) return status;
  }
  return {};
}

Status Library::visit(const Pending& found, std::vector<Pending>& pending) {
  if (spots_.contains(found.tree)) return {};
  if (!is_schema(*found.tree))
    return refuse(found.place, {}, fmt::format("{} is no schema; accepted: an object or a boolean", shown(*found.tree)));
  if (spots_.size() >= kSubschemasMax)
    return Status::invalid_argument(fmt::format("a schema of more than {} subschemas", kSubschemasMax));
  Pending at = found;
  if (at.tree->is_object()) {
    const Result<std::uint32_t> resource = enter_resource(at);
    if (!resource.ok()) return resource.status();
    at.resource = *resource;
  }
  spots_.emplace(at.tree, Spot{at.place, at.resource});
  if (!at.tree->is_object()) return {};
  if (Status status = name_anchors(at); !status.ok()) return status;
  return add_children(at, pending);
}

// The resource of a subschema: one of its own if it has an $id. $schema counts at the root of a resource.
Result<std::uint32_t> Library::enter_resource(const Pending& at) {
  std::uint32_t resource = at.resource;
  if (const Tree* id = json::member(*at.tree, "$id")) {
    const auto* text = id->get_ptr<const std::string*>();
    if (text == nullptr) return refuse(at.place, "$id", fmt::format("{} is no URI", shown(*id)));
    const SplitUri parts = split_fragment(*text);
    if (!parts.fragment.empty()) return refuse(at.place, "$id", fmt::format("{} has a fragment; accepted: none", shown(*id)));
    std::string uri = resolve(resources_[resource].uri, parts.document);
    if (uri.size() > kUriBytesMax)
      return refuse(at.place, "$id", fmt::format("makes a URI of {} bytes; accepted: at most {}", uri.size(), kUriBytesMax));
    if (resources_[resource].root == at.tree) {
      resources_[resource].uri = uri;
    } else {
      resource = static_cast<std::uint32_t>(resources_.size());
      const Resource& outer = resources_[at.resource];
      resources_.push_back({.uri = uri, .root = at.tree, .dialect = outer.dialect, .document = outer.document});
    }
    const auto [entry, added] = by_uri_.emplace(std::move(uri), resource);
    if (!added && entry->second != resource) return refuse(at.place, "$id", fmt::format("{} is there twice", shown(*id)));
  }
  const Tree* name = json::member(*at.tree, "$schema");
  if (name == nullptr) return resource;
  const auto* text = name->get_ptr<const std::string*>();
  if (text == nullptr) return refuse(at.place, "$schema", fmt::format("{} is no URI", shown(*name)));
  if (resources_[resource].root != at.tree) return refuse(at.place, "$schema", "is accepted beside an $id only");
  const Result<Dialect> found = dialect(*text);
  if (!found.ok()) return refuse(at.place, "$schema", found.status().message());
  resources_[resource].dialect = *found;
  return resource;
}

Result<Dialect> Library::dialect(std::string_view uri) const {
  const std::string_view name = split_fragment(uri).document;
  const Tree* meta = given(name);
  const Tree* vocabularies = meta != nullptr ? json::member(*meta, "$vocabulary") : nullptr;
  if (name == kDialectUri || (meta != nullptr && vocabularies == nullptr)) return Dialect{};
  if (meta == nullptr || !vocabularies->is_object())
    return Status::invalid_argument(fmt::format("{} is no dialect known here; accepted: \"{}\"", in_quotes(uri), kDialectUri));
  Dialect out{.applicator = false, .unevaluated = false, .validation = false};
  for (auto at = vocabularies->begin(); at != vocabularies->end(); ++at) {
    const bool ours = at.key().starts_with(kVocabularies);
    const std::string_view group = ours ? std::string_view(at.key()).substr(kVocabularies.size()) : std::string_view();
    if (group == "applicator") out.applicator = true;
    if (group == "unevaluated") out.unevaluated = true;
    if (group == "validation") out.validation = true;
    if (group == "format-assertion") out.format_assertion = true;
    if (!ours && *at != Tree(false))
      return Status::invalid_argument(
          fmt::format("{} needs the vocabulary {}, which is not known here", in_quotes(uri), in_quotes(at.key())));
  }
  return out;
}

Status Library::name_anchors(const Pending& at) {
  for (const char* keyword : {"$anchor", "$dynamicAnchor"}) {
    const Tree* value = json::member(*at.tree, keyword);
    if (value == nullptr) continue;
    const auto* name = value->get_ptr<const std::string*>();
    if (name == nullptr || !is_anchor(*name))
      return refuse(at.place, keyword, fmt::format("{} is no name; accepted: letters, digits, - . _", shown(*value)));
    Resource& resource = resources_[at.resource];
    const auto [entry, added] = resource.anchors.emplace(*name, at.tree);
    if (!added && entry->second != at.tree) return refuse(at.place, keyword, fmt::format("{} is there twice", shown(*value)));
    if (keyword == std::string_view("$dynamicAnchor")) dynamic_anchors_[*name].push_back({at.resource, at.tree});
  }
  return {};
}

Status Library::add_children(const Pending& at, std::vector<Pending>& pending) {
  for (const char* keyword : kOneSchema)
    if (const Tree* value = json::member(*at.tree, keyword)) add_child(at, std::string("/") + keyword, *value, pending);
  for (const char* keyword : kSchemaLists) {
    const Tree* list = json::member(*at.tree, keyword);
    if (list == nullptr) continue;
    if (!list->is_array() || list->empty())
      return refuse(at.place, keyword, fmt::format("{}; accepted: an array of one or more schemas", shown(*list)));
    for (std::size_t i = 0; i < list->size(); ++i) add_child(at, pointer(keyword, std::to_string(i)), (*list)[i], pending);
  }
  for (const char* keyword : kSchemaMaps) {
    const Tree* map = json::member(*at.tree, keyword);
    if (map == nullptr) continue;
    if (!map->is_object()) return refuse(at.place, keyword, fmt::format("{}; accepted: an object of schemas", shown(*map)));
    for (auto entry = map->begin(); entry != map->end(); ++entry) add_child(at, pointer(keyword, entry.key()), *entry, pending);
  }
  return {};
}

void Library::add_child(const Pending& at, std::string names, const Tree& child, std::vector<Pending>& pending) {
  if (spots_.contains(&child)) return;
  pending.push_back({&child, static_cast<std::uint32_t>(places_.size()), at.resource});
  places_.push_back({.outer = at.place, .document = resources_[at.resource].document, .names = std::move(names)});
}

const Tree* Library::given(std::string_view uri) const {
  for (const Document& document : options_.documents) {
    if (document.tree == nullptr) continue;
    if (split_fragment(document.uri).document == uri) return document.tree;
    const std::string* id = json::text(*document.tree, "$id");
    if (id != nullptr && split_fragment(resolve(document.uri, *id)).document == uri) return document.tree;
  }
  return nullptr;
}

Result<std::uint32_t> Library::resource_by_uri(std::string_view uri) {
  if (const auto known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
  const Tree* tree = given(uri);
  if (tree == nullptr)
    return Status::invalid_argument(fmt::format("no document {} is given, and none is fetched", in_quotes(uri)));
  const auto spot = spots_.find(tree);
  if (spot == spots_.end()) {
    if (Status status = open_document(std::string(uri), *tree); !status.ok()) return status;
  } else {
    by_uri_.emplace(uri, spot->second.resource);
  }
  return by_uri_.find(uri)->second;
}

Result<Target> Library::find(std::uint32_t from, std::string_view reference) {
  const std::string uri = resolve(resources_[from].uri, reference);
  const SplitUri parts = split_fragment(uri);
  const Result<std::uint32_t> at = resource_by_uri(parts.document);
  if (!at.ok()) return at.status();
  const auto fragment = percent_decoded(parts.fragment);
  if (!fragment) return Status::invalid_argument(fmt::format("{} has a '%' that escapes nothing", in_quotes(reference)));
  const Resource& resource = resources_[*at];
  if (fragment->empty() || fragment->front() == '/') return find_pointer(*resource.root, *fragment);
  const auto anchor = resource.anchors.find(*fragment);
  if (anchor == resource.anchors.end())
    return Status::invalid_argument(fmt::format("{} leads nowhere: there is no such anchor", in_quotes(reference)));
  const std::string* dynamic = json::text(*anchor->second, "$dynamicAnchor");
  return Target{.tree = anchor->second, .dynamic_anchor = dynamic != nullptr && *dynamic == *fragment ? *fragment : ""};
}

Result<Target> Library::find_pointer(const Tree& root, std::string_view text) {
  const auto names = pointer_names(text);
  if (!names) return Status::invalid_argument(fmt::format("{} is no JSON pointer", in_quotes(text)));
  const Tree* at = &root;
  Spot outer = spots_.at(at);
  std::string since_outer;  // the names between `outer` and `at`
  for (const std::string& name : *names) {
    const Tree* next = nullptr;
    if (at->is_array()) next = item(*at, name);
    if (at->is_object() && at->contains(name)) next = &(*at)[name];
    if (next == nullptr) return Status::invalid_argument(fmt::format("{} leads nowhere", in_quotes(text)));
    at = next;
    append_name(since_outer, name);
    if (const auto known = spots_.find(at); known != spots_.end()) {
      outer = known->second;
      since_outer.clear();
    }
  }
  if (!since_outer.empty()) {
    const auto place = static_cast<std::uint32_t>(places_.size());
    places_.push_back({outer.place, resources_[outer.resource].document, since_outer});
    if (Status status = scan({at, place, outer.resource}); !status.ok()) return status;
  }
  return Target{.tree = at};
}

std::string Library::where(std::uint32_t place, std::string_view keyword) const {
  const std::string pointer = pointer_of(places_, documents_, place, keyword);
  return pointer.empty() ? "schema" : "schema " + pointer;
}

Status Library::refuse(std::uint32_t place, std::string_view keyword, std::string_view why) const {
  return Status::invalid_argument(fmt::format("{}: {}", where(place, keyword), why));
}

}  // namespace muster::schema
