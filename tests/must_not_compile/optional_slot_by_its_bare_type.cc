// expect: A value from a guard is std::optional<Extension<T>>
#include <eider/eider.h>
using namespace eider;
struct Caller { int id; };
#ifdef FIXED
void routes(App& app) { app.get("/", [](std::optional<Extension<Caller>>) { return 7; }); }
#else
void routes(App& app) { app.get("/", [](std::optional<Caller>) { return 7; }); }
#endif
