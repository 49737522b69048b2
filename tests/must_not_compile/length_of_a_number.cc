// expect: for a number, use Bounded<T, Min, Max>
#include <eider/eider.h>
struct Note {
#ifdef FIXED
  eider::Bounded<int, 1, 5> stars;
#else
  eider::Sized<int, 1, 5> stars;
#endif
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Note> note) { return *note->stars; }); }
