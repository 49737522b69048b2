#include "eider/data/db/migrations/migrations.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/read_file.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/core/base/text_encoding.h"
#include "eider/core/base/utf8.h"
#include "eider/data/db/migrations/migration_faults.h"
#include "eider/data/db/migrations/sql_pieces.h"

namespace eider {
namespace {

constexpr std::string_view kUp = ".sql";
constexpr std::string_view kDown = ".down.sql";
constexpr std::string_view kMarker = "eider";
constexpr std::size_t kDigitsMax = 18;

/// A checkout may convert line ends, which does not count as an edit.
std::string with_plain_line_ends(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

/// Returns the text of a marker comment, such as "no transaction" for "-- eider: no transaction";
/// std::nullopt for other lines. Case and spaces do not matter, because an ignored marker would run
/// the migration in an unintended way.
std::optional<std::string_view> marker_in(std::string_view line) noexcept {
  if (!line.starts_with("--") && !line.starts_with("/*")) {
    return std::nullopt;
  }
  const std::string_view text = trim(line.substr(2));
  const std::string_view rest = text.substr(std::min(kMarker.size(), text.size()));
  const bool is_word = rest.empty() || rest.starts_with(':') || rest.starts_with(' ');
  if (!is_word || !equals_ignoring_case(text.substr(0, kMarker.size()), kMarker)) {
    return std::nullopt;
  }
  // A block comment, and one without the colon, has no text.
  return line.starts_with("--") && rest.starts_with(':') ? trim(rest.substr(1)) : "";
}

bool is_name_byte(char byte) noexcept {
  return is_letter(byte) || is_digit(byte) || byte == '_' || byte == '-';
}

/// Collects all errors, so that they are reported together.
class MigrationReader {
 public:
  Result<Migrations, std::string> read(std::span<const MigrationFile> files) {
    for (const MigrationFile& file : files) {
      add(file);
    }
    for (auto& [name, down] : downs_) {
      add_down(name, std::move(down));
    }
    if (!faults_.empty()) {
      return fail(std::move(faults_));
    }
    Migrations migrations;
    for (auto& [number, migration] : found_) {
      migrations.push_back(std::move(migration));
    }
    return migrations;
  }

 private:
  void add(const MigrationFile& file) {
    const bool is_down = file.name.ends_with(kDown);
    const std::string_view ending = is_down ? kDown : kUp;
    const std::string name(file.name.substr(0, file.name.size() - ending.size()));
    const std::optional<std::int64_t> number = number_of(file.name, name);
    std::optional<MigrationScript> script = script_of(file);
    if (!number || !script) {
      return;
    }
    if (is_down) {
      downs_.emplace(name, std::move(*script));
      return;
    }
    std::string checksum = to_hex(to_view(sha256(script->sql)));
    Migration made{*number, name, std::move(checksum), std::move(*script), std::nullopt};
    const auto [found, is_new] = found_.emplace(*number, std::move(made));
    if (!is_new) {
      fault(file.name, "duplicate",
            found->second.name + ".sql has the same number: give the newer file the next number");
    }
    numbers_.emplace(name, *number);
  }

  void add_down(const std::string& name, MigrationScript down) {
    const auto number = numbers_.find(name);
    if (number == numbers_.end()) {
      fault(name + std::string(kDown), "no_up",
            "there is no " + name +
                ".sql for this file to undo: write that file, or remove this one");
    } else {
      found_.find(number->second)->second.down = std::move(down);
    }
  }

  std::optional<std::int64_t> number_of(std::string_view file, std::string_view name) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    const auto number =
        digits == 0 || digits > kDigitsMax ? std::nullopt : parse_int64(name.substr(0, digits));
    const bool is_name = file.ends_with(kUp) && digits + 1 < name.size() && name[digits] == '_' &&
                         std::ranges::all_of(name, is_name_byte);
    if (!is_name || !number || *number == 0) {
      fault(file, "name",
            "the file name must look like 0001_what_it_does.sql: a number, '_', and letters, "
            "digits, '_' or '-'. Rename or move the file");
      return std::nullopt;
    }
    return number;
  }

  std::optional<MigrationScript> script_of(const MigrationFile& file) {
    if (const auto wrong = detail::base::encoding_error(file.text)) {
      fault(std::string(file.name) + ":" + std::to_string(wrong->line), "encoding", wrong->what);
      return std::nullopt;
    }
    MigrationScript script{with_plain_line_ends(without_bom(file.text))};
    if (db::split_sql(script.sql, db::Dialect::postgres).empty()) {
      fault(file.name, "empty", "the file contains no statement: write one, or remove the file");
      return std::nullopt;
    }
    if (!read_markers(file.name, script)) {
      return std::nullopt;
    }
    if (const auto refused = db::refused_in_any(script)) {
      add_fault(db::text_of(std::string(file.name), *refused));
      return std::nullopt;
    }
    return script;
  }

  bool read_markers(std::string_view file, MigrationScript& script) {
    bool is_good = true;
    std::string_view rest = script.sql;
    while (!rest.empty()) {
      const std::string_view line = trim(take_until(rest, "\n"));
      if (const auto marker = marker_in(line)) {
        if (!read_marker(*marker, script)) {
          is_good = false;
          fault(file, "marker",
                "'" + std::string(line) +
                    "' is not a valid marker: use '-- eider: no transaction' or '-- eider: no "
                    "foreign keys'");
        }
      }
    }
    return is_good;
  }

  static bool read_marker(std::string_view marker, MigrationScript& script) noexcept {
    if (equals_ignoring_case(marker, "no transaction")) {
      script.is_in_transaction = false;
    } else if (equals_ignoring_case(marker, "no foreign keys")) {
      script.holds_foreign_keys = false;
    } else {
      return false;
    }
    return true;
  }

  void fault(std::string_view file, std::string_view key, std::string_view what) {
    add_fault(std::string(file).append(": [").append(key).append("] ").append(what));
  }
  void add_fault(const std::string& line) {
    faults_ += faults_.empty() ? "" : "\n";
    faults_ += line;
  }

  std::map<std::int64_t, Migration> found_;
  std::map<std::string, std::int64_t> numbers_;
  std::map<std::string, MigrationScript> downs_;
  std::string faults_;
};

/// Directories, and pipes without a writer, are not files.
std::optional<std::string> text_of_file(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) {
    return std::nullopt;
  }
  auto text = detail::base::read_file(path.string());
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

/// The extension is not case-sensitive, because a file that is ignored would never be applied.
bool is_of_sql(std::string_view name) noexcept {
  return !name.starts_with('.') && name.size() >= kUp.size() &&
         equals_ignoring_case(name.substr(name.size() - kUp.size()), kUp);
}

}  // namespace

Result<Migrations, std::string> make_migrations(std::span<const MigrationFile> files) {
  return MigrationReader().read(files);
}

Result<Migrations, std::string> read_migrations(const std::string& directory) {
  std::map<std::string, std::string> texts;  // sorted by name
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename().string();
    if (!is_of_sql(name)) {
      continue;
    }
    auto text = text_of_file(entry.path());
    if (!text) {
      return fail(name + ": [unreadable] the file cannot be read: check its permissions");
    }
    texts.emplace(name, std::move(*text));
  }
  if (failed) {
    return fail(directory + ": [unreadable] " + failed.message() +
                ": create the directory, or name another");
  }
  std::vector<MigrationFile> files;
  for (const auto& [name, text] : texts) {
    files.push_back({name, text});
  }
  return make_migrations(files);
}

Migrations embedded_migrations(std::span<const MigrationFile> files) {
  auto made = make_migrations(files);
  if (!made) {
    throw Failure(Error::internal(std::move(made.error())));
  }
  return std::move(*made);
}

}  // namespace eider
