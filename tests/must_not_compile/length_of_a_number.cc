// expect: for a number, use Range<T, Min, Max>
#include <eider/eider.h>
struct Note {
#ifdef FIXED
  eider::Range<int, 1, 5> stars;
#else
  eider::Length<int, 1, 5> stars;
#endif
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Note> note) { return *note->stars; }); }
