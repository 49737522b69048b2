// Whether the journal of the installed package links with all that it stands on.
#include <eider/journal.h>

int main() {
  const eider::JournalOptions options{.missed_max = 5};
  decltype(&eider::journal) volatile add = &eider::journal;
  return options.missed_max == 5 && add != nullptr ? 0 : 1;
}
