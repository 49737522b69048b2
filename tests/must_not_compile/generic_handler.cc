// expect: a handler must be a function or a lambda with explicit parameter types
#include <eider/eider.h>
#ifdef FIXED
void routes(eider::App& app) { app.get("/{id}", [](int id) { return id; }); }
#else
void routes(eider::App& app) { app.get("/{id}", [](auto id) { return id; }); }
#endif
