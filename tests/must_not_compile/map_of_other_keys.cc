// expect: a map can be described only if its keys are std::string
#include <eider/eider.h>
#include <map>
#include <string>
#ifdef FIXED
using Key = std::string;
#else
using Key = int;
#endif
void routes(eider::App& app) { app.get("/", [] { return std::map<Key, int>(); }); }
