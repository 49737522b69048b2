// expect: Urls::of takes the values of the path that the handler takes, in their order
#include <eider/eider.h>
using namespace eider;
std::string show(int id) { return std::to_string(id); }
#ifdef FIXED
std::string link(const App& app) { return app.urls().of(&show, 7); }
#else
std::string link(const App& app) { return app.urls().of(&show); }
#endif
