// expect: tr needs a translator: add `Translator tr;` to the page's struct
#include <eider/languages.h>
#include <eider/views.h>

struct NotePage {
  std::string title;
#ifdef FIXED
  eider::Translator tr;
#endif
};
/// The generated code for {{ "Notes" | tr }}.
std::string heading(const NotePage& page) {
  return eider::views::translate(eider::views::translator_in(page), "", page.title, {});
}
