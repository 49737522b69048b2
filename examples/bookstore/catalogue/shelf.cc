#include "catalogue/shelf.h"

namespace bookstore {

namespace {

template <class T>
struct Word {
  T value;
  std::string_view name;
  std::string_view english;
};

constexpr Word<Genre> kGenres[] = {{Genre::novel, "novel", "Novels"},
                                   {Genre::crime, "crime", "Crime"},
                                   {Genre::science, "science", "Science"},
                                   {Genre::history, "history", "History"},
                                   {Genre::computing, "computing", "Computing"},
                                   {Genre::poetry, "poetry", "Poetry"},
                                   {Genre::children, "children", "For children"}};

constexpr Word<Sort> kSorts[] = {{Sort::title, "title", "Title"},
                                 {Sort::author, "author", "Author"},
                                 {Sort::newest, "newest", "Newest first"},
                                 {Sort::cheapest, "cheapest", "Cheapest first"},
                                 {Sort::dearest, "dearest", "Dearest first"},
                                 {Sort::best, "best", "Best rated"}};

template <class T, std::size_t N>
const Word<T>& word_of(const Word<T> (&words)[N], T value) {
  return words[static_cast<std::size_t>(value)];
}

}  // namespace

std::string genre_word(Genre genre, const ReaderLanguage& language) {
  return language.text(word_of(kGenres, genre).english);
}

std::vector<Choice> genre_choices(const BookQuery& query, const ReaderLanguage& language) {
  std::vector<Choice> choices = {{"", language.text("All"), !query.genre}};
  for (const auto& [value, name, english] : kGenres) {
    choices.push_back({std::string(name), language.text(english), query.genre == value});
  }
  return choices;
}

std::vector<Choice> sort_choices(const BookQuery& query, const ReaderLanguage& language) {
  std::vector<Choice> choices;
  for (const auto& [value, name, english] : kSorts) {
    choices.push_back({std::string(name), language.text(english), query.sort == value});
  }
  return choices;
}

}  // namespace bookstore
