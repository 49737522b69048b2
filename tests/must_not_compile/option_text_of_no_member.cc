// expect: kOptions names a member that does not exist
#include <eider/eider.h>
using namespace eider;
struct Own {
  std::string file = "a";
#ifdef FIXED
  static constexpr OptionText kOptions[] = {{"file", "where it is"}};
#else
  static constexpr OptionText kOptions[] = {{"flie", "where it is"}};
#endif
};
void add(OptionSet& options, Own& own) { options.add(own); }
