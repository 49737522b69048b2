#include "eider/core/json/workspace.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace eider::json::detail {

namespace {

constexpr std::size_t kSmallestParserBytes = 1024;

thread_local Workspace this_thread;

}  // namespace

simdjson::padded_string_view Workspace::bracketed(std::string_view text) {
  const std::size_t bytes = text.size() + 2;
  text_.clear();
  char* const at = text_.reserve(bytes + simdjson::SIMDJSON_PADDING);
  at[0] = '[';
  if (!text.empty()) {
    std::memcpy(at + 1, text.data(), text.size());
  }
  at[bytes - 1] = ']';
  std::memset(at + bytes, ' ', simdjson::SIMDJSON_PADDING);
  text_.commit(bytes);
  if (parser_.capacity() < bytes &&
      parser_.allocate(std::bit_ceil(std::max(bytes, kSmallestParserBytes))) != simdjson::SUCCESS) {
    throw std::bad_alloc();
  }
  return simdjson::padded_string_view(text_.data(), bytes, text_.capacity());
}

void Workspace::trim() {
  if (text_.capacity() > kKeptTextBytesMax || parser_.capacity() > kKeptTextBytesMax) {
    text_.release();
    parser_ = simdjson::ondemand::parser();
  }
}

WorkspaceLease::WorkspaceLease()
    : workspace_(this_thread.is_leased_ ? new Workspace : &this_thread),
      is_own_(this_thread.is_leased_) {
  workspace_->is_leased_ = true;
}

WorkspaceLease::~WorkspaceLease() {
  if (is_own_) {
    delete workspace_;
    return;
  }
  workspace_->trim();
  workspace_->is_leased_ = false;
}

}  // namespace eider::json::detail
