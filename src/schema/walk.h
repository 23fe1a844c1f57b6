// One judgement: a value held against a Program. Used by Schema, once a value.
//
// Without a list for faults it stops at the first; with one it goes on, and within a schema that is only tried (a branch of
// anyOf, the schema of `not`) it stops at the first all the same, so that both take the same steps for a value that is accepted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "schema/program.h"
#include "schema/schema.h"

namespace muster::schema {

// Where the walk is within the value, from the inside out.
struct Place {
  const Place* outer = nullptr;
  const std::string* name = nullptr;  // of a member
  std::size_t index = 0;              // of an item
};

// Which parts of one object or array somebody has looked at, in the order they did: what a branch has seen is forgotten if it
// fails.
class Seen {
 public:
  explicit Seen(std::size_t parts) : seen_(parts, false) {}

  void add(std::size_t part) {
    if (seen_[part]) return;
    seen_[part] = true;
    order_.push_back(part);
  }
  void add_all(const Seen& other) {
    for (const std::size_t part : other.order_) add(part);
  }
  bool has(std::size_t part) const { return seen_[part]; }
  std::size_t mark() const { return order_.size(); }
  void forget_since(std::size_t mark) {
    for (; order_.size() > mark; order_.pop_back()) seen_[order_.back()] = false;
  }

 private:
  std::vector<bool> seen_;
  std::vector<std::size_t> order_;
};

class Walk {
 public:
  // `faults` may be nullptr.
  Walk(const Program& program, std::vector<Fault>* faults) : program_(program), faults_(faults), budget_(program.steps) {}

  bool accepts(const json::Tree& value);

 private:
  // The resources that were entered on the way here, from the inside out.
  struct Scope {
    const Scope* outer;
    std::uint32_t resource;
  };
  // What a check is told: the value and its type, where it is, and who wants to know which of its parts were looked at (nullptr:
  // nobody).
  struct Subject {
    const json::Tree& value;
    const Place& place;
    Seen* seen;
    Types type;
  };

  bool node(NodeId id, const json::Tree& value, const Place& place, Seen* seen);
  bool tracked(const Node& node, const Subject& subject);
  bool ops(const Node& node, const Subject& subject);
  bool run(const Node& node, const Op& op, const Subject& subject);
  // The same without faults; what a failed try has seen is forgotten.
  bool tries(NodeId id, const Subject& subject);
  bool tries(NodeId id, const json::Tree& value, const Place& place);

  // walk_values.cc
  bool is_chosen(const Op& op, const json::Tree& value);
  bool number(const Node& node, const Op& op, const Subject& subject);
  bool text(const Node& node, const Op& op, const Subject& subject);
  bool size(const Node& node, const Op& op, const Subject& subject);
  bool unique(const Node& node, const Op& op, const Subject& subject);

  // walk_parts.cc
  bool members(const Node& node, const Op& op, const Subject& subject);
  bool member(const Node& node, const Members& members, NodeId named, const Subject& subject, const Place& place,
              const json::Tree& value, std::size_t part);
  bool names(const Node& node, const Op& op, const Subject& subject);
  bool needs(const Node& node, const Op& op, const Subject& subject);
  bool items(const Op& op, const Subject& subject);
  bool contains(const Node& node, const Op& op, const Subject& subject);
  bool unevaluated(const Op& op, const Subject& subject);

  // walk_branches.cc
  bool dynamic(const Op& op, const Subject& subject);
  bool all_of(const Op& op, const Subject& subject);
  bool any_of(const Node& node, const Op& op, const Subject& subject);
  bool one_of(const Node& node, const Op& op, const Subject& subject);
  bool condition(const Op& op, const Subject& subject);
  bool dependents(const Op& op, const Subject& subject);

  // Whether to look further after a fault.
  bool goes_on() const { return faults_ != nullptr && faults_->size() < kFaultsMax && !budget_.spent() && !too_deep_; }
  bool gave_up() const { return budget_.spent() || too_deep_; }
  // Always false. `message` is called only when somebody listens; who has given up has found nothing. Not inlined: what makes a
  // message would widen the frames of those that call each other as deep as the value goes.
  template <class Message>
  [[gnu::noinline]] bool refuse(const Node& node, std::string_view keyword, const Place& place, Message message) {
    if (faults_ != nullptr && faults_->size() < kFaultsMax && !gave_up()) add_fault(node, keyword, place, message());
    return false;
  }
  void add_fault(const Node& node, std::string_view keyword, const Place& place, std::string message);

  const Program& program_;
  std::vector<Fault>* faults_;
  Budget budget_;
  std::size_t depth_ = 0;
  bool too_deep_ = false;
  const Scope* scope_ = nullptr;
};

}  // namespace muster::schema
