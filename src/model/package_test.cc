#include "model/package.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Package, NamesAreWordsJoinedByDotsDashesAndUnderscores) {
  for (const char* name : {"system", "example.pkg", "a-b_c.d9"}) EXPECT_TRUE(validate_package_name(name).ok()) << name;
  for (const char* name : {"", ".a", "a.", "a..b", "A", "a/b", "../a", "a@1", "a b"})
    EXPECT_EQ(validate_package_name(name).code(), Code::invalid_argument) << name;
  EXPECT_FALSE(validate_package_name(std::string(limits::kPackageNameBytesMax + 1, 'a')).ok());
}

TEST(Package, VersionsAreThreeNumbersAndASuffix) {
  for (const char* version : {"1.0.0", "10.20.30", "1.0.0-rc.1", "1.0.0+build.7", "1.0.0-rc.1+7"})
    EXPECT_TRUE(validate_package_version(version).ok()) << version;
  for (const char* version : {"", "1", "1.0", "1.0.0-", "v1.0.0", "1.0.0 ", "1.0.0/..", "1.0.x", "1.0.0@2"})
    EXPECT_EQ(validate_package_version(version).code(), Code::invalid_argument) << version;
}

TEST(Package, UrlsAreAbsoluteAndPlain) {
  for (const char* url : {"file:///srv/p.zip", "https://h/p.zip?x=1"}) EXPECT_TRUE(validate_package_url(url).ok()) << url;
  for (const char* url : {"/srv/p.zip", "p.zip", ":x", "file:", "https://h/a b", "https://h/\n"})
    EXPECT_FALSE(validate_package_url(url).ok()) << url;
}

TEST(Package, LaterVersionsAreNewerByValueAndReleasesNewerThanTheirCandidates) {
  EXPECT_TRUE(is_older_version("1.9.0", "1.10.0"));
  EXPECT_TRUE(is_older_version("1.0.0-rc.1", "1.0.0"));
  EXPECT_TRUE(is_older_version("1.0.0", "1.0.0+7"));
  EXPECT_TRUE(is_older_version("1.0.99999999999999999998", "1.0.99999999999999999999"));
  EXPECT_FALSE(is_older_version("1.0.0", "1.0.0"));
  EXPECT_FALSE(is_older_version("1.0.0", "1.0.0-rc.1"));
}

}  // namespace
}  // namespace muster
