// The settings of a program: their values, the origin of each value, and reloading.
// Layering: must not know the grammar of command lines or the meaning of the options.
#pragma once

#include <cstdint>
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

/// The options of a program and of every application, with their values from the command line, the
/// environment and the settings file, in this order of precedence.
///
/// The functions that App::serve calls are virtual: a program that reads no command line has no
/// object of this class, and does not link them with the parser of TOML.
class Settings {
 public:
  /// The values of one option from the command line or the environment.
  struct Said {
    std::string where;  // "--port", "EIDER_PORT"
    std::vector<std::string> values;
    bool is_file_of_secret = false;
  };
  struct Entry {
    const OptionSpec* spec;
    std::string key;  // "server.port"
    std::optional<Said> said = {};
    /// Another option replaces this one: its value in the file is ignored.
    bool is_aside = false;
    std::string value = {};   // as TOML, of the last take()
    std::string origin = {};  // "default", "notes.toml:3", "NOTES_PORT", "--port"
    /// See adopt().
    bool is_adopted = false;
  };
  /// The values of all entries, read but not applied.
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

  /// live  the part of `serving` that can change
  ///
  /// Throws a Failure if two keys are the same.
  Settings(OptionSet own, OptionSet serving, std::shared_ptr<const LiveSettings> live);
  virtual ~Settings() = default;
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  [[nodiscard]] std::deque<Entry>& entries() noexcept { return entries_; }
  [[nodiscard]] const OptionSet& own() const noexcept { return own_; }
  /// Reads the environment variables of options that the command line does not set.
  void hear_environment();
  /// Uses the values and the file that `first`, with the same own options, has read: the first
  /// read() does not open the file again, which may be a pipe.
  void adopt(const Settings& first);
  /// Sets the log level, if the settings have one.
  virtual void apply(LogSink& log) const;
  /// The current limits; the object that it refers to does not change.
  [[nodiscard]] const Limits& limits() const noexcept { return *live_->limits; }
  /// Returns whether a reload can change anything: there is a file, or a reloadable option.
  [[nodiscard]] virtual bool can_change() const noexcept;

  /// Reads files and values. Can run on any thread, but not on two at the same time.
  ///
  /// errors  the invalid value, its place and its requirement, in one line
  [[nodiscard]] virtual Result<Reading, std::string> read();
  /// The same, but keys that are not one of these options are not an error: see check_keys.
  [[nodiscard]] Result<Reading, std::string> read_known();
  /// errors  the first key of the file that is not an option, with the nearest one
  [[nodiscard]] Result<void, std::string> check_keys() const;
  enum class Unknown : std::uint8_t {
    misspelled,  // only variables whose name is similar to that of an option
    all,         // also other variables with the program's prefix
  };
  /// Returns a sentence for each environment variable that is probably meant for an option, but
  /// belongs to none. Of those that begin with EIDER_, only misspelled ones: Eider's build and
  /// tools use that prefix, too.
  [[nodiscard]] virtual std::vector<std::string> unknown_variables(Unknown which) const;
  /// Applies all values.
  void take(Reading reading);
  /// Applies the changed values of reloadable options, and reports the others.
  virtual Changes take_changes(Reading reading);
  /// Returns whether the command line, the environment or the file sets it. Pre: take() was called.
  [[nodiscard]] bool is_set(std::string_view key) const;
  /// Returns the place in the file that sets it: "notes.toml:3"; empty if none does, or it is
  /// overridden.
  [[nodiscard]] std::string place_of(std::string_view key) const;
  /// Returns the files that a reload opens: the settings file, and the files of secrets.
  [[nodiscard]] virtual std::vector<std::string> files() const;
  /// Returns all keys as a settings file, each with its help text and the origin of its value.
  [[nodiscard]] virtual std::string print() const;

 private:
  void add(const OptionSet& set, std::string_view table);
  [[nodiscard]] Result<void, std::string> read_file();
  [[nodiscard]] Result<Reading, std::string> read_values();
  [[nodiscard]] std::string unknown_variable(std::string_view name, std::string_view value,
                                             Unknown which) const;
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

/// Returns whether a settings file can have it: not flags of a single call, or the file's own name.
[[nodiscard]] bool is_for_files(const Settings::Entry& entry);

}  // namespace eider::detail::app
