#include "model/capability.h"

#include <gtest/gtest.h>

#include "model/limits.h"

namespace muster {
namespace {

CapabilitySet set(std::vector<std::string> names) { return CapabilitySet(std::move(names)); }

TEST(CapabilitySet, ComparesAsASet) {
  EXPECT_EQ(set({"tool:b", "tool:a", "tool:b"}), set({"tool:a", "tool:b"}));
  EXPECT_NE(set({"tool:a"}), set({"tool:a", "tool:b"}));
}

TEST(CapabilitySet, CoversExactlyItsSubsets) {
  const CapabilitySet offered = set({"tool:a", "tool:b", "tool:c"});
  EXPECT_TRUE(offered.covers(set({})));
  EXPECT_TRUE(offered.covers(set({"tool:c", "tool:a"})));
  EXPECT_TRUE(offered.covers(offered));
  EXPECT_FALSE(offered.covers(set({"tool:a", "tool:d"})));
  EXPECT_FALSE(set({}).covers(set({"tool:a"})));
}

TEST(CapabilitySet, NamesWhatIsMissing) {
  EXPECT_EQ(set({"tool:b"}).missing(set({"tool:c", "tool:a", "tool:b"})), (std::vector<std::string>{"tool:a", "tool:c"}));
  EXPECT_TRUE(set({"tool:b"}).missing(set({"tool:b"})).empty());
}

TEST(CapabilitySet, GivesTheSameKeyWhateverTheOrder) {
  EXPECT_EQ(set({"tool:b", "tool:a"}).key(), set({"tool:a", "tool:b"}).key());
  EXPECT_EQ(CapabilitySet::from_key(set({"tool:b", "label:x=y z"}).key()), set({"tool:b", "label:x=y z"}));
  EXPECT_EQ(CapabilitySet::from_key(""), set({}));
}

TEST(CapabilitySet, AddsAndRemovesWithoutTouchingTheOriginal) {
  const CapabilitySet original = set({"tool:b"});
  EXPECT_EQ(original.with("tool:a"), set({"tool:a", "tool:b"}));
  EXPECT_EQ(original.with("tool:b"), original);
  EXPECT_EQ(original.without("tool:b"), set({}));
  EXPECT_EQ(original, set({"tool:b"}));
}

TEST(Capability, AcceptsKindAndName) {
  for (const char* text : {"tool:x", "a:b", "node_type:http.request/v2", "a-1:B:C", "label:zone=a", "tool:ü"})
    EXPECT_TRUE(validate_capability(text).ok()) << text;
}

TEST(Capability, RefusesEverythingElse) {
  for (const char* text : {"", "tool", "tool:", ":x", "Tool:x", "1a:x", "to ol:x", "tool:a b", "tool:a\nb", "tool:a\x7f"})
    EXPECT_EQ(validate_capability(text).code(), Code::invalid_argument) << text;
}

TEST(Capability, IsRefusedOneByteAboveItsLimit) {
  const std::string longest = "tool:" + std::string(limits::kCapabilityBytesMax - 5, 'x');
  EXPECT_TRUE(validate_capability(longest).ok());
  EXPECT_EQ(validate_capability(longest + "x").code(), Code::invalid_argument);
}

TEST(Capability, OfALabelIsItsKeyAloneAndWithItsValue) {
  EXPECT_EQ(label_capabilities({{"region", "eu"}}), (std::vector<std::string>{"label:region", "label:region=eu"}));
  EXPECT_EQ(worker_capability("w1"), "worker:w1");
}

}  // namespace
}  // namespace muster
