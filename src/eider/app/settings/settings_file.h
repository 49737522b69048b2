// A settings file in TOML: its keys, with their values as text and their lines.
// Layering: must not know the options or read their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/settings/option_set.h"
#include "eider/core/base/result.h"

namespace eider::detail::app {

/// One key and its values.
struct SettingLine {
  std::string key;  // "search.index_dir"
  std::size_t line = 0;
  bool is_list = false;
  /// The key is a table without keys.
  bool is_empty_table = false;
  /// Kind of a value that no option can have, such as "a date"; empty: the values are valid.
  std::string odd = {};
  std::vector<std::string> values = {};
  std::vector<std::size_t> lines = {};  // of the values
  std::vector<OptionSpec::Kind> kinds = {};
};

class SettingsFile {
 public:
  SettingsFile() = default;
  /// Reads the file: at most 1 MiB, and nothing nested deeper than 16.
  ///
  /// errors  "names 'notes.toml', which cannot be read: …", to follow the name of the option, or
  ///         "notes.toml:3: is not TOML: …"
  [[nodiscard]] static Result<SettingsFile, std::string> read(const std::string& path);
  /// Parses the text of such a file.
  [[nodiscard]] static Result<SettingsFile, std::string> parse(std::string_view text,
                                                               std::string path);

  /// The keys, in the order of the file.
  [[nodiscard]] const std::vector<SettingLine>& lines() const noexcept { return lines_; }
  /// Returns null if the file does not contain the key.
  [[nodiscard]] const SettingLine* find(std::string_view key) const noexcept;
  /// Returns "notes.toml:3".
  [[nodiscard]] std::string place_of(std::size_t line) const;

 private:
  std::string path_;
  std::vector<SettingLine> lines_;
};

}  // namespace eider::detail::app
