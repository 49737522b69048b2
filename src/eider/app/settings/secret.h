// A password, key or token that a program is told, and that nothing of it says again.
// Must not be comparable, printable or a member of what is sent: who wants its text calls reveal().
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "eider/core/base/result.h"

namespace eider {

/// A member of an options struct that is secret. The program is told the file where it stands
/// (`--api-key-file`, NOTES_API_KEY_FILE, `api_key_file` of a settings file), or itself by
/// NOTES_API_KEY or systemd's credential `api_key`; never on a command line, which everybody on the
/// machine may read. No error, no `--help` and no `--print-config` tells it.
///
/// Copies share one text, which is wiped with the last of them.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text);

  /// The text itself; it lives as long as a copy of this does.
  [[nodiscard]] const std::string& reveal() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return text_ == nullptr; }

 private:
  struct Text;
  std::shared_ptr<const Text> text_;
};

namespace detail::app {

/// What stands in the file, without the line break at its end.
///
/// errors  "names '/run/key', which cannot be read: Permission denied"; never what stands there
[[nodiscard]] Result<Secret, std::string> read_secret(const std::string& path);

}  // namespace detail::app
}  // namespace eider
