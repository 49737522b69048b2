// expect: a parameter of this type cannot be a path parameter
#include <eider/eider.h>
#ifdef FIXED
using Ids = int;
#else
using Ids = std::vector<int>;
#endif
void routes(eider::App& app) { app.get("/{ids}", [](Ids) { return "ok"; }); }
