// expect: a pointer cannot be described: use a value or a std::optional
#include <eider/eider.h>
#include <memory>
#include <optional>
struct Note {
#ifdef FIXED
  std::optional<int> stars;
#else
  std::shared_ptr<int> stars;
#endif
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Note> note) { return *note; }); }
