// The notes in their database.
// Must not know HTTP.
#pragma once

#include <eider/db/database.h>
#include <eider/db/sqlite/sqlite.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace notes {

inline constexpr int kPageMax = 1'000'000;

struct Note {
  std::int64_t id;
  std::string title;
  std::string body;
  int stars;
  std::string written;  // "2026-01-31T12:00:00Z"
  std::string changed;
};

/// A note without what the database gives it.
struct Draft {
  std::string title;
  std::string body;
  int stars = 0;
};

/// One page of all notes, the last changed first.
struct Listing {
  std::vector<Note> notes;
  int page;
  int per_page;
  std::int64_t total;
};

/// options  its schema is ours
[[nodiscard]] eider::Result<eider::Database, std::string> open_database(
    const std::string& file, eider::SqliteOptions options = {});

class Store {
 public:
  explicit Store(eider::Database database) : database_(std::move(database)) {}

  [[nodiscard]] eider::Task<Listing> list(int page, int per_page) const;
  [[nodiscard]] eider::Task<std::optional<Note>> find(std::int64_t id) const;
  [[nodiscard]] eider::Task<Note> add(Draft draft) const;
  /// Nothing when there is no such note; so in the two below.
  [[nodiscard]] eider::Task<std::optional<Note>> replace(std::int64_t id, Draft draft) const;
  [[nodiscard]] eider::Task<bool> set_stars(std::int64_t id, int stars) const;
  [[nodiscard]] eider::Task<bool> remove(std::int64_t id) const;

 private:
  eider::Database database_;
};

}  // namespace notes
