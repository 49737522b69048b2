// The notes as pages, for people.
// Must not write HTML (view.h).
#pragma once

#include <eider/app/app.h>

#include <atomic>
#include <memory>

namespace notes {

/// How many requests were answered, save those that ask for this number.
class RequestCount {
 public:
  void add() const noexcept { count_->fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t now() const noexcept {
    return count_->load(std::memory_order_relaxed);
  }

 private:
  std::shared_ptr<std::atomic<std::uint64_t>> count_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
};

/// Adds the pages, their assets and the live counter. Pre: the app has a State<Store>.
void add_pages(eider::App& app);

}  // namespace notes
