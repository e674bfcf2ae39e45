"""Scripts with which shells complete commands and options. They are written from the parser, so they know what it knows."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

BASH = """\
# Completion of backsweep for bash: eval "$(backsweep completion bash)"
_backsweep() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words={commands}
    else
        case ${{COMP_WORDS[1]}} in
{cases}
        esac
        case $current in -*) ;; *) [ "$COMP_CWORD" -eq 2 ] || words="" ;; esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -o bashdefault -F _backsweep backsweep
"""
ZSH = """\
#compdef backsweep
# Completion of backsweep for zsh: eval "$(backsweep completion zsh)"
_backsweep() {{
    local -a commands words_
    commands=({commands})
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    case $words[2] in
{cases}
    esac
    if [[ $words[CURRENT] == -* || ( $CURRENT == 3 && ${{words_[1]}} != -* ) ]]; then
        compadd -- $words_
    else
        _files
    fi
}}
compdef _backsweep backsweep
"""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, what it does, its options with their help, and the words that it takes."""

    name: str
    summary: str
    options: tuple[tuple[str, str], ...]
    words: tuple[str, ...]

    @property
    def all_words(self) -> str:
        """The words and the options, with spaces between them."""
        return " ".join((*self.words, *(option for option, _ in self.options)))


def commands_of(parser: argparse.ArgumentParser) -> Iterator[Command]:
    """The commands of a parser."""
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        summaries = {each.dest: each.help or "" for each in action._choices_actions}
        for name, command in action.choices.items():
            options = tuple(
                (option, each.help or "") for each in command._actions for option in each.option_strings
            )
            words = tuple(str(word) for each in command._actions for word in each.choices or ())
            yield Command(name, summaries.get(name, ""), options, words)


def bash(parser: argparse.ArgumentParser) -> str:
    """The script for bash."""
    known = tuple(commands_of(parser))
    cases = "\n".join(f"            {each.name}) words={shlex.quote(each.all_words)} ;;" for each in known)
    return BASH.format(commands=shlex.quote(" ".join(each.name for each in known)), cases=cases)


def zsh(parser: argparse.ArgumentParser) -> str:
    """The script for zsh."""
    known = tuple(commands_of(parser))
    summaries = " ".join(shlex.quote(f"{each.name}:{each.summary}") for each in known)
    cases = "\n".join(f"        {each.name}) words_=({each.all_words}) ;;" for each in known)
    return ZSH.format(commands=summaries, cases=cases)


def fish(parser: argparse.ArgumentParser) -> str:
    """The script for fish."""
    known = tuple(commands_of(parser))
    lines = ["# Completion of backsweep for fish: backsweep completion fish | source"]
    for each in known:
        lines.append(
            f"complete -c backsweep -f -n __fish_use_subcommand -a {each.name} -d {quoted(each.summary)}"
        )
        within = quoted(f"__fish_seen_subcommand_from {each.name}")
        for word in each.words:
            lines.append(f"complete -c backsweep -f -n {within} -a {word}")
        for option, summary in each.options:
            flag = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            lines.append(f"complete -c backsweep -n {within} {flag} -d {quoted(summary)}")
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """The text in single quotes, as fish reads them; `%%` is the parser's way to write a percent sign."""
    escaped = text.replace("%%", "%").replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
