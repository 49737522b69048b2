// The command `eider messages`: the texts that a program translates, as a catalogue's template.
// Must not change catalogues: gettext's msgmerge does.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// arguments  those after the command's name
/// returns    the exit status: 0 done, 1 failed, 2 misused, 3 a catalogue lacks texts
[[nodiscard]] int messages_command(std::span<const std::string_view> arguments);

}  // namespace eider
