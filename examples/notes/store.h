// Reads and writes notes in the database.
// Layering: must not know HTTP.
#pragma once

#include <eider/database.h>
#include <eider/eider.h>
#include <eider/forms.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace notes {

struct Note {
  std::int64_t id;
  std::string title;
  std::string body;
  int stars;
  std::string written;  // "2026-01-31T12:00:00Z"
  std::string changed;
};

/// A note without the generated columns: as JSON, and as a form.
struct NewNote {
  eider::Validated<std::string,
                   eider::Matches<"[\\s\\S]*[^ \\t\\r\\n][\\s\\S]*", "Give the note a title.">,
                   eider::HasLength<0, 200>>
      title;
  eider::Sized<std::string, 0, 20000> body;
  std::optional<eider::Bounded<int, 0, 5>> stars;

  static constexpr eider::MemberText kDocs[] = {{"title", "Topic of the note.", "Milk"},
                                                {"body", "Text of the note.", "Two bottles."},
                                                {"stars", "Importance, 0 to 5; default: 0.", "3"}};
  static constexpr eider::FieldText kFormFields[] = {
      {.member = "title", .autocomplete = "off"},
      {.member = "body", .label = "Note", .control = eider::Control::textarea},
      {.member = "stars", .control = eider::Control::radios}};
};

/// One page of the list, the last changed note first.
struct Listing {
  std::vector<Note> notes;
  int page;
  int per_page;
  std::int64_t total;
};

class Store {
 public:
  explicit Store(eider::Database database) : database_(std::move(database)) {}

  [[nodiscard]] eider::Task<Listing> list(int page, int per_page) const;
  [[nodiscard]] eider::Task<std::optional<Note>> find(std::int64_t id) const;
  [[nodiscard]] eider::Task<Note> add(NewNote note) const;
  /// Returns nothing if the note does not exist; so do the next two.
  [[nodiscard]] eider::Task<std::optional<Note>> replace(std::int64_t id, NewNote note) const;
  [[nodiscard]] eider::Task<bool> set_stars(std::int64_t id, int stars) const;
  [[nodiscard]] eider::Task<bool> remove(std::int64_t id) const;

 private:
  eider::Database database_;
};

/// Adds the store as a state, and migrates its schema before the first request.
void add_store(eider::App& app, const eider::Database& database);

}  // namespace notes
