// expect: kAbout speaks of a member that is not there
#include <eider/eider.h>
using namespace eider;
struct Note {
  std::string title;
#ifdef FIXED
  static constexpr MemberText kAbout[] = {{"title", "what it is about"}};
#else
  static constexpr MemberText kAbout[] = {{"tilte", "what it is about"}};
#endif
};
void routes(App& app) { app.get("/", [] { return Note{}; }); }
