// expect: must not capture by reference
#include <eider/eider.h>
using namespace eider;
void routes(App& app, int& count) {
#ifdef FIXED
  app.guard([count = &count]() -> Task<Result<void>> { ++*count; co_return Result<void>(); });
#else
  app.guard([&count]() -> Task<Result<void>> { ++count; co_return Result<void>(); });
#endif
}
