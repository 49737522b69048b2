#include "eider/app/settings/settings.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ranges>
#include <span>
#include <utility>

#include "eider/app/settings/masked_setting.h"
#include "eider/app/settings/printable.h"
#include "eider/app/settings/secret.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/startup_code.h"
#include "eider/core/base/text.h"

namespace eider::detail::app {

namespace {

using base::with_code;

std::string wrong_value(std::string_view text) {
  return with_code("invalid-option-value", text);
}

/// Table of the options that every application has.
constexpr std::string_view kServerTable = "server";
constexpr std::string_view kConfigKey = "server.config";

/// Converts a spelling like that of a flag to that of a key: "HEAD-BYTES-MAX" to "head_bytes_max".
std::string as_key(std::string_view name) {
  std::string key(name);
  std::ranges::transform(key, key.begin(),
                         [](char byte) { return byte == '-' ? '_' : to_lower(byte); });
  return key;
}

std::string in_capitals(std::string_view name) {
  std::string all(name);
  std::ranges::transform(all, all.begin(), [](char byte) {
    return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
  });
  return all;
}

/// Splits the value of an environment variable for a list, such as "notes.example, 10.0.0.7".
/// White space around commas and empty elements are ignored.
std::vector<std::string> split_list(std::string_view list) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<std::string> all;
  for (const auto part : std::views::split(list, ',')) {
    const std::string_view value(part);
    if (const std::size_t first = value.find_first_not_of(kSpace);
        first != std::string_view::npos) {
      all.emplace_back(value.substr(first, value.find_last_not_of(kSpace) + 1 - first));
    }
  }
  return all;
}

/// Returns whether an element of a list has the quotes of a shell, of JSON or of TOML, which
/// `docker run --env-file` passes to the program.
bool has_quotes(std::string_view element) {
  return element.starts_with('"') || element.starts_with('\'') || element.starts_with("[\"") ||
         element.starts_with("['");
}

/// Returns the value of an environment variable, without a line end, which files with CRLF leave at
/// the end; empty: not set.
std::string variable(const std::string& name) {
  const char* const text = name.empty() ? nullptr : std::getenv(name.c_str());
  std::string value(text == nullptr ? "" : text);
  value.erase(value.find_last_not_of("\r\n") + 1);
  return value;
}

/// Returns the file of a systemd credential (LoadCredential=, SetCredential=); empty: none.
std::string credential_path(const OptionSpec& spec) {
  const std::string directory = variable("CREDENTIALS_DIRECTORY");
  const std::string path = directory + "/" + spec.credential;
  const bool is_there = spec.is_secret && !directory.empty() && ::access(path.c_str(), F_OK) == 0;
  return is_there ? path : std::string();
}

/// Returns whether Kubernetes sets such a value for a service with the name of the program:
/// NOTES_PORT=tcp://10.0.0.1:80. It is not meant for an option `port`, which cannot read it.
bool is_service_link(const OptionSpec& spec, const std::vector<std::string>& values) {
  const bool is_url = std::ranges::any_of(
      std::array{"tcp://", "udp://", "sctp://"},
      [&values](const char* scheme) { return values.front().starts_with(scheme); });
  return is_url && spec.environment.ends_with("_PORT") && !spec.read(values);
}

std::optional<Settings::Said> said_by_environment(const OptionSpec& spec) {
  using Said = Settings::Said;
  if (std::string text = variable(spec.environment); !text.empty()) {
    const bool is_list = spec.form == OptionSpec::Form::many;
    auto values = is_list ? split_list(text) : std::vector{std::move(text)};
    if (!values.empty() && !is_service_link(spec, values)) {
      return Said{spec.environment, std::move(values), spec.is_secret};
    }
  }
  if (std::string text = variable(spec.secret_environment); !text.empty()) {
    return Said{spec.secret_environment, {std::move(text)}, false};
  }
  if (std::string path = credential_path(spec); !path.empty()) {
    return Said{"the credential " + spec.credential, {std::move(path)}, true};
  }
  return std::nullopt;
}

/// Splits "server.port" into "server." and "port".
std::pair<std::string_view, std::string_view> split_key(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::pair{std::string_view(), key}
                                       : std::pair{key.substr(0, dot), key.substr(dot + 1)};
}

/// Returns a key for a message, shortened because it may be as long as the file.
std::string shown(std::string_view key) {
  constexpr std::size_t kShownBytesMax = 64;
  return "'" + std::string(key.substr(0, kShownBytesMax)) +
         (key.size() > kShownBytesMax ? "…'" : "'");
}

/// Returns whether a container platform sets such a variable in each container: Kubernetes and
/// Docker do so for a service with the name of the program ("NOTES_PORT_8080_TCP_ADDR",
/// "NOTES_SERVICE_HOST").
///
/// name  the text after the name of the service: "_PORT"
bool is_of_a_container(std::string_view name, std::string_view value) {
  const std::size_t port = name.rfind("_PORT_");
  const bool is_port_number =
      port != std::string_view::npos && port + 6 < name.size() && is_digit(name[port + 6]);
  return is_port_number || name.ends_with("_SERVICE_HOST") ||
         name.find("_SERVICE_PORT") != std::string_view::npos ||
         (name.ends_with("_PORT") && value.find("://") != std::string_view::npos);
}

/// Returns whether other software sets such a variable for services, whatever their program is
/// called: a program named journal has JOURNAL_STREAM.
bool is_of_a_platform(std::string_view name) {
  constexpr std::array<std::string_view, 17> kNames = {
      // systemd.exec(5), sd_notify(3), sd_listen_fds(3)
      "CACHE_DIRECTORY", "CONFIGURATION_DIRECTORY", "CREDENTIALS_DIRECTORY", "JOURNAL_STREAM",
      "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID", "LOGS_DIRECTORY", "LOG_NAMESPACE",
      "NOTIFY_SOCKET", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "WATCHDOG_PID", "WATCHDOG_USEC",
      // for HTTP clients, and on Heroku
      "HTTPS_PROXY", "HTTP_PROXY", "WEB_CONCURRENCY"};
  return std::ranges::find(kNames, name) != kNames.end() || name.starts_with("MEMORY_PRESSURE_");
}

bool is_as_written(const OptionSpec& spec, const SettingLine& line) {
  using Kind = OptionSpec::Kind;
  return line.is_list == (spec.form == OptionSpec::Form::many) &&
         std::ranges::all_of(line.kinds, [&spec](Kind kind) {
           return kind == spec.kind || (kind == Kind::integer && spec.kind == Kind::real);
         });
}

}  // namespace

