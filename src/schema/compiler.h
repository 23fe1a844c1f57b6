// From a schema's documents to a Program. Used by Schema::compile alone; lives for one compilation.
//
// Subschemas are compiled from a list of those that were referred to, never within each other: neither the depth of a schema nor
// what its references do can exhaust the stack.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/library.h"
#include "schema/program.h"

namespace muster::schema {

class Compiler {
 public:
  explicit Compiler(const Options& options) : options_(options), library_(options) {}

  Result<Program> compile(const json::Tree& root);

 private:
  // The node under way.
  struct Draft {
    const json::Tree* tree = nullptr;
    Spot spot;
    std::vector<Op> ops;
    Types tracked = 0;
  };
  // A keyword, the group it belongs to, and who reads it. Keywords that make one operation together are read after these.
  struct Rule {
    const char* keyword;
    bool Dialect::*group;  // nullptr: core
    Status (Compiler::*read)(const json::Tree& value, Check check);
    Check check;
  };
  static const Rule kRules[];

  NodeId node_for(const json::Tree& schema);
  Status compile_node(NodeId id);
  void link_dynamic_anchors();
  Status find_endless() const;

  Status read_type(const json::Tree& value, Check check);
  Status read_choices(const json::Tree& value, Check check);
  Status read_bound(const json::Tree& value, Check check);
  Status read_unit(const json::Tree& value, Check check);
  Status read_count(const json::Tree& value, Check check);
  Status read_format(const json::Tree& value, Check check);
  Status read_pattern(const json::Tree& value, Check check);
  Status read_unique(const json::Tree& value, Check check);
  Status read_needs(const json::Tree& value, Check check);
  Status read_node(const json::Tree& value, Check check);
  Status read_list(const json::Tree& value, Check check);
  Status read_condition(const json::Tree& value, Check check);
  Status read_dependents(const json::Tree& value, Check check);
  Status read_reference(const json::Tree& value, Check check);
  Status read_dynamic_reference(const json::Tree& value, Check check);
  Status read_unevaluated(const json::Tree& value, Check check);
  Status read_contains();
  Status read_items();
  Status read_members();
  Status read_required(std::vector<Property>& properties);

  const json::Tree* keyword(const char* name, bool Dialect::*group) const;
  void emit(Check check, std::uint32_t index = 0, std::uint64_t count = 0);
  Result<std::uint32_t> pattern_index(std::string_view source);
  Result<std::uint64_t> count_of(const json::Tree& value, std::string_view name) const;
  Result<std::vector<std::string>> names_of(const json::Tree& value, std::string_view name) const;
  std::uint32_t anchor_index(std::string_view name);
  Status refuse(std::string_view name, const json::Tree& value, std::string_view accepted) const;

  const Options& options_;
  Library library_;
  Program program_;
  Draft draft_;
  std::vector<const json::Tree*> sources_;  // by node
  std::unordered_map<const json::Tree*, NodeId> nodes_;
  std::map<std::string, std::uint32_t, std::less<>> patterns_;  // by source, into the program's
  std::map<std::string, std::uint32_t, std::less<>> anchors_;   // dynamic ones by name, into the program's
};

}  // namespace muster::schema
