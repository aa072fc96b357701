#include "cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "cli/terminal.h"

namespace uzushio {
namespace {

constexpr int kLeft = 25;            // columns of names
constexpr int kLeftOfCommands = 20;  // the same, of commands

int Width(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// Appends words to a line that has come to `column`, with lines broken at the style's width; each begins at `left`.
void AppendWords(std::string_view words, int left, int column, const HelpStyle& style, std::string* text) {
  for (size_t begin = 0; begin < words.size();) {
    const size_t end = std::min(words.find(' ', begin), words.size());
    const std::string_view word = words.substr(begin, end - begin);
    if (column > left && column + 1 + Width(word) > style.columns) {
      *text += '\n';
      text->append(static_cast<size_t>(left), ' ');
      column = left;
    } else if (column > left) {
      *text += ' ';
      ++column;
    }
    *text += word;
    column += Width(word);
    begin = end + 1;
  }
  *text += '\n';
}

// A name and what it means, whose lines begin below each other.
std::string Entry(const std::string& name, const std::string& help, const HelpStyle& style, int left = kLeft) {
  std::string text = "  " + name;
  int column = Width(text);
  if (column + 1 > left) {
    text += '\n';
    column = 0;
  }
  text.append(static_cast<size_t>(left - column), ' ');
  AppendWords(help, left, left, style, &text);
  return text;
}

std::string Sentences(const std::string& words, const HelpStyle& style) {
  std::string text;
  AppendWords(words, 0, 0, style, &text);
  return text;
}

std::string OptionEntry(const OptionDeclaration& option, const HelpStyle& style) {
  std::string name = option.flags();
  if (!option.placeholder.empty()) name += " " + option.placeholder;
  std::string choices = fmt::format("{}", fmt::join(option.choices, "|"));
  if (option.implicit_value) choices = "[" + choices + "]";
  const bool fits = Width(name) + Width(choices) + 4 <= kLeft;
  if (!option.choices.empty()) name += " " + (fits ? choices : option.implicit_value ? "[WORD]" : "WORD");
  std::string help = option.help;
  if (!option.choices.empty() && !fits) help += ": " + fmt::format("{}", fmt::join(option.choices, ", "));
  if (option.is_required) help += " (required)";
  if (option.default_value) help += " (default: " + *option.default_value + ")";
  return Entry(name, help, style);
}

std::string Heading(const std::string& text, const HelpStyle& style) {
  return "\n" + Styled(text + ":", Style::kHeading, style.colour) + "\n";
}

std::string AllOptions(const Command& command, const HelpStyle& style) {
  std::string text;
  std::optional<std::string> group;
  for (const OptionDeclaration& option : command.options) {
    if ((option.frontends & kOnCommandLine) == 0) continue;
    if (option.group != group) text += Heading(option.group.empty() ? "Options" : option.group, style);
    group = option.group;
    text += OptionEntry(option, style);
  }
  return text;
}

// Those that are given often, required ones first.
std::string UsualOptions(const Command& command, const HelpStyle& style, size_t* left_out) {
  std::string required;
  std::string others;
  for (const OptionDeclaration& option : command.options) {
    if ((option.frontends & kOnCommandLine) == 0) continue;
    if (option.is_required || option.in_short_help) {
      (option.is_required ? required : others) += OptionEntry(option, style);
    } else {
      ++*left_out;
    }
  }
  return (required + others).empty() ? "" : Heading("Options", style) + required + others;
}

std::string Examples(const std::vector<std::string>& examples, const HelpStyle& style) {
  std::string text = Heading("Examples", style);
  for (const std::string& example : examples) text += "  " + example + "\n";
  return text;
}

}  // namespace

HelpStyle HelpStyleOfOutput() { return {TerminalColumns(STDOUT_FILENO), HasColour(STDOUT_FILENO)}; }

std::string ProgramHelp(const HelpStyle& style) {
  std::string text = Sentences("Turn web archives into clean Japanese text for training language models.", style) +
                     Styled("Usage:", Style::kHeading, style.colour) + " uzushio COMMAND [OPTION]...\n" +
                     Heading("Commands", style);
  for (const Command& command : Commands()) {
    text += Entry(command.name, command.summary, style, kLeftOfCommands);
  }
  if (!CommandsLeftOut().empty()) {
    text += fmt::format("Not in this build: {}; ./dev build makes it whole\n", fmt::join(CommandsLeftOut(), ", "));
  }
  const std::string corpus = CommandsLeftOut().empty()
                                 ? "uzushio run --preset recommended --input pages.warc.gz --output corpus"
                                 : "uzushio extract pages.warc.gz --output corpus";
  return text + Examples({corpus}, style) +
         Sentences("uzushio COMMAND --help shows a command's options, uzushio --version versions.", style);
}

std::string CommandHelp(const Command& command, bool all, const HelpStyle& style) {
  std::string text = Sentences(command.summary + ".", style) +
                     fmt::format("{} uzushio {} [OPTION]... {}\n\n", Styled("Usage:", Style::kHeading, style.colour),
                                 command.name, UsageOf(command.positional));
  text += Entry(command.positional.name, command.positional.help, style);
  size_t left_out = 0;
  text += all ? AllOptions(command, style) : UsualOptions(command, style, &left_out);
  if (!command.examples.empty()) text += Examples(command.examples, style);
  if (left_out > 0) text += fmt::format("\n{} more options: uzushio {} --help-all\n", left_out, command.name);
  return text;
}

std::string ValuesOf(const OptionDeclaration& option) {
  if (option.is_number() || option.type == OptionType::kShare) return RangeText(option);
  return fmt::format("{}", fmt::join(option.choices, ", ")) +
         (option.implicit_value ? "; without a value: " + *option.implicit_value : "");
}

std::string UsageOf(const Positional& positional) {
  const std::string name = positional.name + (positional.is_list ? "..." : "");
  return positional.is_required ? name : "[" + name + "]";
}

}  // namespace uzushio
