// One judgement of a JSON text, without a tree: the short way beside Walk (walk.h), for values that are as they should be.
//
// Used by Schema for frames, which are many, small and nearly always right. It knows the keywords that schemas of frames are made
// of and says "accepted" or nothing: whatever is wrong, unusual or beyond it is left to the tree. What it accepts a Walk accepts,
// and in no fewer steps (tests/fuzz/schema_fuzz.cc holds both to it).
#pragma once

#include <cstddef>
#include <string_view>

#include "schema/program.h"

namespace muster::schema {

class TextWalk {
 public:
  explicit TextWalk(const Program& program) : program_(program), budget_(program.steps) {}

  // REQUIRES: the text of one JSON value, without blanks around it. False: nobody knows.
  bool accepts(std::string_view json) { return node(program_.root, json); }

 private:
  struct Value {
    std::string_view json;
    Types type;
  };

  bool node(NodeId id, std::string_view json);
  bool run(const Op& op, const Value& value);
  bool chosen(const Op& op, const Value& value) const;
  bool number(const Op& op, const Value& value) const;
  bool text(const Op& op, const Value& value);
  bool members(const Op& op, const Value& value);

  const Program& program_;
  Budget budget_;
  std::size_t depth_ = 0;
};

}  // namespace muster::schema
