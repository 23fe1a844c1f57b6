#include "worker/tool_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace muster::worker {
namespace {

constexpr int kAnyNumber = -1;

struct Rule {
  std::string_view tool;
  std::string_view refused{};                         // short options
  std::array<std::string_view, 3> refused_long{};     // empty: none
  std::string_view with_value{};                      // short options whose value is the rest of the word, or the next one
  std::array<std::string_view, 3> long_with_value{};  // the same of long ones; needed where operands are counted
  std::string_view with_rest{};                       // short options whose value, if any, is the rest of the word
  int operands_max = kAnyNumber;
  bool only_formats = false;  // operands begin with `+`
};

constexpr std::array kHarmless{
    Rule{"base64"},
    Rule{"basename"},
    Rule{"bc"},
    Rule{"cat"},
    Rule{"cksum"},
    Rule{"cmp"},
    Rule{"column"},
    Rule{"comm"},
    Rule{"cut"},
    // Anything that is no format sets the clock.
    Rule{.tool = "date",
         .refused = "s",
         .refused_long = {"set"},
         .with_value = "dfr",
         .long_with_value = {"date", "file", "reference"},
         .with_rest = "I",
         .only_formats = true},
    // -l hands the output to pr.
    Rule{.tool = "diff", .refused = "l", .refused_long = {"paginate"}, .with_value = "CDFILSUWXx"},
    Rule{"dirname"},
    Rule{"echo"},
    Rule{"expand"},
    Rule{"expr"},
    Rule{"factor"},
    Rule{"false"},
    Rule{"fmt"},
    Rule{"fold"},
    Rule{"grep"},
    Rule{"head"},
    Rule{.tool = "iconv", .refused = "o", .refused_long = {"output"}, .with_value = "ft"},
    Rule{"join"},
    Rule{"jq"},
    Rule{"md5sum"},
    Rule{"nl"},
    Rule{"numfmt"},
    Rule{"od"},
    Rule{"paste"},
    Rule{"pr"},
    Rule{"printf"},
    // In its traditional mode the second operand is the output.
    Rule{.tool = "ptx", .refused = "G", .refused_long = {"traditional"}, .with_value = "FMSWbgiow"},
    Rule{"rev"},
    Rule{"seq"},
    Rule{"sha1sum"},
    Rule{"sha256sum"},
    Rule{"sha512sum"},
    Rule{.tool = "shuf", .refused = "o", .refused_long = {"output"}, .with_value = "in"},
    Rule{"sleep"},
    Rule{.tool = "sort",
         .refused = "oT",
         .refused_long = {"output", "compress-program", "temporary-directory"},
         .with_value = "kSt"},
    Rule{"sum"},
    Rule{"tac"},
    Rule{"tail"},
    Rule{"tr"},
    Rule{"true"},
    Rule{"tsort"},
    Rule{"unexpand"},
    // The second operand is the output.
    Rule{.tool = "uniq", .with_value = "fsw", .long_with_value = {"skip-fields", "skip-chars", "check-chars"}, .operands_max = 1},
    Rule{"wc"},
};

struct Danger {
  std::string_view tool;
  std::string_view why;
};

constexpr std::string_view kStartsAndWrites = "can start programs and write files";
constexpr std::string_view kStarts = "can start programs";
constexpr std::string_view kWrites = "can write files";
constexpr std::string_view kReplaces = "replaces the files it is given";

constexpr std::array kDangers{
    Danger{"awk", kStartsAndWrites},
    Danger{"bash", kStartsAndWrites},
    Danger{"busybox", kStartsAndWrites},
    Danger{"bunzip2", kReplaces},
    Danger{"bzip2", kReplaces},
    Danger{"cp", kWrites},
    Danger{"csplit", kWrites},
    Danger{"curl", kWrites},
    Danger{"dash", kStartsAndWrites},
    Danger{"dc", kStarts},
    Danger{"dd", kWrites},
    Danger{"ed", kStartsAndWrites},
    Danger{"egrep", kStarts},
    Danger{"env", kStarts},
    Danger{"fgrep", kStarts},
    Danger{"find", kStartsAndWrites},
    Danger{"gawk", kStartsAndWrites},
    Danger{"git", kStartsAndWrites},
    Danger{"gunzip", kReplaces},
    Danger{"gzip", kReplaces},
    Danger{"install", kWrites},
    Danger{"less", kStartsAndWrites},
    Danger{"ln", kWrites},
    Danger{"make", kStartsAndWrites},
    Danger{"mawk", kStartsAndWrites},
    Danger{"mkdir", kWrites},
    Danger{"more", kStarts},
    Danger{"mv", kWrites},
    Danger{"nawk", kStartsAndWrites},
    Danger{"nice", kStarts},
    Danger{"node", kStartsAndWrites},
    Danger{"nohup", kStarts},
    Danger{"parallel", kStartsAndWrites},
    Danger{"perl", kStartsAndWrites},
    Danger{"python", kStartsAndWrites},
    Danger{"python3", kStartsAndWrites},
    Danger{"rg", kStarts},
    Danger{"rm", "removes files"},
    Danger{"rsync", kStartsAndWrites},
    Danger{"ruby", kStartsAndWrites},
    Danger{"sed", kStartsAndWrites},
    Danger{"setsid", kStarts},
    Danger{"sh", kStartsAndWrites},
    Danger{"split", kStartsAndWrites},
    Danger{"ssh", kStarts},
    Danger{"stdbuf", kStarts},
    Danger{"strings", "reads options from files"},
    Danger{"tar", kStartsAndWrites},
    Danger{"tee", kWrites},
    Danger{"timeout", kStarts},
    Danger{"touch", kWrites},
    Danger{"unxz", kReplaces},
    Danger{"unzip", kWrites},
    Danger{"vi", kStartsAndWrites},
    Danger{"vim", kStartsAndWrites},
    Danger{"wget", kWrites},
    Danger{"xargs", kStarts},
    Danger{"xz", kReplaces},
    Danger{"zip", kWrites},
    Danger{"zsh", kStartsAndWrites},
};

const Rule* rule_of(std::string_view tool) {
  const auto* const at = std::find_if(kHarmless.begin(), kHarmless.end(), [&](const Rule& rule) { return rule.tool == tool; });
  return at == kHarmless.end() ? nullptr : at;
}

bool contains(std::string_view letters, char letter) { return letters.find(letter) != letters.npos; }

// Whether the word may be short for one of the names. One that is short for several is refused by the tool itself.
bool abbreviates(std::string_view word, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return !name.empty() && name.starts_with(word); });
}

