// expect: kDocs describes a member that the struct does not have
#include <eider/eider.h>
using namespace eider;
struct Note {
  std::string title;
#ifdef FIXED
  static constexpr MemberText kDocs[] = {{"title", "what it is about"}};
#else
  static constexpr MemberText kDocs[] = {{"tilte", "what it is about"}};
#endif
};
void routes(App& app) { app.get("/", [] { return Note{}; }); }
