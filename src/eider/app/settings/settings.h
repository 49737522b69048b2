// What a program is told, by whom, and what of it is taken anew while it serves.
// Must not know the grammar of command lines, nor what its own options mean.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/settings/option_set.h"
#include "eider/app/settings/server_options.h"
#include "eider/app/settings/settings_file.h"
#include "eider/core/base/log.h"
#include "eider/core/base/result.h"

namespace eider::detail::app {

/// The options of a program and of every application, with what the command line, the environment
/// and the settings file say of them, in this order.
class Settings {
 public:
  /// What is said of one option outside of files.
  struct Said {
    std::string where;  // "--port", "EIDER_PORT"
    std::vector<std::string> values;
    bool is_file_of_secret = false;
  };
  struct Entry {
    const OptionSpec* spec;
    std::string key;  // "server.port"
    std::optional<Said> said = {};
    /// Something said elsewhere stands in its place: what files say is not heard.
    bool is_aside = false;
    std::string value = {};   // as TOML has it, since it was last taken
    std::string origin = {};  // "default", "notes.toml:3", "NOTES_PORT", "--port"
    /// See adopt().
    bool is_adopted = false;
  };
  /// What was read of each entry, and is not taken yet.
  struct Reading {
    struct Of {
      std::string value;
      std::string origin;
    };
    std::vector<Of> entries;
  };
  struct Changes {
    std::vector<std::string> taken;    // "page_size is 50 (notes.toml:3)"
    std::vector<std::string> waiting;  // keys that need a restart
  };

  /// live  is among `serving`, as it was made
  ///
  /// Throws a Failure where two keys are the same.
  Settings(OptionSet own, OptionSet serving, std::shared_ptr<const LiveSettings> live);
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  [[nodiscard]] std::deque<Entry>& entries() noexcept { return entries_; }
  [[nodiscard]] const OptionSet& own() const noexcept { return own_; }
  /// Hears the environment about all that the command line says nothing about.
  void hear_environment();
  /// Uses what `first`, of the same own options, has read of them and of its file: the first read()
  /// opens no file again, which may be a pipe.
  void adopt(const Settings& first);
  /// Sets what the log was told, if it was, as of now.
  void apply(LogSink& log) const;
  /// The newest; stay as they are, for as long as this lives.
  [[nodiscard]] const Limits& limits() const noexcept { return *live_->limits; }
  /// Whether reading anew may tell something else: there is a file, or an option that reloads.
  [[nodiscard]] bool can_change() const noexcept;

  /// Reads files and values. On any thread, but not on two at once.
  ///
  /// errors  what is wrong, where, and how to mend it, in one line
  [[nodiscard]] Result<Reading, std::string> read();
  /// The same, without an error for a key that is not one of these options: see check_keys.
  [[nodiscard]] Result<Reading, std::string> read_known();
  /// errors  the first key of the file that is not an option, with the nearest one
  [[nodiscard]] Result<void, std::string> check_keys() const;
  /// Each variable of the environment that is probably meant for an option and misspelled, with the
  /// nearest name, as one sentence.
  [[nodiscard]] std::vector<std::string> misspelled_variables() const;
  /// Makes all of it so.
  void take(Reading reading);
  /// Makes of what differs so what may change. Nothing that was aside is left of the rest.
  Changes take_changes(Reading reading);
  /// Whether the command line, the environment or the file has a value of it. Pre: it was taken.
  [[nodiscard]] bool is_set(std::string_view key) const;
  /// Where a file says it: "notes.toml:3"; empty where none does, or it is not heard.
  [[nodiscard]] std::string place_of(std::string_view key) const;
  /// What reading anew opens: the settings file, and the files of secrets.
  [[nodiscard]] std::vector<std::string> files() const;
  /// All keys as a settings file, each with its text and where its value came from.
  [[nodiscard]] std::string print() const;

 private:
  void add(const OptionSet& set, std::string_view table);
  [[nodiscard]] Result<void, std::string> read_file();
  [[nodiscard]] Result<Reading, std::string> read_values();
  [[nodiscard]] std::string nearest_variable(std::string_view name, std::string_view value) const;
  [[nodiscard]] std::string nearest_key(std::string_view wrong) const;
  [[nodiscard]] Result<Reading::Of, std::string> read(const Entry& entry) const;
  [[nodiscard]] Result<Reading::Of, std::string> read_said(const Entry& entry,
                                                           const Said& said) const;
  [[nodiscard]] Result<Reading::Of, std::string> read_line(const Entry& entry,
                                                           const SettingLine& line) const;
  [[nodiscard]] std::string printed(const Entry& entry) const;

  OptionSet own_;
  OptionSet serving_;
  std::shared_ptr<const LiveSettings> live_;
  std::deque<Entry> entries_;
  std::string path_;
  SettingsFile file_;
  bool is_file_adopted_ = false;
};

}  // namespace eider::detail::app
