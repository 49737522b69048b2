// expect: RuntimePattern{text}
#include <eider/eider.h>
#include <string>
using namespace eider;
#ifdef FIXED
void routes(App& app, std::string path) { app.get(RuntimePattern{path}, [] { return "x"; }); }
#else
void routes(App& app, std::string path) { app.get(path, [] { return "x"; }); }
#endif
