// `eider db structs`: reads the tables, and writes or compares the header.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "cli/commands.h"
#include "cli/db/connect.h"
#include "cli/db/options.h"
#include "cli/db/scratch.h"
#include "cli/db/structs/source.h"
#include "cli/files.h"
#include "cli/openapi_client/clients.h"
#include "cli/project/words.h"

namespace eider {
namespace {

using Tables = Result<std::vector<structs::Table>, std::string>;

std::string_view title_of(db::Dialect dialect) noexcept {
  return dialect == db::Dialect::sqlite     ? "SQLite"
         : dialect == db::Dialect::postgres ? "PostgreSQL"
                                            : "MariaDB";
}

/// Reads the tables. Sets the origin and the command in the options, without the address, which may
/// contain a password.
Tables tables_of_database(const DbWanted& wanted, structs::HeaderOptions& options) {
  const std::string file = sqlite_file_of(wanted.database);
  if (is_sqlite_file(wanted.database) && !std::filesystem::exists(file)) {
    return fail("there is no database " + file);
  }
  const auto database = open_door(wanted.database, Access::reads);
  if (!database) {
    return fail(database.error());
  }
  options.dialect = database->dialect();
  options.origin = fmt::format("a database ({})", title_of(options.dialect));
  options.command = "eider db structs --database URL";
  return structs::read_tables(*database);
}

Tables tables_of_migrations(const DbWanted& wanted, structs::HeaderOptions& options) {
  const CheckedSchema& schema = wanted.schemas.front();
  const auto migrations = migrations_of(schema);
  if (!migrations) {
    return fail(migrations.error());
  }
  const Scratch scratch = make_scratch(schema, *migrations, wanted.server);
  if (!scratch) {
    return fail(scratch.error());
  }
  const auto database = open_door((*scratch)->where(), Access::reads);
  if (!database) {
    return fail(database.error());
  }
  options.dialect = database->dialect();
  options.origin =
      fmt::format("the migrations in {} ({})", schema.migrations, title_of(options.dialect));
  options.command = fmt::format("eider db structs --{} {}", schema.database, schema.migrations);
  return structs::read_tables(*database);
}

std::string user_file_of(const std::filesystem::path& out) {
  return (out.parent_path() / (out.stem().string() + "_user" + out.extension().string())).string();
}

/// Returns an error if the header or the user's file cannot have their names; otherwise an empty
/// text.
std::string fault_of_out(const std::string& out) {
  std::error_code failed;
  const std::string name = std::filesystem::path(out).filename().string();
  if (name.empty() || name == "." || name == ".." || std::filesystem::is_directory(out, failed)) {
    return "--out must be a file, such as src/tables.h, not the directory " + out;
  }
  if (out == "-") {
    return "--out must be a file, because the user's file is created next to it; not -";
  }
  // The header includes the user's file, so its name must be valid in an #include.
  return std::ranges::all_of(name,
                             [](char byte) { return byte != '"' && byte != '\\' && byte >= ' '; })
             ? ""
             : "--out must be a file name without quotes, backslashes and control characters";
}

int report_differences(const std::string& out, std::string_view now) {
  auto before = read_text_file(out);
  if (!before) {
    return command_fault("db", before.error() + ". Run eider db structs without --check.");
  }
  std::erase(*before, '\r');  // Git may write CR LF
  if (*before == now) {
    return kCommandDone;
  }
  const std::vector<std::string> differences = structs::differences_of(*before, now);
  for (const std::string& difference : differences) {
    fmt::print("{}\n", difference);
  }
  return command_fault(
      "db", differences.empty()
                ? out +
                      " has the same columns, but other text: it was edited, or other options, "
                      "the user's file or the version of eider have changed. Run eider db structs "
                      "again."
                : fmt::format("{} differs from the tables. Run eider db structs again.", out));
}

int write_header(const std::string& out, const std::string& user_file, std::string_view text) {
  std::error_code failed;
  const std::filesystem::path directory = std::filesystem::path(out).parent_path();
  if (!directory.empty()) {
    std::filesystem::create_directories(directory, failed);
  }
  auto written =
      std::filesystem::exists(user_file)
          ? Result<void, std::string>()
          : write_text_file(user_file, structs::new_changes_file(
                                           std::filesystem::path(out).filename().string()));
  written = written ? write_if_new(out, text) : written;
  return written ? kCommandDone : command_fault("db", written.error());
}

}  // namespace

int write_structs(const DbWanted& wanted) {
  if (!openapi_client::is_cpp_name(wanted.name_space)) {
    return command_fault("db", "--namespace must be a C++ name, not " + wanted.name_space,
                         kCommandMisused);
  }
  if (const std::string fault = fault_of_out(wanted.out); !fault.empty()) {
    return command_fault("db", fault, kCommandMisused);
  }
  structs::HeaderOptions options{.name_space = wanted.name_space};
  const Tables tables =
      wanted.is_read ? tables_of_database(wanted, options) : tables_of_migrations(wanted, options);
  if (!tables) {
    fmt::print(stderr, "{}\n", tables.error());
    if (!wanted.is_read && wanted.schemas.front().database == "sqlite") {
      fmt::print(stderr,
                 "The migrations were applied to SQLite. For those of another database, add "
                 "--postgres DIRECTORY or --mariadb DIRECTORY.\n");
    }
    return kCommandFailed;
  }
  const std::string user_file = user_file_of(wanted.out);
  options.user_file = std::filesystem::path(user_file).filename().string();
  options.command += wanted.name_space == "tables" ? "" : " --namespace " + wanted.name_space;
  options.command += " --out " + wanted.out;
  const auto text = std::filesystem::exists(user_file) ? read_text_file(user_file)
                                                       : Result<std::string, std::string>("");
  if (!text) {
    return command_fault("db", text.error());
  }
  const auto changes = structs::read_changes(*text, user_file, *tables);
  if (!changes) {
    fmt::print(stderr, "{}\n", changes.error());
    return kCommandFailed;
  }
  const structs::GeneratedHeader header = structs::generate_header(*tables, *changes, options);
  for (const std::string& note : header.notes) {
    fmt::print(stderr, "note: {}\n", note);
  }
  return wanted.is_check ? report_differences(wanted.out, header.text)
                         : write_header(wanted.out, user_file, header.text);
}

}  // namespace eider
