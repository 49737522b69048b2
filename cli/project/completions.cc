#include "cli/commands.h"

#include <fmt/format.h>

#include <string>

#include "cli/project/words.h"

namespace eider {

namespace {

constexpr std::string_view kCompletionsHelp = R"(eider completions bash|zsh|fish

Prints the shell script that completes commands and their options.

  source <(eider completions bash)                                  # in ~/.bashrc
  eider completions zsh > "${fpath[1]}/_eider"
  eider completions fish > ~/.config/fish/completions/eider.fish

Exit codes: 0 success, 2 invalid usage
)";

constexpr std::string_view kBash = R"sh(_eider() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} action=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{names}" -- "$word"))
  elif [[ $word == -* ]]; then
    [[ $command == openapi && $COMP_CWORD -gt 2 ]] && action=${{COMP_WORDS[2]}}
    COMPREPLY=($(compgen -W "$("${{COMP_WORDS[0]}}" "$command" $action --help 2>/dev/null |
      grep -oE -- '--[a-z][a-z-]*' | sort -u)" -- "$word"))
  elif ((COMP_CWORD == 2)); then
    case $command in
{cases}    esac
  fi
}}
complete -o bashdefault -o default -F _eider eider
)sh";

constexpr std::string_view kZsh = R"sh(#compdef eider
_eider() {{
  local action=
  if (( CURRENT == 2 )); then
    local -a names=(
{names}    )
    _describe command names
  elif [[ $words[CURRENT] == -* ]]; then
    [[ $words[2] == openapi && $CURRENT -gt 3 ]] && action=$words[3]
    compadd -- ${{(fu)"$($words[1] $words[2] $action --help 2>/dev/null |
      grep -oE -- '--[a-z][a-z-]*')"}}
  else
    if (( CURRENT == 3 )); then
      case $words[2] in
{cases}      esac
    fi
    _files
  fi
}}
if [[ $funcstack[1] == _eider ]]; then _eider "$@"; else compdef _eider eider; fi
)sh";

constexpr std::string_view kFishOptions = R"sh(function __eider_is
  set -l said (commandline -opc)
  test (count $said) -eq 2 -a "$said[2]" = "$argv[1]"
end
function __eider_options
  set -l said (commandline -opc)
  set -l action
  test "$said[2]" = openapi; and set action $said[3..]
  eider $said[2] $action[1] --help 2>/dev/null | string match -ar -- '--[a-z][a-z-]*' | sort -u
end
complete -c eider -n 'string match -q -- "-*" (commandline -ct)' -a '(__eider_options)'
)sh";

/// Quotes a text with single quotes; `quote` replaces a single quote in it.
std::string in_quotes(std::string_view text, std::string_view quote) {
  std::string quoted;
  for (const char each : text) {
    if (each == '\'') {
      quoted.append(quote);
    } else {
      quoted.push_back(each);
    }
  }
  return "'" + quoted + "'";
}

std::string names_of_commands() {
  std::string names;
  for (const Command& each : commands()) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", each.name);
  }
  return names;
}

/// Returns the lines of `case` for the arguments after commands.
std::string cases_of(std::string_view line) {
  std::string cases;
  for (const Command& each : commands()) {
    if (!each.words.empty()) {
      cases += fmt::vformat(line, fmt::make_format_args(each.name, each.words));
    }
  }
  return cases;
}

std::string bash_completions() {
  using namespace fmt::literals;
  return fmt::format(kBash, "names"_a = names_of_commands(),
                     "cases"_a = cases_of("      {}) COMPREPLY=($(compgen -W \"{}\" -- "
                                          "\"$word\")) ;;\n"));
}

std::string zsh_completions() {
  using namespace fmt::literals;
  std::string names;
  for (const Command& each : commands()) {
    names +=
        fmt::format("      {}\n", in_quotes(fmt::format("{}:{}", each.name, each.what), "'\\''"));
  }
  return fmt::format(kZsh, "names"_a = names,
                     "cases"_a = cases_of("        {}) compadd -- {} ;;\n"));
}

std::string fish_completions() {
  std::string text;
  for (const Command& each : commands()) {
    text += fmt::format("complete -c eider -n __fish_use_subcommand -f -a {} -d {}\n", each.name,
                        in_quotes(each.what, "\\'"));
  }
  // Not __fish_seen_subcommand_from: `new` and `test` are also arguments of other commands.
  text += cases_of("complete -c eider -n '__eider_is {}' -a '{}'\n");
  return text.append(kFishOptions);
}

}  // namespace

int completions_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kCompletionsHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  const auto rest = words.rest("one of bash, zsh and fish", 1);
  if (!rest) {
    return command_misused("completions", rest.error());
  }
  const std::string shell = rest->empty() ? std::string() : rest->front();
  if (shell == "bash") {
    fmt::print("{}", bash_completions());
  } else if (shell == "zsh") {
    fmt::print("{}", zsh_completions());
  } else if (shell == "fish") {
    fmt::print("{}", fish_completions());
  } else {
    return command_misused("completions",
                           shell.empty()
                               ? std::string("no shell given: use bash, zsh or fish")
                               : fmt::format("unknown shell {}: use bash, zsh or fish", shell));
  }
  return kCommandDone;
}

}  // namespace eider
