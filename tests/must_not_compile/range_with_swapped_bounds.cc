// expect: the minimum of a Bounded must not exceed its maximum
#include <eider/eider.h>
#ifdef FIXED
using Stars = eider::Bounded<int, 0, 5>;
#else
using Stars = eider::Bounded<int, 5, 0>;
#endif
struct Note {
  Stars stars = 0;
};
void routes(eider::App& app) {
  app.post("/", [](eider::Json<Note> note) { return *note->stars; });
}