bool is_for_files(const Settings::Entry& entry) {
  const OptionSpec& spec = *entry.spec;
  return !spec.output && !spec.is_for_one_call && entry.key != kConfigKey;
}

Settings::Settings(OptionSet own, OptionSet serving, std::shared_ptr<const LiveSettings> live)
    : own_(std::move(own)), serving_(std::move(serving)), live_(std::move(live)) {
  add(own_, {});
  add(serving_, kServerTable);
}

void Settings::add(const OptionSet& set, std::string_view table) {
  for (const OptionSpec& spec : set.options()) {
    std::string key(table);
    key.append(table.empty() ? "" : ".").append(spec.key);
    if (std::ranges::find(entries_, key, &Entry::key) != entries_.end()) {
      throw Failure(
          Error::internal(with_code("duplicate-option", "two options have the name " + key)));
    }
    entries_.push_back({.spec = &spec, .key = std::move(key)});
  }
}

void Settings::hear_environment() {
  for (Entry& entry : entries_) {
    if (!entry.said && !entry.is_aside) {
      entry.said = said_by_environment(*entry.spec);
    }
  }
}

void Settings::apply(LogSink& log) const {
  if (const auto level = live_->serving->log_level) {
    log.set_level(*level);
  }
}

bool Settings::can_change() const noexcept {
  return !path_.empty() || std::ranges::any_of(own_.options(), &OptionSpec::is_reloadable);
}

