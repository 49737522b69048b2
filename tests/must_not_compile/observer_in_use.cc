// expect: with App::observe()
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void note(App& app) { app.observe(access_log()); }
#else
void note(App& app) { app.use(access_log()); }
#endif
