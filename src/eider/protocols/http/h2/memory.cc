#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "eider/protocols/http/h2/library.h"

namespace eider::h2::detail {

namespace {

constexpr std::size_t kStepBytes = 64;
/// Larger objects are rare: they are allocated by the heap.
constexpr std::size_t kClassCount = 16;
/// More free objects of one size are returned to the heap: at most 2 MiB per thread in total.
constexpr std::size_t kKeptMax = 256;

/// Precedes each object.
struct alignas(std::max_align_t) Head {
  std::size_t bytes;  // the usable size of the object
  Head* next;
};

class FreeLists {
 public:
  FreeLists() noexcept { here = this; }
  FreeLists(const FreeLists&) = delete;
  FreeLists& operator=(const FreeLists&) = delete;
  ~FreeLists() {
    // Sessions that end later on this thread return their objects to the heap.
    here = nullptr;
    for (List& list : lists_) {
      while (Head* const head = list.first) {
        list.first = head->next;
        std::free(head);
      }
    }
  }

  [[nodiscard]] static std::size_t steps_of(std::size_t bytes) noexcept {
    return (std::max<std::size_t>(bytes, 1) + kStepBytes - 1) / kStepBytes;
  }

  [[nodiscard]] void* take(std::size_t bytes) noexcept {
    const std::size_t steps = steps_of(bytes);
    // The last list is for sizes above all classes, and stays empty.
    List& list = lists_[std::min(steps - 1, kClassCount)];
    Head* const head = list.first;
    if (head == nullptr) [[unlikely]] {
      return make(bytes);
    }
    list.first = head->next;
    --list.count;
    return head + 1;
  }

  [[nodiscard]] static void* make(std::size_t bytes) noexcept {
    const std::size_t room = steps_of(bytes) * kStepBytes;
    auto* const head = static_cast<Head*>(std::malloc(sizeof(Head) + room));
    if (head == nullptr) {
      return nullptr;
    }
    head->bytes = room;
    return head + 1;
  }

  void give_back(Head* head) noexcept {
    const std::size_t index = std::min(head->bytes / kStepBytes - 1, kClassCount);
    List& list = lists_[index];
    if (list.count == kKeptMax || index == kClassCount) [[unlikely]] {
      std::free(head);
      return;
    }
    head->next = list.first;
    list.first = head;
    ++list.count;
  }

  /// The lists of the current thread. Null if it has created no session, or if its lists were
  /// destroyed: a session may end on another thread, or after them.
  static inline thread_local constinit FreeLists* here = nullptr;

 private:
  struct List {
    Head* first = nullptr;
    std::size_t count = 0;
  };

  /// The last one stays empty: it represents all larger sizes.
  std::array<List, kClassCount + 1> lists_{};
};

Head* head_of(void* object) noexcept {
  return static_cast<Head*>(object) - 1;
}

void* allocate(std::size_t bytes, void* /*memory*/) noexcept {
  if (bytes > SIZE_MAX / 2) {
    return nullptr;
  }
  FreeLists* const lists = FreeLists::here;
  return lists == nullptr ? FreeLists::make(bytes) : lists->take(bytes);
}

void release(void* object, void* /*memory*/) noexcept {
  if (object == nullptr) {
    return;
  }
  if (FreeLists* const lists = FreeLists::here; lists == nullptr) {
    std::free(head_of(object));
  } else {
    lists->give_back(head_of(object));
  }
}

void* allocate_zeroed(std::size_t count, std::size_t bytes, void* memory) noexcept {
  if (bytes != 0 && count > SIZE_MAX / 2 / bytes) {
    return nullptr;
  }
  void* const object = allocate(count * bytes, memory);
  return object == nullptr ? nullptr : std::memset(object, 0, count * bytes);
}

void* reallocate(void* object, std::size_t bytes, void* memory) noexcept {
  // The usable size is that of a class, which is often larger than the requested one.
  if (object != nullptr && bytes <= head_of(object)->bytes) {
    return object;
  }
  void* const larger = allocate(bytes, memory);
  if (object != nullptr && larger != nullptr) {
    // Copies the whole old object, because its used size is not known here.
    std::memcpy(larger, object, head_of(object)->bytes);
    release(object, memory);
  }
  return larger;
}

}  // namespace

nghttp2_mem* session_memory() noexcept {
  static thread_local FreeLists own;
  (void)own;  // constructed when this thread first creates a session
  static thread_local nghttp2_mem memory{.mem_user_data = nullptr,
                                         .malloc = allocate,
                                         .free = release,
                                         .calloc = allocate_zeroed,
                                         .realloc = reallocate};
  return &memory;
}

}  // namespace eider::h2::detail
