// expect: a view can be written, but not read
#include <eider/eider.h>
#ifdef FIXED
using Text = std::string;
#else
using Text = std::string_view;
#endif
struct Note {
  Text title;
};
void routes(eider::App& app) {
  app.post("/", [](eider::Json<Note> note) { return note->title.size(); });
}
