// expect: a parameter of this type is no value of a path
#include <eider/eider.h>
#ifdef FIXED
using Ids = int;
#else
using Ids = std::vector<int>;
#endif
void routes(eider::App& app) { app.get("/{ids}", [](Ids) { return "ok"; }); }
