// `muster completion bash|zsh|fish`: scripts generated from the tree of commands itself, so they cannot drift from it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/context.h"

namespace muster::cli {
namespace {

struct Flag {
  std::string name;  // with its dashes
  std::string help;
  bool takes_value = false;
};

struct Node {
  std::string path;  // "muster job list"
  std::vector<std::pair<std::string, std::string>> commands;
  std::vector<Flag> flags;
};

std::vector<Flag> flags_of(const CLI::App& app) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      flags.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0});
    for (const std::string& name : option->get_snames())
      flags.push_back({"-" + name, option->get_description(), option->get_items_expected_max() > 0});
  }
  return flags;
}

void collect(const CLI::App& app, const std::string& path, const std::vector<Flag>& globals, std::vector<Node>& nodes) {
  Node node{.path = path, .commands = {}, .flags = flags_of(app)};
  for (const Flag& flag : globals) {
    const auto same = [&flag](const Flag& own) { return own.name == flag.name; };
    if (std::none_of(node.flags.begin(), node.flags.end(), same)) node.flags.push_back(flag);
  }
  std::vector<const CLI::App*> children;
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    node.commands.emplace_back(child->get_name(), child->get_description());
    children.push_back(child);
  }
  nodes.push_back(std::move(node));
  for (const CLI::App* child : children) collect(*child, path + " " + child->get_name(), globals, nodes);
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The words of a node that bash and zsh offer.
std::string words_of(const Node& node) {
  std::string words;
  for (const auto& [name, help] : node.commands) words += (words.empty() ? "" : " ") + name;
  for (const Flag& flag : node.flags) words += (words.empty() ? "" : " ") + flag.name;
  return words;
}

std::string value_flags(const std::vector<Node>& nodes) {
  std::string out;
  std::vector<std::string> seen;
  for (const Node& node : nodes)
    for (const Flag& flag : node.flags)
      if (flag.takes_value && std::find(seen.begin(), seen.end(), flag.name) == seen.end()) {
        seen.push_back(flag.name);
        out += (out.empty() ? "" : "|") + flag.name;
      }
  return out;
}

std::string bash_script(const std::vector<Node>& nodes) {
  std::string out =
      "# bash completion for muster; load it with: source <(muster completion bash)\n_muster() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path=muster i word\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n    word=${COMP_WORDS[i]}\n    case \"$path $word\" in\n";
  for (const Node& node : nodes)
    if (node.path != "muster") out += fmt::format("      {}) path={} ;;\n", quoted(node.path), quoted(node.path));
  out += "    esac\n  done\n";
  out += "  case \"$prev\" in\n    -o|--output) COMPREPLY=($(compgen -W 'table json jsonl' -- \"$cur\")); return ;;\n";
  out += fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n  esac\n", value_flags(nodes));
  out += "  local words=\n  case \"$path\" in\n";
  for (const Node& node : nodes) out += fmt::format("    {}) words={} ;;\n", quoted(node.path), quoted(words_of(node)));
  out += "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _muster muster\n";
  return out;
}

std::string zsh_script(const std::vector<Node>& nodes) {
  std::string out =
      "#compdef muster\n# zsh completion for muster; load it with: source <(muster completion zsh)\n_muster() {\n"
      "  local path_=muster word i\n  for ((i = 2; i < CURRENT; i++)); do\n    word=$words[i]\n    case \"$path_ $word\" in\n";
  for (const Node& node : nodes)
    if (node.path != "muster") out += fmt::format("      {}) path_={} ;;\n", quoted(node.path), quoted(node.path));
  out += "    esac\n  done\n  case \"$words[CURRENT-1]\" in\n    -o|--output) compadd table json jsonl; return ;;\n";
  out += fmt::format("    {}) _files; return ;;\n  esac\n", value_flags(nodes));
  out += "  local -a offers\n  case \"$path_\" in\n";
  const auto offer = [](const std::string& name, const std::string& help) {
    std::string escaped;
    for (const char c : help) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
    return " " + quoted(name + ":" + escaped);
  };
  for (const Node& node : nodes) {
    out += fmt::format("    {}) offers=(", quoted(node.path));
    for (const auto& [name, help] : node.commands) out += offer(name, help);
    for (const Flag& flag : node.flags) out += offer(flag.name, flag.help);
    out += " ) ;;\n";
  }
  out +=
      "  esac\n  _describe 'muster' offers || _files\n}\n"
      "if [ \"$funcstack[1]\" = _muster ]; then _muster \"$@\"; else compdef _muster muster; fi\n";
  return out;
}

std::string fish_script(const std::vector<Node>& nodes) {
  std::string out =
      "# fish completion for muster; load it with: muster completion fish | source\n"
      "function __muster_at\n  set -l path muster\n  for word in (commandline -opc)[2..-1]\n    switch \"$path $word\"\n";
  for (const Node& node : nodes)
    if (node.path != "muster") out += fmt::format("      case {}\n        set path {}\n", quoted(node.path), quoted(node.path));
  out += "    end\n  end\n  test \"$path\" = \"$argv[1]\"\nend\ncomplete -c muster -f\n";
  for (const Node& node : nodes) {
    const std::string when = quoted(fmt::format("__muster_at \"{}\"", node.path));
    for (const auto& [name, help] : node.commands)
      out += fmt::format("complete -c muster -n {} -a {} -d {}\n", when, name, quoted(help));
    for (const Flag& flag : node.flags) {
      const bool is_long = flag.name.starts_with("--");
      out += fmt::format("complete -c muster -n {} {} {}{} -d {}\n", when, is_long ? "-l" : "-s",
                         flag.name.substr(is_long ? 2 : 1), flag.takes_value ? " -rF" : "", quoted(flag.help));
    }
  }
  return out;
}

}  // namespace

std::string completion_script(const CLI::App& root, const std::string& shell) {
  std::vector<Node> nodes;
  collect(root, "muster", flags_of(root), nodes);
  if (shell == "zsh") return zsh_script(nodes);
  if (shell == "fish") return fish_script(nodes);
  return bash_script(nodes);
}

void add_completion_command(CLI::App& app, Context& context) {
  auto shell = std::make_shared<std::string>();
  CLI::App& command = add_command(
      app, context,
      {.name = "completion", .summary = "a completion script for your shell", .example = "source <(muster completion bash)"},
      [&app, &context, shell] {
        const std::string script = completion_script(app, *shell);
        if (context.wants_table())
          std::fwrite(script.data(), 1, script.size(), stdout);
        else
          context.document(nlohmann::json{{"shell", *shell}, {"script", script}}.dump());
        return to_int(Exit::ok);
      });
  command.add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

}  // namespace muster::cli
