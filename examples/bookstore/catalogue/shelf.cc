#include "catalogue/shelf.h"

#include <eider/languages.h>

#include <string_view>

namespace bookstore {

using namespace eider;

namespace {

template <class T>
struct Named {
  T value;
  std::string_view name;
};

constexpr Named<Genre> kGenres[] = {{Genre::novel, "novel"},         {Genre::crime, "crime"},
                                    {Genre::science, "science"},     {Genre::history, "history"},
                                    {Genre::computing, "computing"}, {Genre::poetry, "poetry"},
                                    {Genre::children, "children"}};

constexpr Named<Sort> kSorts[] = {{Sort::title, "title"},
                                  {Sort::author, "author"},
                                  {Sort::newest, "newest"},
                                  {Sort::cheapest, "cheapest"},
                                  {Sort::most_expensive, "most_expensive"},
                                  {Sort::best, "best"}};

/// Adds choices with the labels that templates and forms also use.
template <class T, std::size_t N>
void add_choices(std::vector<Choice>& choices, const Named<T> (&all)[N], std::optional<T> chosen,
                 const Translator& tr) {
  for (const auto& [value, name] : all) {
    choices.push_back({std::string(name), tr(label_of(name)), chosen == value});
  }
}

}  // namespace

std::vector<Choice> genre_choices(const BookQuery& query, const Translator& tr) {
  std::vector<Choice> choices = {{"", tr("All"), !query.genre}};
  add_choices<Genre>(choices, kGenres, query.genre, tr);
  return choices;
}

std::vector<Choice> sort_choices(const BookQuery& query, const Translator& tr) {
  std::vector<Choice> choices;
  add_choices<Sort>(choices, kSorts, query.sort, tr);
  return choices;
}

}  // namespace bookstore
