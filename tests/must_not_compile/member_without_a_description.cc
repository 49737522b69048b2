// expect: Note::file)>]
// clang: MemberOf<Note, &phantom.value.file>
#include <eider/eider.h>
#include <filesystem>
#include <string>
struct Note {
  std::string title;
#ifdef FIXED
  std::string file;
#else
  std::filesystem::path file;
#endif
};
void routes(eider::App& app) { app.get("/", [] { return Note{}; }); }