void Settings::adopt(const Settings& first) {
  path_ = first.path_;
  file_ = first.file_;
  is_file_adopted_ = true;
  for (std::size_t index = 0; index < first.own_.options().size(); ++index) {
    entries_[index].value = first.entries_[index].value;
    entries_[index].origin = first.entries_[index].origin;
    entries_[index].is_adopted = true;
  }
}

Result<Settings::Reading, std::string> Settings::read() {
  if (auto read = read_file(); !read) {
    return fail(std::move(read.error()));
  }
  if (auto checked = check_keys(); !checked) {
    return fail(std::move(checked.error()));
  }
  return read_values();
}

Result<Settings::Reading, std::string> Settings::read_known() {
  if (auto read = read_file(); !read) {
    return fail(std::move(read.error()));
  }
  return read_values();
}

Result<Settings::Reading, std::string> Settings::read_values() {
  Reading reading;
  for (Entry& entry : entries_) {
    if (entry.spec->output) {
      reading.entries.emplace_back();
      continue;
    }
    if (std::exchange(entry.is_adopted, false)) {
      reading.entries.push_back({entry.value, entry.origin});
      continue;
    }
    auto of = read(entry);
    if (!of) {
      return fail(std::move(of.error()));
    }
    reading.entries.push_back(*std::move(of));
  }
  return reading;
}

Result<void, std::string> Settings::read_file() {
  if (std::exchange(is_file_adopted_, false)) {
    return {};
  }
  const auto config = std::ranges::find(entries_, kConfigKey, &Entry::key);
  if (config == entries_.end() || !config->said) {
    return {};
  }
  path_ = config->said->values.back();
  auto file = SettingsFile::read(path_);
  if (!file) {
    const bool has_place = file.error().starts_with(path_ + ":");
    return fail(has_place
                    ? with_code("invalid-settings-file", file.error())
                    : with_code("file-not-readable", config->said->where + " " + file.error()));
  }
  file_ = *std::move(file);
  return {};
}

Result<void, std::string> Settings::check_keys() const {
  for (const SettingLine& line : file_.lines()) {
    const bool is_known = std::ranges::any_of(entries_, [&line](const Entry& entry) {
      return is_for_files(entry) &&
             (entry.key == line.key ||
              (line.is_empty_table && entry.key.starts_with(line.key + ".")));
    });
    if (is_known) {
      continue;
    }
    const std::string told = file_.place_of(line.line) + ": " + shown(line.key);
    for (const Entry& entry : entries_) {
      if (entry.spec->is_secret && entry.spec->credential == line.key) {
        return fail(with_code("secret-in-plain-text",
                              told + " is a secret and cannot be in this file. Set '" + entry.key +
                                  "' to the name of its file"));
      }
    }
    const bool is_table = std::ranges::any_of(entries_, [&line](const Entry& entry) {
      return is_for_files(entry) && entry.key.starts_with(line.key + ".");
    });
    return fail(
        with_code("unknown-option",
                  told + (is_table ? " is a table. Write [" + line.key + "] and its options below"
                                   : " is not an option" + nearest_key(line.key))));
  }
  return {};
}

/// Returns the key with the most similar last part: in the same table, else in any.
std::string Settings::nearest_key(std::string_view wrong) const {
  constexpr std::size_t kKeyBytesMax = 64;  // limits the cost of computing the distance
  if (wrong.size() > kKeyBytesMax) {
    return {};
  }
  const auto [table, name] = split_key(wrong);
  for (const bool is_any : {false, true}) {
    std::vector<std::string> known;
    std::vector<const Entry*> of;
    for (const Entry& entry : entries_) {
      if (is_for_files(entry) && (is_any || split_key(entry.key).first == table)) {
        known.push_back("--" + std::string(split_key(entry.key).second));
        of.push_back(&entry);
      }
    }
    const std::string nearest = nearest_option("--" + as_key(name), known);
    if (const auto found = std::ranges::find(known, nearest); found != known.end()) {
      return " (did you mean '" + of[static_cast<std::size_t>(found - known.begin())]->key + "'?)";
    }
  }
  return {};
}

