#include "eider/data/db/migrations/told.h"

#include <algorithm>
#include <string_view>

namespace eider::db {
namespace {

/// Of a refused statement's cause, which has the statement behind it.
constexpr std::size_t kCauseBytesMax = 500;

std::string word_of(Way way) {
  return way == Way::up ? "up" : "down";
}

}  // namespace

std::string told_fault(const std::string& name, const std::string& key, const std::string& what) {
  return name + ".sql: [" + key + "] " + what;
}

std::string told_at(const Migration& migration, Way way, std::size_t line, const std::string& key,
                    const std::string& what) {
  return file_name(migration, way) + ":" + std::to_string(line) + ": [" + key + "] " + what;
}

std::string file_name(const Migration& migration, Way way) {
  return migration.name + (way == Way::up ? ".sql" : ".down.sql");
}

std::string cause_of(const Failure& failure) {
  const std::string_view told = failure.what();
  // MariaDB repeats what it does not understand.
  const std::size_t repeated = told.find(" for the right syntax to use near ");
  std::size_t end = std::min({told.find(", in: "), repeated, kCauseBytesMax});
  while (end < told.size() && (static_cast<unsigned char>(told[end]) & 0xC0U) == 0x80U) {
    --end;  // not in the midst of a letter
  }
  return std::string(told.substr(0, end));
}

std::string told_unusable(const Failure& failure) {
  return std::string("The database cannot be used: ") + failure.what();
}

std::string told_locked() {
  return "eider_migrations: [locked] another deployer, or another writer, holds the database: "
         "try again when it has ended";
}

std::string told_unfinished(const AppliedMigration& unfinished) {
  const std::string way = word_of(unfinished.is_going_down() ? Way::down : Way::up);
  return unfinished.name + (unfinished.is_going_down() ? ".down" : "") +
         ".sql: [unfinished] it was begun on " + unfinished.begun +
         " outside of a transaction and has not ended: another deployer is at it, or was broken "
         "off. Look what of it took effect, then run it again (eider db " +
         way + " --unfinished again) or take it as done (eider db " + way + " --unfinished done)";
}

std::string told_what_stands(Way way) {
  return "; what stands above that line took effect and stays: mend the file so that it can be run "
         "once more as a whole (eider db " +
         word_of(way) + " --unfinished again), or do the rest by hand (--unfinished done)";
}

}  // namespace eider::db
