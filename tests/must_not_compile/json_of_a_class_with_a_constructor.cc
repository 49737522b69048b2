// expect: only default-constructible types can be read: write a plain struct without constructors
#include <eider/eider.h>
#include <string>
#include <utility>
struct Note {
#ifndef FIXED
  explicit Note(std::string text) : title(std::move(text)) {}
#endif
  std::string title;
};
void routes(eider::App& app) {
  app.post("/", [](eider::Json<Note> note) { return note->title; });
}
