// One step of a COPY, from the application to the connection.
// Layering: must not know libpq; applications include this header.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "eider/data/db/job.h"

namespace eider::db::postgres {

/// One step. The first one has the SQL text.
///
/// bytes    write: complete protocol messages, which are moved from; read: buffer for a piece
/// is_over  read: the last piece has been read
struct CopyStep final : RowTransfer {
  enum class What : std::uint8_t { begin_in, begin_out, write, end, read };

  explicit CopyStep(What step, std::string messages = {})
      : what(step), bytes(std::move(messages)) {}

  What what;
  std::string bytes;
  bool is_over = false;
};

}  // namespace eider::db::postgres
