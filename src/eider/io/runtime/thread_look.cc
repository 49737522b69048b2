#include "eider/io/runtime/thread_look.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "eider/core/base/work.h"

namespace eider {

namespace {

constexpr int kFramesMax = 64;
/// The handler's own frame, and the kernel's signal frame.
constexpr int kFramesOfHandler = 2;

/// A text that a handler copies, because it must not allocate memory.
class CopiedText {
 public:
  void set(std::string_view text) noexcept { size_ = text.copy(bytes_.data(), bytes_.size()); }
  [[nodiscard]] std::string get() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 256> bytes_;
  std::size_t size_ = 0;
};

enum class Stage : int { idle, wanted, writing, done };

// Handlers belong to the process and may run late, so this object is never destroyed.
struct Looked {
  std::atomic<Stage> stage{Stage::idle};
  std::atomic<pthread_t> thread{};  // set before `stage` becomes `wanted`
  std::array<void*, kFramesMax> frames;
  int frames_count = 0;
  CopiedText method;
  CopiedText route;
  CopiedText id;
};
Looked looked;
std::mutex one_looks;
std::atomic<int> signal_number{0};
static_assert(std::atomic<Stage>::is_always_lock_free &&
                  std::atomic<pthread_t>::is_always_lock_free,
              "a signal handler must not lock");

// glibc does not guarantee that backtrace is safe in a handler. It is in fact safe after its
// library was loaded, which `prepare_thread_looks` does: frames are found without locks or memory
// (_dl_find_object, since glibc 2.35).
extern "C" void eider_look_at_thread(int) {
  const int error_before = errno;
  Stage wanted = Stage::wanted;
  // The requesting thread may have given up: then write nothing. It may also wait for another
  // thread, if this one had blocked the signal of an earlier request.
  if (::pthread_equal(looked.thread.load(), ::pthread_self()) != 0 &&
      looked.stage.compare_exchange_strong(wanted, Stage::writing)) {
    looked.frames_count = ::backtrace(looked.frames.data(), kFramesMax);
    const Work* const work = Work::current();
    looked.method.set(work == nullptr ? std::string_view() : work->method);
    looked.route.set(work == nullptr ? std::string_view() : work->route);
    looked.id.set(work == nullptr ? std::string_view() : work->request_id());
    looked.stage.store(Stage::done);
  }
  errno = error_before;
}

void append_hex(std::string& out, std::uintptr_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  out.append("+0x").append(digits.data(), end);
}

std::string name_of(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  constexpr std::size_t kNameBytesMax = 300;
  return std::string(status == 0 ? name.get() : symbol).substr(0, kNameBytesMax);
}

std::string text_of(void* address) {
  Dl_info found{};
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  std::string text;
  if (::dladdr(address, &found) == 0 || found.dli_fname == nullptr) {
    append_hex(text, value);
    return text;
  }
  if (found.dli_sname != nullptr) {
    text = name_of(found.dli_sname);
    append_hex(text, value - reinterpret_cast<std::uintptr_t>(found.dli_saddr));
    text.append(" ");
  }
  const std::string_view module(found.dli_fname);
  text.append("(").append(module.substr(module.rfind('/') + 1));
  append_hex(text, value - reinterpret_cast<std::uintptr_t>(found.dli_fbase));
  return text.append(")");
}

/// Cancels the request, or waits for a running write, which takes microseconds.
bool give_up() noexcept {
  Stage wanted = Stage::wanted;
  if (looked.stage.compare_exchange_strong(wanted, Stage::idle)) {
    return true;
  }
  while (looked.stage.load() != Stage::done) {
    std::this_thread::yield();
  }
  return false;
}

bool is_told(pthread_t thread, int number, Duration within) {
  looked.thread.store(thread);
  looked.stage.store(Stage::wanted);
  if (::pthread_kill(thread, number) != 0) {
    return !give_up();
  }
  const Instant by = std::chrono::steady_clock::now() + within;
  while (looked.stage.load() != Stage::done) {
    if (std::chrono::steady_clock::now() >= by) {
      return !give_up();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace

void prepare_thread_looks() noexcept {
  const std::lock_guard lock(one_looks);
  for (int number = SIGRTMAX - 1; signal_number == 0 && number > SIGRTMIN; --number) {
    struct sigaction action{};
    ::sigaction(number, nullptr, &action);
    if ((action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL) {
      continue;  // used by the program
    }
    std::array<void*, 1> frame{};
    (void)::backtrace(frame.data(), 1);  // loads the required library
    action = {};
    action.sa_handler = eider_look_at_thread;
    action.sa_flags = SA_RESTART;
    ::sigfillset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
    signal_number = number;
  }
}

std::optional<ThreadLook> look_at_thread(pthread_t thread, Duration within) {
  const std::lock_guard lock(one_looks);
  const int number = signal_number;
  if (number == 0 || !is_told(thread, number, within)) {
    return std::nullopt;
  }
  ThreadLook look{.method = looked.method.get(),
                  .route = looked.route.get(),
                  .id = looked.id.get(),
                  .stack = {}};
  for (int index = kFramesOfHandler; index < looked.frames_count; ++index) {
    look.stack.push_back(text_of(looked.frames[static_cast<std::size_t>(index)]));
  }
  looked.stage.store(Stage::idle);
  return look;
}

}  // namespace eider
