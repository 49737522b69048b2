// What the pages about databases take for granted.
// Must not be compiled by itself: see common.h.
#pragma once

#include "common.h"

namespace docs::cache_page {

struct Price {
  int cents;
};
struct Prices {
  std::vector<Price> all;
};
Task<Prices> prices_of(Database database);
Task<> store(Database database, int id, Price price);

}  // namespace docs::cache_page

namespace docs::crud_page {

struct User {
  std::string name;
  static constexpr bool kIsProvided = true;
};
struct Writer : User {};
extern const LeftOut notes;  // db::Records<Note>

}  // namespace docs::crud_page

namespace docs::database_page {

struct Copy {
  std::string shelf;
};
struct User {
  std::int64_t id;
  std::string name;
};
struct Line {
  int number;
  std::string title;
};
extern const std::int64_t id, from, to, cents;
extern const std::vector<std::int64_t> ids;
extern const std::vector<Line> lines;
extern std::vector<int> refused;
extern Transaction& all;

template <class T>
Task<> index(T book);

}  // namespace docs::database_page

namespace docs::mariadb_page {

struct NewBook {
  std::string title;
};
extern const std::vector<NewBook> list;

}  // namespace docs::mariadb_page

namespace docs::checked_sql_page {

struct Note {
  std::int64_t id;
  std::string title;
  std::string author;
};
extern std::int64_t id;

}  // namespace docs::checked_sql_page

namespace docs::migrations_page {

std::vector<Migration> shop_migrations();

}  // namespace docs::migrations_page

namespace docs::paging_page {

struct Note {
  std::int64_t id;
  std::string changed;
};
struct Store {
  Task<std::vector<Note>> some(std::int64_t count, std::int64_t offset);
  Task<std::int64_t> count();
  template <class Place>
  Task<std::vector<Note>> behind(std::optional<Place> place, std::int64_t count);
};
struct ListPage {
  std::vector<Note> notes;
  PageLinks pages;
};
extern const Paging paging;
extern Query<PageQuery<20, 100>> query;
extern State<Views> views;
extern std::vector<Note> notes;
extern const std::int64_t total;

}  // namespace docs::paging_page

namespace docs::postgres_page {

App make_app(Database database);
std::vector<Migration> shop_migrations();

struct Book {
  std::int64_t id;
  std::string title;
  std::optional<int> year;
};
struct NewBook {
  std::string title;
};
extern const std::vector<NewBook> list;
extern const std::vector<std::int64_t> ids;
extern const std::vector<int> counts;

}  // namespace docs::postgres_page

namespace docs::redis_page {

struct Entry {
  std::string id;
  std::map<std::string, std::string> values;
};
void use(const std::string& name, int visits);

}  // namespace docs::redis_page
