// expect: a Secret cannot be optional or in a list
#include <eider/eider.h>
using namespace eider;
struct Own {
#ifdef FIXED
  Secret key = {};
#else
  std::optional<Secret> key = {};
#endif
};
void add(OptionSet& options, Own& own) { options.add(own); }
