// expect: a struct with is_reloadable must be in a Reloadable
#include <eider/eider.h>
using namespace eider;
struct Own {
  int page_size = 20;
  static constexpr OptionText kOptions[] = {
      {.member = "page_size", .help = "notes on one page", .is_reloadable = true}};
};
#ifdef FIXED
void add(OptionSet& options, Reloadable<Own>& own) { options.add(own); }
#else
void add(OptionSet& options, Own& own) { options.add(own); }
#endif
