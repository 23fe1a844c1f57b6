#include "cli/app.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

// The arguments as others see them afterwards.
std::vector<std::string> hidden(const std::vector<std::string_view>& arguments) {
  std::vector<std::string> out(arguments.begin(), arguments.end());
  for (const SecretPart& part : secrets_in(arguments)) out[part.argument].replace(part.from, part.size, part.size, '*');
  return out;
}
using Words = std::vector<std::string>;

TEST(SecretArguments, KeysAndTokensAreHiddenInEveryForm) {
  EXPECT_EQ(hidden({"worker", "--key", "abc", "--id", "w"}), (Words{"worker", "--key", "***", "--id", "w"}));
  EXPECT_EQ(hidden({"worker", "-k", "abc"}), (Words{"worker", "-k", "***"}));
  EXPECT_EQ(hidden({"worker", "-kabc"}), (Words{"worker", "-k***"}));
  EXPECT_EQ(hidden({"--token=abc", "job", "list"}), (Words{"--token=***", "job", "list"}));
  EXPECT_EQ(hidden({"--key=a=b"}), (Words{"--key=***"}));
  EXPECT_EQ(hidden({"--key"}), (Words{"--key"}));
}

TEST(SecretArguments, PasswordsOfDatabasesAreHiddenWhereverTheyStand) {
  EXPECT_EQ(hidden({"serve", "--store", "postgres://u:pw@h:5432/d"}), (Words{"serve", "--store", "postgres://u:**@h:5432/d"}));
  EXPECT_EQ(hidden({"serve", "--store=postgresql://u:p@ss@h/d"}), (Words{"serve", "--store=postgresql://u:****@h/d"}));
  EXPECT_EQ(hidden({"store", "copy", "--to", "postgres://h/d?sslmode=off&password=pw&x=1"}),
            (Words{"store", "copy", "--to", "postgres://h/d?sslmode=off&password=**&x=1"}));
  EXPECT_EQ(hidden({"postgres://u:pw@h"}), (Words{"postgres://u:**@h"}));
}

TEST(SecretArguments, WhatIsNoSecretStays) {
  for (const std::string_view text : {"--token-file", "--key-file=x", "postgres://u@h:5432/d", "sqlite:/a:b@c", "--kind"})
    EXPECT_EQ(hidden({text, "value"}), (Words{std::string(text), "value"})) << text;
}

TEST(SecretArguments, TheArgumentsAreCopiedBeforeTheyAreOverwritten) {
  std::string program = "muster";
  std::string flag = "--token";
  std::string value = "abc";
  std::vector<char*> argv{program.data(), flag.data(), value.data()};
  EXPECT_EQ(take_arguments(3, argv.data()), (Words{"--token", "abc"}));
  EXPECT_EQ(value, "***");
  EXPECT_TRUE(take_arguments(0, nullptr).empty());
}

}  // namespace
}  // namespace muster::cli
