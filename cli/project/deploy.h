// `eider deploy`: copies a package to another machine with ssh and starts it, or rolls back.
// Layering: must need only a shell and its usual tools there.
#pragma once

#include <string>
#include <string_view>

namespace eider {

/// Returns the script that runs on the other machine with sh -c; see deploy_script.cc for its
/// arguments.
[[nodiscard]] std::string_view deploy_script() noexcept;

/// Quotes `word` so that a shell treats it as one word, whatever it contains.
[[nodiscard]] std::string shell_quoted(std::string_view word);

/// Returns a hardened systemd unit for the program `name` in the folder `directory` on that
/// machine.
[[nodiscard]] std::string systemd_unit(const std::string& name, const std::string& directory);

}  // namespace eider