namespace {

/// Returns the variable of an option of `set` with a similar name: for NOTES_COPEIS, NOTES_COPIES.
/// Empty: none.
///
/// name  without the prefix
std::string similar_variable(std::string_view name, const OptionSet& set, std::size_t letters_min) {
  if (name.size() < letters_min) {
    return {};
  }
  std::vector<std::string> known;
  for (const OptionSpec& spec : set.options()) {
    for (const std::string& each : {spec.environment, spec.secret_environment}) {
      if (!each.empty()) {
        known.push_back("--" + each.substr(set.prefix().size()));
      }
    }
  }
  const std::string nearest = nearest_option("--" + std::string(name), known);
  return nearest.empty() ? std::string() : set.prefix() + nearest.substr(2);
}

bool has_variable(const OptionSet& set, std::string_view name) {
  return std::ranges::any_of(set.options(), [name](const OptionSpec& spec) {
    return spec.environment == name || spec.secret_environment == name;
  });
}

}  // namespace

/// Returns the sentence about one variable; empty: it is known, or not for this program.
std::string Settings::unknown_variable(std::string_view name, std::string_view value,
                                       Unknown which) const {
  constexpr std::size_t kLettersMin = 4;  // shorter names often differ in one letter only
  constexpr std::size_t kNameBytesMax = 64;
  if (value.empty() || name.size() > kNameBytesMax || has_variable(own_, name) ||
      has_variable(serving_, name)) {
    return {};
  }
  const std::string upper = in_capitals(name);
  if (is_of_a_platform(upper)) {
    return {};
  }
  for (const OptionSet* const set : {&own_, &serving_}) {
    const std::string& prefix = set->prefix();
    if (prefix.empty() || !upper.starts_with(prefix) ||
        is_of_a_container(upper.substr(prefix.size() - 1), value)) {
      continue;
    }
    const std::string_view rest = std::string_view(upper).substr(prefix.size());
    const bool is_own = set == &own_ && prefix != serving_.prefix();
    std::string nearest = similar_variable(rest, *set, kLettersMin);
    // NOTES_HOST_ALIASES is a different word than NOTES_HOST, but NOTES_HOSTS is probably a typo.
    const bool goes_on = upper.size() > nearest.size() + 1 && upper.starts_with(nearest);
    const bool is_misspelled = !nearest.empty() && !goes_on;
    if (!is_misspelled && !(is_own && which == Unknown::all && upper == name)) {
      continue;
    }
    if (const std::string other = std::string(serving_.prefix()).append(rest);
        is_own && !is_misspelled && has_variable(serving_, other)) {
      nearest = other;
    }
    return "The environment variable " + std::string(name) +
           " is not used: no option has that name. " +
           (nearest.empty() ? "--help-all lists the variables of all options"
                            : "Did you mean " + nearest + "?");
  }
  return {};
}

std::vector<std::string> Settings::unknown_variables(Unknown which) const {
  std::vector<std::string> all;
  for (const char* const* variable = ::environ; *variable != nullptr; ++variable) {
    std::string_view value(*variable);
    const std::string_view name = take_until(value, "=");
    if (std::string unknown = unknown_variable(name, value, which); !unknown.empty()) {
      all.push_back(std::move(unknown));
    }
  }
  return all;
}

Result<Settings::Reading::Of, std::string> Settings::read(const Entry& entry) const {
  if (entry.said) {
    return read_said(entry, *entry.said);
  }
  const SettingLine* const line = entry.is_aside ? nullptr : file_.find(entry.key);
  if (line != nullptr) {
    return read_line(entry, *line);
  }
  return Reading::Of{entry.spec->read(std::nullopt).value(), "default"};
}

