// Owners for the handles of libpq.
// Layering: must not be included outside of this folder.
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace eider::db::postgres {

struct Release {
  void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  void operator()(PGresult* result) const noexcept { PQclear(result); }
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
  void operator()(PGnotify* notice) const noexcept { PQfreemem(notice); }
  void operator()(char* text) const noexcept { PQfreemem(text); }
};

using ConnectionHandle = std::unique_ptr<PGconn, Release>;
using ResultHandle = std::unique_ptr<PGresult, Release>;
using OptionsHandle = std::unique_ptr<PQconninfoOption, Release>;
using NotifyHandle = std::unique_ptr<PGnotify, Release>;
using TextHandle = std::unique_ptr<char, Release>;

}  // namespace eider::db::postgres
