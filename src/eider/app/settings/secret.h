// A password, key or token among the settings, which is never printed.
// Layering: must not be comparable, printable or a member of a response; reveal() returns the text.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "eider/core/base/result.h"

namespace eider {

/// A member of an options struct that is secret. The option is the name of a file that contains it
/// (`--api-key-file`, NOTES_API_KEY_FILE, `api_key_file` in a settings file); the environment
/// variable NOTES_API_KEY and the systemd credential `api_key` contain it themselves. A command
/// line cannot, because every user of the machine can read it. No error, `--help` or
/// `--print-config` shows it.
///
/// Copies share one text, which is wiped with the last of them.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text);

  /// Returns the text; valid as long as a copy of this object exists.
  [[nodiscard]] const std::string& reveal() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return text_ == nullptr; }

 private:
  struct Text;
  std::shared_ptr<const Text> text_;
};

namespace detail::app {

/// Returns the text of the file, without a line break at its end.
///
/// errors  "names '/run/key', which cannot be read: Permission denied"; never the text
[[nodiscard]] Result<Secret, std::string> read_secret(const std::string& path);

}  // namespace detail::app
}  // namespace eider
