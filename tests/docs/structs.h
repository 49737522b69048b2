// What the pages about structs, forms and pages for people take for granted. Must not be compiled
// by itself: see common.h.
#pragma once

#include "common.h"

namespace docs::forms_page {

struct Store {
  Task<bool> has(std::string title);
  template <class T>
  Task<> add(T note);
};

}  // namespace docs::forms_page

namespace docs::kinds_page {

struct Between {
  std::chrono::year_month_day from;
  std::chrono::year_month_day to;
};
class Isbn {
 public:
  static std::optional<Isbn> from_digits(std::string_view text);
  std::string digits() const;
};
enum class Level { in_progress, done };

}  // namespace docs::kinds_page

namespace docs::languages_page {

struct Store {
  int count();
};
struct Bill {
  std::chrono::sys_seconds made_at;
  std::string total;
};
struct Bills {
  Bill latest();
};

}  // namespace docs::languages_page

namespace docs::rules_page {

struct User {
  int id;
};
struct NewUser {
  Length<std::string, 1, 30> name;
};
struct Users {
  Task<bool> has(std::string name);
  Task<User> add(NewUser user);
};

}  // namespace docs::rules_page

namespace docs::structs_page {

struct Issue {
  std::int64_t id;
  std::string title;
};
struct Issues {
  Issue find(std::int64_t id);
  void put(std::int64_t id, Issue issue);
};

}  // namespace docs::structs_page

namespace docs::templates_page {

struct Note {
  std::string title;
};
struct NotePage {
  Note note;
  std::vector<std::string> comments;
};
struct ListPage {
  std::vector<Note> notes;
};
struct Store {
  Note find(std::int64_t id);
  std::vector<std::string> comments(std::int64_t id);
  std::vector<Note> all();
};
namespace notes {
std::string shout(std::string_view text);
}

}  // namespace docs::templates_page
