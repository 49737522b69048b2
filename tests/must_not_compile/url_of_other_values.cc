// expect: a value does not have the type of the handler's path parameter
#include <eider/eider.h>
using namespace eider;
std::string show(int id) { return std::to_string(id); }
#ifdef FIXED
std::string link(const App& app) { return app.urls().of(&show, 7); }
#else
std::string link(const App& app) { return app.urls().of(&show, "seven"); }
#endif
