// `eider deploy`: copies a package to another machine with ssh and starts it, or rolls back.
// Layering: must need only a shell and its usual tools there.
#pragma once

#include <string>
#include <string_view>

namespace eider {

/// The script that runs there, by sh -c; its words are those that deploy_script.cc tells.
[[nodiscard]] std::string_view deploy_script() noexcept;

/// `word` so that a shell takes it as one word, whatever is in it.
[[nodiscard]] std::string shell_quoted(std::string_view word);

/// A hardened unit of systemd's for the program `name` of the folder `directory` there.
[[nodiscard]] std::string systemd_unit(const std::string& name, const std::string& directory);

}  // namespace eider
