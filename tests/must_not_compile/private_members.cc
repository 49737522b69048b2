// expect: use a plain struct without constructors and private members
#include <eider/eider.h>
#include <string>
class Note {
#ifdef FIXED
 public:
#endif
  std::string title;
};
void routes(eider::App& app) { app.get("/", [] { return Note(); }); }
