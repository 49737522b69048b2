#include "eider/cli/db/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "eider/base/text.h"
#include "eider/cli/db/doors.h"

namespace eider {
namespace {

using Taken = Result<void, std::string>;

constexpr auto kActions = std::to_array<std::string_view>(
    {"new", "status", "up", "down", "check", "header", "snapshot", "shell", "embed"});

Taken take_unfinished(DbWanted& wanted, std::string_view value) {
  if (value != "again" && value != "done") {
    return fail(std::string("--unfinished has to be again or done"));
  }
  using Unfinished = MigrateOptions::Unfinished;
  wanted.migrate.unfinished = value == "again" ? Unfinished::again : Unfinished::done;
  return {};
}

Taken take_number(DbWanted& wanted, std::string_view option, std::string_view value) {
  const auto number = parse_integer<std::int64_t>(value);
  if (!number || *number < 0 || *number > 1'000'000'000'000'000'000) {
    return fail(fmt::format("{} takes a number, and {} is none", option, value));
  }
  if (option == "--to") {
    wanted.migrate.last = *number;
  } else {
    wanted.migrate.wait_max = std::chrono::seconds(std::min<std::int64_t>(*number, 86'400));
  }
  return {};
}

Taken take_schema(DbWanted& wanted, std::string_view database, std::string_view value) {
  if (std::ranges::find(wanted.schemas, database, &CheckedSchema::database) !=
      wanted.schemas.end()) {
    return fail(fmt::format("--{} says it twice", database));
  }
  wanted.schemas.push_back({std::string(database), std::string(value)});
  return {};
}

Taken take(DbWanted& wanted, std::string_view option, std::string_view value) {
  const bool is_checked = wanted.what == "check" || wanted.what == "header";
  if (is_checked && (option == "--sqlite" || option == "--postgres" || option == "--mariadb")) {
    return take_schema(wanted, option.substr(2), value);
  }
  if (option == "--unfinished") {
    return take_unfinished(wanted, value);
  }
  if (option == "--to" || option == "--wait") {
    return take_number(wanted, option, value);
  }
  if (option == "--database") {
    wanted.database = value;
  } else if (option == "--migrations") {
    wanted.migrations = value;
  } else if (option == "--out") {
    wanted.out = value;
  } else if (option == "--lock") {
    wanted.lock = value;
  } else if (option == "--server") {
    wanted.server = value;
  } else {
    return fail(fmt::format("there is no option {}", option));
  }
  return {};
}

Taken take_all(DbWanted& wanted, std::span<const std::string_view> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--down" && wanted.what == "new") {
      wanted.with_down = true;
    } else if (word == "--json" && wanted.what == "status") {
      wanted.is_json = true;
    } else if (!word.starts_with("--")) {
      if (wanted.what == "check") {
        wanted.files.emplace_back(word);
        continue;
      }
      if (wanted.what != "new" || !wanted.name.empty()) {
        return fail(fmt::format("what is {}? --help tells more", word));
      }
      wanted.name = word;
    } else if (const std::size_t equals = word.find('='); equals != word.npos) {
      if (Taken taken = take(wanted, word.substr(0, equals), word.substr(equals + 1)); !taken) {
        return taken;
      }
    } else if (i + 1 == arguments.size()) {
      return fail(fmt::format("{} takes a value, and none follows it", word));
    } else if (Taken taken = take(wanted, word, arguments[++i]); !taken) {
      return taken;
    }
  }
  return {};
}

/// What the action cannot do without.
std::optional<std::string> missing(const DbWanted& wanted) {
  if (wanted.what == "new") {
    return wanted.name.empty() ? std::optional<std::string>("what is it to be called?")
                               : std::nullopt;
  }
  if (wanted.what == "check") {
    return wanted.files.empty() ? std::optional<std::string>("which sources?") : std::nullopt;
  }
  if (wanted.what == "embed" || wanted.what == "header") {
    return wanted.out.empty() ? std::optional<std::string>("--out has to say where it goes")
                              : std::nullopt;
  }
  if (wanted.database.empty()) {
    return "--database, or DATABASE_URL, has to say which";
  }
  const std::size_t end = wanted.database.find("://");
  if (end != std::string::npos && is_sqlite_file(wanted.database)) {
    return fmt::format(
        "there is no {}://: say postgresql://…, mysql://… or the name of an SQLite file",
        wanted.database.substr(0, end));
  }
  return std::nullopt;
}

}  // namespace

Result<DbWanted, std::string> db_wanted(std::span<const std::string_view> arguments) {
  if (arguments.empty() || std::ranges::find(kActions, arguments.front()) == kActions.end()) {
    return fail(fmt::format(
        "{}; there are {}; eider db --help tells more",
        arguments.empty() ? "which one?" : fmt::format("there is no action {}", arguments.front()),
        fmt::join(kActions, ", ")));
  }
  DbWanted wanted{.what = std::string(arguments.front())};
  if (const char* said = std::getenv("DATABASE_URL")) {
    wanted.database = said;
  }
  if (const char* said = std::getenv("EIDER_CHECK_SERVER")) {
    wanted.server = said;
  }
  if (Taken taken = take_all(wanted, arguments.subspan(1)); !taken) {
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
