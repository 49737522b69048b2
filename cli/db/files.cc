#include "cli/db/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/files.h"
#include "eider/core/base/text.h"
#include "eider/data/db/migrations/migrations.h"

namespace eider {
namespace {

/// As a literal, a line for each of the text's.
std::string to_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (byte == '\n') {
      literal += "\\n\"\n    \"";
    } else if (byte == '"' || byte == '\\' || byte == '?') {
      literal.append("\\").push_back(byte);
    } else if (code < ' ' || code >= 0x7F) {
      literal += fmt::format("\\{:03o}", code);
    } else {
      literal.push_back(byte);
    }
  }
  return literal + "\"";
}

bool is_plain_name(std::string_view name) noexcept {
  return std::ranges::all_of(name, [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '_' || byte == '-';
  });
}

bool is_function_name(std::string_view name) noexcept {
  return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '_';
  });
}

/// Of the names alone: the last one that was made may be empty yet.
Result<std::int64_t, std::string> last_number(const std::string& directory) {
  std::int64_t last = 0;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename().string();
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    if (name.ends_with(".sql")) {
      last = std::max(last, parse_integer<std::int64_t>(name.substr(0, digits)).value_or(0));
    }
  }
  return failed ? Result<std::int64_t, std::string>(
                      fail(directory + ": [unreadable] " + failed.message() + ": name another"))
                : last;
}

void add_file(std::string& source, const std::string& name, const MigrationScript& script) {
  source += fmt::format("    {{{},\n    {}}},\n", to_literal(name), to_literal(script.sql));
}

}  // namespace

Result<std::string, std::string> make_migration(const DbWanted& wanted) {
  if (!is_plain_name(wanted.name)) {
    return fail(fmt::format("{} is no name: letters, digits, '_' and '-'", wanted.name));
  }
  std::error_code failed;
  std::filesystem::create_directories(wanted.migrations, failed);
  const auto last = last_number(wanted.migrations);
  if (!last) {
    return fail(last.error());
  }
  const std::int64_t number = *last + 1;
  const std::string path = fmt::format("{}/{:04}_{}", wanted.migrations, number, wanted.name);
  const auto made = write_text_file(path + ".sql", "-- " + wanted.name + "\n");
  const auto with_down =
      made && wanted.with_down ? write_text_file(path + ".down.sql", "-- takes it back\n") : made;
  return with_down ? Result<std::string, std::string>(path + ".sql") : fail(with_down.error());
}

Result<void, std::string> embed_migrations(const DbWanted& wanted) {
  const auto migrations = read_migrations(wanted.migrations);
  if (!migrations) {
    return fail(migrations.error());
  }
  const std::filesystem::path out(wanted.out);
  const std::string name = out.filename().string();
  if (!is_function_name(name)) {
    return fail(fmt::format("--out {}: {} is to be a function's name: letters, digits and '_'",
                            wanted.out, name));
  }
  std::string files;
  for (const Migration& migration : *migrations) {
    add_file(files, migration.name + ".sql", migration.up);
    if (migration.down) {
      add_file(files, migration.name + ".down.sql", *migration.down);
    }
  }
  const std::string header = fmt::format(
      "// The migrations of this program. Made by eider db embed.\n#pragma once\n\n"
      "#include <eider/database.h>\n\neider::Migrations {}();\n",
      name);
  const std::string source = fmt::format(
      "#include \"{0}.h\"\n\n#include <vector>\n\neider::Migrations {0}() {{\n"
      "  static const std::vector<eider::MigrationFile> kFiles{{\n{1}  }};\n"
      "  return eider::embedded_migrations(kFiles);\n}}\n",
      name, files);
  std::error_code failed;
  std::filesystem::create_directories(out.parent_path(), failed);
  const auto written = write_if_new(wanted.out + ".h", header);
  return written ? write_if_new(wanted.out + ".cc", source) : written;
}

}  // namespace eider
