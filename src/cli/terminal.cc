#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace uzushio {
namespace {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool HasColour(int file) {
  const std::string_view terminal = Environment("TERM");
  return Environment("NO_COLOR").empty() && !terminal.empty() && terminal != "dumb" && isatty(file) != 0;
}

int TerminalColumns(int file) {
  constexpr int kUsual = 80;
  winsize size{};
  return isatty(file) != 0 && ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

std::string Styled(const std::string& text, Style style, bool colour) {
  if (!colour) return text;
  const char* code = style == Style::kHeading ? "1" : style == Style::kError ? "1;31" : "1;33";
  return std::string("\x1b[") + code + "m" + text + "\x1b[0m";
}

}  // namespace uzushio
