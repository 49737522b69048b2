// expect: eider: a rule for T needs `static bool check(const T& value)` and `static Requirement
#include <eider/eider.h>

#include <cstdint>
struct Note {
#ifdef FIXED
  eider::Validated<std::int64_t, eider::InRange<std::int64_t, 1, 5>> stars;
#else
  eider::Validated<std::int64_t, eider::InRange<int, 1, 5>> stars;
#endif
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Note> note) { return *note->stars; }); }
