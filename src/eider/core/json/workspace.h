// What reading one text needs beside the object: a padded copy and the parser's own memory.
// Must not keep more than a bounded amount between texts.
#pragma once

#include <simdjson.h>

#include <string_view>

#include "eider/core/base/buffer.h"

namespace eider::json::detail {

/// One thread's workspace; reading within reading gets one of its own.
class Workspace {
 public:
  /// What a text may take for its memory to be kept for the next one. The parser needs about six
  /// times as much: under 1 MiB per thread in all.
  static constexpr std::size_t kKeptTextBytesMax = std::size_t{128} << 10;

  /// Copies `text`, in brackets, with the padding that simdjson reads behind it.
  ///
  /// The brackets make every text an array of one element: so what stands alone (a number, a
  /// string), what is missing and what stands behind are all seen by one path.
  [[nodiscard]] simdjson::padded_string_view bracketed(std::string_view text);

  [[nodiscard]] simdjson::ondemand::parser& parser() noexcept { return parser_; }

 private:
  friend class WorkspaceLease;

  void trim();

  Buffer text_;
  simdjson::ondemand::parser parser_;
  bool is_leased_ = false;
};

/// Borrows the thread's workspace, or makes one while that is in use.
class WorkspaceLease {
 public:
  WorkspaceLease();
  ~WorkspaceLease();
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;

  Workspace* operator->() const noexcept { return workspace_; }

 private:
  Workspace* workspace_;
  bool is_own_;
};

}  // namespace eider::json::detail
