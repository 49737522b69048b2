// expect: write JSON with json::to_text(value)
#include <eider/eider.h>
struct Note {
  std::string title;
};
#ifdef FIXED
std::string text(const Note& note) { return eider::json::to_text(note); }
#else
std::string text(const Note& note) { return eider::json::stringify(note); }
#endif
