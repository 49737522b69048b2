// What a settings file says, in TOML: its keys with their values as text, and in which lines.
// Must not know which options there are, nor read their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/settings/option_set.h"
#include "eider/core/base/result.h"

namespace eider::detail::app {

/// One key and what the file says of it.
struct SettingLine {
  std::string key;  // "search.index_dir"
  std::size_t line = 0;
  bool is_list = false;
  /// Of a table without keys.
  bool is_empty_table = false;
  /// What no option takes, such as "a date"; empty: nothing of the kind is there.
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
  /// errors  what is wrong, "names 'notes.toml', which cannot be read: …" without the words ahead
  ///         of that, or "notes.toml:3: is no TOML: …"
  [[nodiscard]] static Result<SettingsFile, std::string> read(const std::string& path);
  /// The same of what has been read.
  [[nodiscard]] static Result<SettingsFile, std::string> parse(std::string_view text,
                                                               std::string path);

  /// In the order of the file.
  [[nodiscard]] const std::vector<SettingLine>& lines() const noexcept { return lines_; }
  /// null: the file does not speak of it
  [[nodiscard]] const SettingLine* find(std::string_view key) const noexcept;
  /// "notes.toml:3"
  [[nodiscard]] std::string place_of(std::size_t line) const;

 private:
  std::string path_;
  std::vector<SettingLine> lines_;
};

}  // namespace eider::detail::app