Result<Settings::Reading::Of, std::string> Settings::read_said(const Entry& entry,
                                                               const Said& said) const {
  const OptionSpec& spec = *entry.spec;
  if (spec.form != OptionSpec::Form::many && said.values.size() > 1) {
    return fail(with_code("repeated-option",
                          said.where + " is given more than once, but has only one value: '" +
                              said.values[0] + "' or '" + said.values[1] + "'"));
  }
  if (said.is_file_of_secret) {
    const auto secret = read_secret(said.values.front());
    if (!secret) {
      return fail(with_code("file-not-readable", said.where + " " + secret.error()));
    }
    return Reading::Of{spec.read(std::span(&secret->reveal(), 1)).value(), said.where};
  }
  if (spec.form == OptionSpec::Form::many && said.where == spec.environment) {
    const auto quoted = std::ranges::find_if(said.values, has_quotes);
    if (quoted != said.values.end()) {
      return fail(wrong_value(said.where + " must be separated by commas, without quotes, not '" +
                              *quoted + "'"));
    }
  }
  auto read = spec.read(said.values);
  if (!read) {
    return fail(wrong_value(said.where + " " + read.error().what + ", not '" +
                            said.values[read.error().index] + "'"));
  }
  return Reading::Of{*std::move(read), said.where};
}

Result<Settings::Reading::Of, std::string> Settings::read_line(const Entry& entry,
                                                               const SettingLine& line) const {
  const OptionSpec& spec = *entry.spec;
  const std::string place = file_.place_of(line.line);
  const std::string told = place + ": " + entry.key;
  if (!line.odd.empty()) {
    return fail(wrong_value(told + " must be " + spec.takes + ", not " + line.odd));
  }
  if (spec.form != OptionSpec::Form::many && line.values.size() != 1) {
    return fail(
        wrong_value(told + " must have one value, not " + std::to_string(line.values.size())));
  }
  if (spec.is_secret && is_as_written(spec, line)) {
    auto read = read_said(entry, {told, line.values, true});
    return read ? Reading::Of{std::move(read->value), place} : std::move(read);
  }
  if (spec.is_secret) {
    return fail(wrong_value(told + " must be the name of a file in quotes"));
  }
  auto read = spec.read(line.values);
  if (!read) {
    const std::size_t wrong = read.error().index;
    return fail(wrong_value(file_.place_of(line.lines[wrong]) + ": " + entry.key + " " +
                            read.error().what + ", not '" + line.values[wrong] + "'"));
  }
  if (!is_as_written(spec, line)) {
    return fail(wrong_value(told + " must be written as " +
                            std::string(split_key(entry.key).second) + " = " + *read));
  }
  return Reading::Of{*std::move(read), place};
}

bool Settings::is_set(std::string_view key) const {
  return std::ranges::find(entries_, key, &Entry::key)->origin != "default";
}

std::string Settings::place_of(std::string_view key) const {
  const auto entry = std::ranges::find(entries_, key, &Entry::key);
  const bool is_heard = entry != entries_.end() && !entry->said && !entry->is_aside;
  const SettingLine* const line = is_heard ? file_.find(entry->key) : nullptr;
  return line == nullptr ? std::string() : file_.place_of(line->line);
}

std::vector<std::string> Settings::files() const {
  std::vector<std::string> all;
  if (!path_.empty()) {
    all.push_back(path_);
  }
  for (const Entry& entry : entries_) {
    const SettingLine* const line = entry.spec->is_secret ? file_.find(entry.key) : nullptr;
    if (entry.said && entry.said->is_file_of_secret) {
      all.push_back(entry.said->values.front());
    } else if (line != nullptr && line->values.size() == 1) {
      all.push_back(line->values.front());
    }
  }
  return all;
}

