// Blocks all signals of the calling thread, so that new threads start with signals blocked.
// Layering: must not outlive the function that starts the threads, or SIGTERM would be lost.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace eider {

/// The event loops handle signals, so other threads start with all signals blocked.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace eider
