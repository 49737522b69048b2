// Checks that the event log of the installed package links with all its dependencies.
#include <eider/eventlog.h>

int main() {
  const eider::EventLogOptions options{.replay_max = 5};
  decltype(&eider::add_event_log) volatile add = &eider::add_event_log;
  return options.replay_max == 5 && add != nullptr ? 0 : 1;
}
