// What has come over an HTTP/1.1 connection and has not been read yet.
// Must not know what is asked: it keeps bytes, and holds the client up.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "eider/core/base/saved_input.h"
#include "eider/io/runtime/stream.h"
#include "eider/protocols/http/h1/head_reader.h"

namespace eider::detail::server {

/// A connection that waits for a request keeps nothing here. Kept bytes stay where they are until
/// some are kept or dropped.
class InputH1 {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return kept_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
  [[nodiscard]] std::string_view view() const noexcept { return kept_.view(); }
  /// Reading them as a head may tell something. To be asked of one head as it grows.
  [[nodiscard]] bool may_have_head(const h1::HeadLimits& limits) noexcept {
    return search_.is_worth_reading(kept_.view(), limits);
  }

  void keep(std::string_view bytes) { kept_.append(bytes); }
  /// Keeps what reading has left where nothing was kept: it may begin a head.
  void keep_rest(std::string_view rest) {
    search_.reset();
    keep(rest);
  }
  /// Forgets all that stands in front of the last `rest_bytes`, which has been read.
  void drop_read(std::size_t rest_bytes) noexcept {
    // The search goes on where it was, unless something was read: then it begins anew.
    if (rest_bytes != kept_.size()) {
      search_.reset();
      kept_.drop(kept_.size() - rest_bytes);
    }
  }
  /// A whole head was read, but is to be read again later.
  void read_again() noexcept { search_.reset(); }
  void release() noexcept { kept_.release(); }
  [[nodiscard]] base::SavedInput take() noexcept {
    base::SavedInput taken = std::move(kept_);
    kept_.release();
    return taken;
  }

  /// Lets the client wait: its bytes stay in the kernel.
  void pause(Stream& stream) noexcept {
    if (!is_paused_) {
      is_paused_ = true;
      stream.pause_reading();
    }
  }
  void resume(Stream& stream) {
    if (is_paused_) {
      is_paused_ = false;
      stream.resume_reading();
    }
  }
  [[nodiscard]] bool is_paused() const noexcept { return is_paused_; }

  /// The client sends no more.
  void note_end() noexcept { has_ended_ = true; }
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
  /// What stands behind the request that is being served, and is not kept (yet).
  void note_behind(std::string_view unread) noexcept { has_behind_ = !unread.empty(); }
  /// Something has come behind the request that is being served.
  [[nodiscard]] bool has_more() const noexcept { return has_behind_ || !kept_.empty(); }

 private:
  base::SavedInput kept_;
  h1::HeadSearch search_;
  bool is_paused_ : 1 = false;
  bool has_ended_ : 1 = false;
  bool has_behind_ : 1 = false;
};

}  // namespace eider::detail::server
