// expect: Urls::of needs a value for each path parameter of the handler, in the same order
#include <eider/eider.h>
using namespace eider;
std::string show(int id) { return std::to_string(id); }
#ifdef FIXED
std::string link(const App& app) { return app.urls().of(&show, 7); }
#else
std::string link(const App& app) { return app.urls().of(&show); }
#endif
