// What the tests of schemas share: a schema from its text, and its answers as one line.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "schema/schema.h"

namespace muster::schema {

inline json::Tree tree(std::string_view text) {
  const auto parsed = json::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(json::Tree());
}

// The refusal's message; "" when it compiles.
inline std::string refusal(std::string_view text, const Options& options = {}) {
  const Result<Schema> schema = Schema::compile(tree(text), options);
  EXPECT_TRUE(schema.ok() || schema.code() == Code::invalid_argument) << schema.status().text();
  return schema.status().message();
}

inline Schema compiled(std::string_view text, const Options& options = {}) {
  Result<Schema> schema = Schema::compile(tree(text), options);
  EXPECT_TRUE(schema.ok()) << schema.status().text();
  return schema.ok() ? *schema : *Schema::compile(json::Tree(false));
}

// "INSTANCE KEYWORD MESSAGE" of the first fault; "" when it is accepted. Fails when accepts() says otherwise.
inline std::string fault(const Schema& schema, const json::Tree& value) {
  const std::vector<Fault> faults = schema.faults(value);
  EXPECT_EQ(schema.accepts(value), faults.empty());
  if (faults.empty()) return "";
  return faults.front().instance + " " + faults.front().keyword + " " + faults.front().message;
}

inline std::string fault(std::string_view schema, std::string_view value, const Options& options = {}) {
  return fault(compiled(schema, options), tree(value));
}

inline bool accepts(std::string_view schema, std::string_view value, const Options& options = {}) {
  return fault(schema, value, options).empty();
}

}  // namespace muster::schema