void Settings::take(Reading reading) {
  for (std::size_t index = 0; index < entries_.size(); ++index) {
    Entry& entry = entries_[index];
    if (!entry.spec->output) {
      entry.spec->take();
      entry.value = std::move(reading.entries[index].value);
      entry.origin = std::move(reading.entries[index].origin);
    }
  }
  own_.publish();
  serving_.publish();
}

namespace {

/// Masks plain text options that contain a secret, by their name or as part of a URL.
std::string shown_value(const Settings::Entry& entry) {
  const OptionSpec& spec = *entry.spec;
  // The "key" of TLS is the name of a file, not a secret.
  const bool is_secret = spec.kind == OptionSpec::Kind::text && spec.takes != "FILE" &&
                         entry.value != "\"\"" && !entry.value.empty() && names_secret(entry.key);
  return is_secret ? "\"***\"" : with_passwords_masked(entry.value);
}

}  // namespace

Settings::Changes Settings::take_changes(Reading reading) {
  Changes changes;
  for (std::size_t index = 0; index < entries_.size(); ++index) {
    Entry& entry = entries_[index];
    Reading::Of& of = reading.entries[index];
    if (of.value == entry.value) {
      continue;
    }
    if (!entry.spec->is_reloadable) {
      changes.waiting.push_back(entry.key);
      continue;
    }
    entry.spec->take();
    entry.value = std::move(of.value);
    entry.origin = std::move(of.origin);
    const std::string value = entry.spec->is_secret ? "a new secret"
                              : entry.value.empty() ? "nothing"
                                                    : shown_value(entry);
    changes.taken.push_back(entry.key + " is " + value + " (" + entry.origin + ")");
  }
  if (!changes.taken.empty()) {
    own_.publish();
    serving_.publish();
  }
  return changes;
}

namespace {

/// Returns the help text as comment lines.
std::string comment_of(std::string_view text) {
  constexpr std::size_t kWidth = 98;
  const std::string lines = wrapped(text, kWidth);
  std::string_view help = lines;
  std::string all;
  while (!help.empty()) {
    all.append("# ").append(take_until(help, "\n")).append("\n");
  }
  return all;
}

}  // namespace

std::string Settings::printed(const Entry& entry) const {
  const OptionSpec& spec = *entry.spec;
  const std::string name(split_key(entry.key).second);
  const std::string origin = printable(entry.origin);
  // An option without a value, or not from a file, is a comment, so that reading the output again
  // has the same result.
  const std::string none = "# " + name + " = " + spec.takes + "  # " + origin + "\n";
  std::string value = entry.value;
  if (spec.is_secret) {
    const SettingLine* const line = file_.find(entry.key);
    const bool is_file = entry.said && entry.said->is_file_of_secret &&
                         entry.said->where != "the credential " + spec.credential;
    value = is_file                          ? toml_text(entry.said->values.front())
            : !entry.said && line != nullptr ? toml_text(line->values.front())
                                             : "";
  }
  if (const std::string shown = spec.is_secret ? value : shown_value(entry); shown != value) {
    // A masked value is a comment, because reading it again would be wrong.
    return comment_of(spec.help) + "# " + name + " = " + shown + "  # " + origin + ", masked\n";
  }
  return comment_of(spec.help) +
         (value.empty() ? none : name + " = " + value + "  # " + origin + "\n");
}

std::string Settings::print() const {
  std::vector<std::string> tables{""};  // keys without a table come first
  for (const Entry& entry : entries_) {
    const std::string table(split_key(entry.key).first);
    if (is_for_files(entry) && std::ranges::find(tables, table) == tables.end()) {
      tables.push_back(table);
    }
  }
  std::string all;
  for (const std::string& table : tables) {
    all.append(table.empty() ? "" : "\n[" + table + "]\n");
    for (const Entry& entry : entries_) {
      if (is_for_files(entry) && split_key(entry.key).first == table) {
        all.append(printed(entry));
      }
    }
  }
  return all;
}

}  // namespace eider::detail::app
