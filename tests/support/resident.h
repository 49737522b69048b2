// The memory of this process while it repeats the same work.
// Layering: must not be linked into an application.
#pragma once

#include <unistd.h>

#include <fstream>

namespace eider {

/// Sanitizers delay the reuse of freed memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kKeepsWhatWasFreed = true;
#elif defined(__has_feature)
inline constexpr bool kKeepsWhatWasFreed =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kKeepsWhatWasFreed = false;
#endif

/// Resident memory after a tenth of the work, a half, and all.
struct ResidentMib {
  double at_tenth = 0;
  double at_half = 0;
  double at_end = 0;
};

inline double resident_mib() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  long resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1048576;
}

/// do_tenth  does a tenth of the work each time
template <class DoTenth>
ResidentMib resident_in_tenths(DoTenth do_tenth) {
  ResidentMib resident;
  for (int tenth = 1; tenth <= 10; ++tenth) {
    do_tenth();
    (tenth == 1   ? resident.at_tenth
     : tenth <= 5 ? resident.at_half
                  : resident.at_end) = resident_mib();
  }
  return resident;
}

}  // namespace eider
