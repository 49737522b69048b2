// expect: this guard has more path parameters than the handler of its route
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.get("/{id}", [](int) {}).guard([](int) {}); }
#else
void routes(App& app) { app.get("/{id}", [](int) {}).guard([](int, int) {}); }
#endif
