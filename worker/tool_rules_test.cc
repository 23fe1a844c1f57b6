// Every form in which a tool of the default list could write a file, start a program or change the machine, and that their
// harmless uses pass.
#include "worker/tool_rules.h"

#include <gtest/gtest.h>

#include <vector>

namespace muster::worker {
namespace {

struct Case {
  const char* tool;
  std::vector<std::string> args;
};

const std::vector<Case> kRefused{
    {"sort", {"-o", "/tmp/x"}},
    {"sort", {"-o/tmp/x"}},
    {"sort", {"-uo/tmp/x"}},
    {"sort", {"-nruo", "x"}},
    {"sort", {"--output=/tmp/x"}},
    {"sort", {"--output", "x"}},
    {"sort", {"--out=x"}},
    {"sort", {"--o=x"}},
    {"sort", {"in", "-o", "x"}},
    {"sort", {"-k", "1", "in", "-ox"}},
    {"sort", {"--compress-program=sh"}},
    {"sort", {"--comp=sh"}},
    {"sort", {"-T/tmp"}},
    {"sort", {"-nT", "/tmp"}},
    {"sort", {"--temp=/tmp"}},
    {"sort", {"-S1k", "--compress-prog", "sh"}},
    {"uniq", {"in", "out"}},
    {"uniq", {"-c", "in", "out"}},
    {"uniq", {"-f", "1", "in", "out"}},
    {"uniq", {"-cf1", "in", "out"}},
    {"uniq", {"--skip-f", "1", "in", "out"}},
    {"uniq", {"--", "in", "out"}},
    {"uniq", {"--", "-c", "-out"}},
    {"shuf", {"-o", "x"}},
    {"shuf", {"-n1", "-ox"}},
    {"shuf", {"-eo", "x"}},
    {"shuf", {"--outp=x"}},
    {"iconv", {"-f", "latin1", "-o", "x"}},
    {"iconv", {"-cox"}},
    {"iconv", {"--output=x"}},
    {"date", {"-s", "now"}},
    {"date", {"-us", "now"}},
    {"date", {"--set=now"}},
    {"date", {"--se", "now"}},
    {"date", {"010100001970"}},
    {"date", {"-u", "010100001970"}},
    {"date", {"--", "010100001970"}},
    {"date", {"-I", "010100001970"}},
    {"diff", {"-l", "a", "b"}},
    {"diff", {"-ul", "a", "b"}},
    {"diff", {"--paginate", "a", "b"}},
    {"diff", {"--pag", "a", "b"}},
    {"ptx", {"-G", "in", "out"}},
    {"ptx", {"-fG", "in", "out"}},
    {"ptx", {"--trad", "in", "out"}},
};

const std::vector<Case> kAccepted{
    {"sort", {"-n", "-k2,2", "-t:", "in"}},
    {"sort", {"-to", "in"}},
    {"sort", {"-k", "2", "--reverse", "--unique"}},
    {"sort", {"--", "-o"}},
    {"sort", {"--check"}},
    {"uniq", {"-c"}},
    {"uniq", {"-c", "in"}},
    {"uniq", {"-f", "1", "in"}},
    {"uniq", {"-w3", "--skip-chars", "2", "in"}},
    {"uniq", {"--skip-chars=2", "in"}},
    {"shuf", {"-n", "3", "in"}},
    {"shuf", {"-i1-10"}},
    {"iconv", {"-f", "latin1", "-t", "utf-8", "in"}},
    {"date", {"-u", "+%F"}},
    {"date", {"-d", "yesterday", "+%F"}},
    {"date", {"--date=yesterday"}},
    {"date", {"-Iseconds"}},
    {"date", {"--date", "yesterday"}},
    {"diff", {"-u", "a", "b"}},
    {"diff", {"-Ll", "a", "b"}},
    {"echo", {"-o", "x", "--output=y"}},
    {"wc", {"-l"}},
    {"head", {"-n1", "in"}},
};

TEST(ToolRules, RefuseEveryFormOfAWordThatWritesOrStarts) {
  for (const Case& each : kRefused)
    EXPECT_EQ(check_words(each.tool, each.args).code(), Code::permission_denied) << each.tool << " " << each.args.front();
}

TEST(ToolRules, LetHarmlessUsesPass) {
  for (const Case& each : kAccepted) EXPECT_TRUE(check_words(each.tool, each.args).ok()) << each.tool << " " << each.args.front();
}

TEST(ToolRules, TheDefaultListHoldsNothingThatStartsProgramsOrWritesFiles) {
  for (const char* tool : {"awk", "gawk",  "sed",   "tee",     "split", "csplit", "dc",  "gzip", "gunzip", "bzip2", "xz",
                           "rg",  "egrep", "fgrep", "strings", "find",  "xargs",  "env", "tar",  "dd",     "sh"}) {
    EXPECT_FALSE(is_harmless(tool)) << tool;
    EXPECT_FALSE(danger_of(tool).starts_with("is not known")) << tool;
  }
  EXPECT_EQ(danger_of("awk"), "can start programs and write files");
  EXPECT_TRUE(danger_of("something-of-mine").starts_with("is not known here"));
}

TEST(ToolRules, SayWhichWordAndWhy) {
  const std::vector<std::string> args{"-n", "-o", "x"};
  EXPECT_EQ(check_words("sort", args).message(), "'-o' would make 'sort' write a file, start a program or change the machine");
}

}  // namespace
}  // namespace muster::worker
