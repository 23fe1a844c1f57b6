// The documents of a schema: which resources and anchors stand in them, and where a reference leads. Used by compiler.h.
//
// A document is looked through when something refers to it: every subschema gets a place and the resource it belongs to. What
// stands under a keyword nobody knows is no subschema until a reference leads there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json_reader.h"
#include "base/status.h"
#include "schema/program.h"
#include "schema/schema.h"

namespace muster::schema {

inline constexpr std::string_view kDialectUri = "https://json-schema.org/draft/2020-12/schema";

// Which groups of keywords a resource uses, as the $vocabulary of its $schema says.
struct Dialect {
  bool applicator = true;
  bool unevaluated = true;
  bool validation = true;
  bool format_assertion = false;
};

// A document, or a part of one that has an $id.
struct Resource {
  std::string uri;
  const json::Tree* root = nullptr;
  Dialect dialect;
  std::uint32_t document = 0;
  std::map<std::string, const json::Tree*, std::less<>> anchors;  // dynamic ones, too
};

// A $dynamicAnchor.
struct AnchorSpot {
  std::uint32_t resource = 0;
  const json::Tree* tree = nullptr;
};

struct Spot {
  std::uint32_t place = 0;
  std::uint32_t resource = 0;
};

struct Target {
  const json::Tree* tree = nullptr;
  std::string dynamic_anchor;  // its name, when the reference names one
};

class Library {
 public:
  explicit Library(const Options& options) : options_(options) {}

  // REQUIRES: called once, before anything else.
  Status open(const json::Tree& root);
  // Where a reference leads that stands in a resource. invalid_argument: nowhere.
  Result<Target> find(std::uint32_t resource, std::string_view reference);
  // REQUIRES: a subschema that open() or find() has come across.
  const Spot& spot(const json::Tree& tree) const { return spots_.at(&tree); }

  const std::vector<Resource>& resources() const { return resources_; }
  // Every $dynamicAnchor of a name, in the order they were come across.
  // REQUIRES: find() has led to one of them.
  const std::vector<AnchorSpot>& dynamic_anchors(const std::string& name) const { return dynamic_anchors_.at(name); }
  // "schema /properties/a/minimum", for messages.
  std::string where(std::uint32_t place, std::string_view keyword) const;

  std::vector<SchemaPlace> take_places() { return std::move(places_); }
  std::vector<std::string> take_documents() { return std::move(documents_); }

 private:
  struct Pending {
    const json::Tree* tree;
    std::uint32_t place;
    std::uint32_t resource;
  };

  Status open_document(std::string uri, const json::Tree& tree);
  Status measure(const json::Tree& tree, std::size_t depth);
  Status scan(Pending first);
  Status visit(const Pending& at, std::vector<Pending>& pending);
  Result<std::uint32_t> enter_resource(const Pending& at);
  Status name_anchors(const Pending& at);
  Status add_children(const Pending& at, std::vector<Pending>& pending);
  void add_child(const Pending& at, std::string names, const json::Tree& child, std::vector<Pending>& pending);
  Result<Dialect> dialect(std::string_view uri) const;
  Result<std::uint32_t> resource_by_uri(std::string_view uri);
  Result<Target> find_pointer(const json::Tree& root, std::string_view pointer);
  Status refuse(std::uint32_t place, std::string_view keyword, std::string_view why) const;
  const json::Tree* given(std::string_view uri) const;

  const Options& options_;
  std::vector<Resource> resources_;
  std::map<std::string, std::uint32_t, std::less<>> by_uri_;
  std::map<std::string, std::vector<AnchorSpot>> dynamic_anchors_;
  std::unordered_map<const json::Tree*, Spot> spots_;
  std::vector<SchemaPlace> places_;
  std::vector<std::string> documents_;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace muster::schema
