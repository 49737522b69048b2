// expect: an option must be a bool, a number, a std::string, an enum
#include <eider/eider.h>
using namespace eider;
struct Pair {
  int a = 0;
  int b = 0;
};
struct Own {
#ifdef FIXED
  std::vector<int> pair = {};
#else
  Pair pair = {};
#endif
};
void add(OptionSet& options, Own& own) { options.add(own); }
