#include "eider/data/db/migrations/history.h"

#include <algorithm>
#include <string_view>

namespace eider::db {
namespace {

/// Takes a line from the front.
std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string quoted_line(std::string_view line, bool is_there) {
  return is_there ? "'" + std::string(line) + "'" : "not there";
}

/// "line 3 was 'a', and is 'b'"
std::string first_difference(std::string_view before, std::string_view now) {
  for (std::size_t line = 1; !before.empty() || !now.empty(); ++line) {
    const bool was_there = !before.empty();
    const bool is_there = !now.empty();
    const std::string_view old_line = take_line(before);
    const std::string_view new_line = take_line(now);
    if (old_line != new_line || was_there != is_there) {
      return "line " + std::to_string(line) + " was " + quoted_line(old_line, was_there) +
             ", and is " + quoted_line(new_line, is_there);
    }
  }
  return "it ends in another way";
}

bool has(const History& history, std::int64_t number) noexcept {
  return std::ranges::find(history, number, &AppliedMigration::number) != history.end();
}

void add_fault(std::string& faults, const std::string& name, std::string_view what) {
  faults += faults.empty() ? "" : "\n";
  faults.append(name).append(".sql: ").append(what);
}

void check_applied(std::string& faults, const AppliedMigration& applied, const Migration& now) {
  if (applied.is_unfinished()) {
    return;
  }
  if (now.checksum != applied.checksum) {
    add_fault(faults, now.name,
              "[edited] it was applied on " + applied.begun + ", and since then " +
                  first_difference(applied.sql, now.up.sql) +
                  ": put it back as it was, and write the change as a new migration");
  } else if (now.name != applied.name) {
    add_fault(faults, now.name,
              "[renamed] it was applied as " + applied.name + ".sql: give it that name again");
  }
}

}  // namespace

const Migration* find(const Migrations& migrations, std::int64_t number) noexcept {
  const auto found = std::ranges::find(migrations, number, &Migration::number);
  return found == migrations.end() ? nullptr : &*found;
}

std::string faults_of_history(const History& history, const Migrations& migrations,
                              bool accepts_newer) {
  const std::int64_t last_known = migrations.empty() ? 0 : migrations.back().number;
  const std::int64_t last_applied = history.empty() ? 0 : history.back().number;
  std::string faults;
  for (const AppliedMigration& applied : history) {
    if (const Migration* now = find(migrations, applied.number)) {
      check_applied(faults, applied, *now);
    } else if (!accepts_newer || applied.number < last_known) {
      add_fault(faults, applied.name,
                "[missing] it was applied on " + applied.begun +
                    ", and is no file any more: bring it back, or run a program that knows it");
    }
  }
  for (const Migration& migration : migrations) {
    if (migration.number < last_applied && !has(history, migration.number)) {
      add_fault(faults, migration.name,
                "[order] it is new, and " + history.back().name +
                    " was applied already: give it a number above that");
    }
  }
  return faults;
}

const AppliedMigration* unfinished_in(const History& history) noexcept {
  const auto found = std::ranges::find_if(history, &AppliedMigration::is_unfinished);
  return found == history.end() ? nullptr : &*found;
}

const Migration* next_of(const Migrations& migrations, const History& history) noexcept {
  const auto found = std::ranges::find_if(migrations, [&](const Migration& migration) {
    return history.empty() || migration.number > history.back().number;
  });
  return found == migrations.end() ? nullptr : &*found;
}

}  // namespace eider::db