// One task's words, read as the tool reads them.
class Words {
 public:
  Words(const Rule& rule, std::span<const std::string> args) : rule_(rule), args_(args) {}

  // The first word that is refused.
  std::optional<std::string_view> refused() {
    for (std::size_t i = 0; i < args_.size(); ++i) {
      const std::string_view word = args_[i];
      const bool is_option = !options_over_ && word.size() > 1 && word.front() == '-';
      if (is_option && word == "--") {
        options_over_ = true;
        continue;
      }
      if (is_option ? is_refused_option(word) : is_refused_operand(word)) return word;
      if (is_option && takes_next_) ++i;
    }
    return std::nullopt;
  }

 private:
  bool is_refused_option(std::string_view word) {
    takes_next_ = false;
    if (word.starts_with("--")) {
      const std::string_view name = word.substr(2, word.find('=') - 2);
      takes_next_ = word.find('=') == word.npos && abbreviates(name, rule_.long_with_value);
      return abbreviates(name, rule_.refused_long);
    }
    for (std::size_t i = 1; i < word.size(); ++i) {
      if (contains(rule_.refused, word[i])) return true;
      if (contains(rule_.with_rest, word[i])) return false;
      if (!contains(rule_.with_value, word[i])) continue;
      // A separate value is skipped only where operands are told apart; elsewhere it is judged as a word of its own.
      takes_next_ = i + 1 == word.size() && counts_operands();
      return false;
    }
    return false;
  }

  bool is_refused_operand(std::string_view word) {
    ++operands_;
    if (rule_.only_formats && !word.starts_with('+')) return true;
    return rule_.operands_max != kAnyNumber && operands_ > rule_.operands_max;
  }

  bool counts_operands() const { return rule_.only_formats || rule_.operands_max != kAnyNumber; }

  const Rule& rule_;
  std::span<const std::string> args_;
  bool options_over_ = false;
  bool takes_next_ = false;
  int operands_ = 0;
};

}  // namespace

std::vector<std::string_view> harmless_tools() {
  std::vector<std::string_view> out;
  for (const Rule& rule : kHarmless) out.push_back(rule.tool);
  return out;
}

bool is_harmless(std::string_view tool) { return rule_of(tool) != nullptr; }

Status check_words(std::string_view tool, std::span<const std::string> args) {
  const Rule* const rule = rule_of(tool);
  if (rule == nullptr) return {};
  const auto word = Words(*rule, args).refused();
  if (!word) return {};
  return Status::permission_denied(
      fmt::format("'{}' would make '{}' write a file, start a program or change the machine", *word, tool));
}

std::string_view danger_of(std::string_view tool) {
  const auto* const at = std::find_if(kDangers.begin(), kDangers.end(), [&](const Danger& each) { return each.tool == tool; });
  return at == kDangers.end() ? "is not known here: nothing says what it can start or write" : at->why;
}

}  // namespace muster::worker
