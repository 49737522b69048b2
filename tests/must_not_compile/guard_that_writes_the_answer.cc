// expect: a guard cannot send a response
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.guard([](const Request&) {}); }
#else
void routes(App& app) { app.guard([](EventStream) {}); }
#endif
