#include "base/sha256.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, DoesNotDependOnHowTheBytesCome) {
  Sha256 digest;
  for (const char* piece : {"a", "", "bc"}) digest.add(piece);
  EXPECT_EQ(digest.hex(), sha256_hex("abc"));
}

// RFC 4231, cases 1 and 2.
TEST(Hmac, IsThatOfTheStandard) {
  EXPECT_EQ(hmac_sha256_hex({.key = std::string(20, '\x0b'), .bytes = "Hi There"}),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256_hex({.key = "Jefe", .bytes = "what do ya want for nothing?"}),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace muster
