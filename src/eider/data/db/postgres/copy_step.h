// One step of a COPY, from a program to the connection.
// Layering: must not know libpq; programs include this header.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "eider/data/db/job.h"

namespace eider::db::postgres {

/// The first one has the statement.
///
/// bytes    write: whole messages of the protocol, which are taken; read: where a piece is put
/// is_over  read: there is no piece after this one
struct CopyStep final : RowTransfer {
  enum class What : std::uint8_t { begin_in, begin_out, write, end, read };

  explicit CopyStep(What step, std::string messages = {})
      : what(step), bytes(std::move(messages)) {}

  What what;
  std::string bytes;
  bool is_over = false;
};

}  // namespace eider::db::postgres
