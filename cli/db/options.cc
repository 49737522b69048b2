#include "cli/db/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "cli/db/connect.h"
#include "cli/project/words.h"
#include "eider/core/base/text.h"

namespace eider {
namespace {

using Taken = Result<void, std::string>;

constexpr auto kActions =
    std::to_array<std::string_view>({"new", "status", "up", "down", "seed", "structs", "check",
                                     "header", "snapshot", "shell", "embed"});

void take(std::string& into, std::optional<std::string> said) {
  if (said) {
    into = std::move(*said);
  }
}

Taken take_unfinished(DbWanted& wanted, CommandWords& words) {
  using Unfinished = MigrateOptions::Unfinished;
  const auto said = words.value("--unfinished", "rerun|mark-done");
  if (said && *said != "rerun" && *said != "mark-done") {
    return fail(std::string("--unfinished must be rerun or mark-done"));
  }
  if (said) {
    wanted.migrate.unfinished = *said == "rerun" ? Unfinished::rerun : Unfinished::mark_done;
  }
  return {};
}

void take_numbers(DbWanted& wanted, CommandWords& words) {
  constexpr std::int64_t kNumberMax = 1'000'000'000'000'000'000;
  constexpr std::int64_t kWaitMax = 86'400;
  if (const auto last = words.number("--to", "NUMBER", {0, kNumberMax, "a number"})) {
    wanted.migrate.last = *last;
  }
  if (const auto wait = words.number("--wait", "NUMBER", {0, kNumberMax, "a number"})) {
    wanted.migrate.wait_max = std::chrono::seconds(std::min(*wait, kWaitMax));
  }
}

Taken take_schemas(DbWanted& wanted, CommandWords& words) {
  for (const std::string_view option : {"--sqlite", "--postgres", "--mariadb"}) {
    const auto said = words.values(option, "DIRECTORY");
    if (said.size() > 1) {
      return fail(fmt::format("{} is given more than once", option));
    }
    if (!said.empty()) {
      wanted.schemas.push_back({std::string(option.substr(2)), said.front()});
    }
  }
  return {};
}

/// Reads the remaining arguments: the name for `new`, the sources for `check`.
Taken take_rest(DbWanted& wanted, CommandWords& words) {
  const bool is_check = wanted.what == "check";
  const bool is_new = wanted.what == "new";
  auto rest = words.rest(is_check ? "sources"
                         : is_new ? "one name"
                                  : "",
                         is_check ? 100'000 : is_new);
  if (!rest) {
    return fail(std::move(rest.error()));
  }
  if (is_new && !rest->empty()) {
    wanted.name = rest->front();
  } else {
    wanted.files = std::move(*rest);
  }
  return {};
}

/// Structs are generated from migrations unless --database is given: DATABASE_URL may be any
/// database.
Taken take_structs(DbWanted& wanted, CommandWords& words) {
  wanted.is_check = words.flag("--check");
  take(wanted.name_space, words.value("--namespace", "NAME"));
  if (Taken taken = take_schemas(wanted, words); !taken) {
    return taken;
  }
  wanted.is_read = !wanted.database.empty();
  if (wanted.is_read ? !wanted.schemas.empty() : wanted.schemas.size() > 1) {
    return fail(std::string("use only one of --database, --sqlite, --postgres and --mariadb"));
  }
  wanted.out = wanted.out.empty() ? "src/tables.h" : wanted.out;
  return {};
}

Taken take_all(DbWanted& wanted, CommandWords& words) {
  if (wanted.what == "structs") {
    wanted.database.clear();
  }
  wanted.with_down = wanted.what == "new" && words.flag("--down");
  wanted.is_json = wanted.what == "status" && words.flag("--json");
  if (wanted.what == "seed") {
    take(wanted.seeds, words.value("--seeds", "DIRECTORY"));
    wanted.is_production = words.flag("--production");
  }
  take(wanted.database, words.value("--database", "WHERE"));
  take(wanted.migrations, words.value("--migrations", "DIRECTORY"));
  take(wanted.out, words.value("--out", "FILE"));
  take(wanted.lock, words.value("--lock", "FILE"));
  take(wanted.server, words.value("--server", "WHERE"));
  take_numbers(wanted, words);
  Taken taken = take_unfinished(wanted, words);
  if (taken && (wanted.what == "check" || wanted.what == "header")) {
    taken = take_schemas(wanted, words);
  }
  if (taken && wanted.what == "structs") {
    taken = take_structs(wanted, words);
  }
  return taken ? take_rest(wanted, words) : taken;
}

/// Returns the error for a missing argument of the action.
std::optional<std::string> missing(const DbWanted& wanted) {
  if (wanted.what == "new") {
    return wanted.name.empty() ? std::optional<std::string>("no name given for the migration")
                               : std::nullopt;
  }
  if (wanted.what == "check") {
    return wanted.files.empty() ? std::optional<std::string>("no source files given")
                                : std::nullopt;
  }
  if (wanted.what == "embed" || wanted.what == "header") {
    return wanted.out.empty() ? std::optional<std::string>("no output file given: use --out FILE")
                              : std::nullopt;
  }
  if (wanted.what == "structs" && !wanted.is_read) {
    return std::nullopt;
  }
  if (wanted.database.empty()) {
    return "no database given: use --database or DATABASE_URL";
  }
  const std::size_t end = wanted.database.find("://");
  if (end != std::string::npos && is_sqlite_file(wanted.database)) {
    return fmt::format(
        "unknown database {}://: use postgresql://…, mysql://… or the name of an SQLite file",
        wanted.database.substr(0, end));
  }
  return std::nullopt;
}

}  // namespace

Result<DbWanted, std::string> db_wanted(std::span<const std::string_view> arguments) {
  auto action = read_action("db", arguments, kActions);
  if (!action) {
    return fail(std::move(action.error()));
  }
  DbWanted wanted{.what = std::move(*action)};
  if (const char* said = std::getenv("DATABASE_URL")) {
    wanted.database = said;
  }
  if (const char* said = std::getenv("EIDER_CHECK_SERVER")) {
    wanted.server = said;
  }
  CommandWords words(arguments.subspan(1));
  if (Taken taken = take_all(wanted, words); !taken) {
    return fail(std::move(taken.error()));
  }
  if (auto what = missing(wanted)) {
    return fail(std::move(*what));
  }
  if (wanted.schemas.empty()) {
    wanted.schemas.push_back({"sqlite", wanted.migrations});
  }
  return wanted;
}

}  // namespace eider
