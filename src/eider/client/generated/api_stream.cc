#include "eider/client/generated/api_stream.h"

#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"

namespace eider::detail::client {

Error not_as_told(const Error& fault) {
  std::string why = fault.detail();
  for (const FieldError& field : fault.fields()) {
    why += " " + field.pointer + " " + field.detail + ".";
  }
  return Error(502, "The server's response does not match its OpenAPI document.")
      .because(std::move(why));
}

ItemLines::Step ItemLines::read(std::string_view in) {
  if (std::exchange(is_told_, false)) {
    line_.clear();
  }
  std::size_t consumed = 0;
  while (consumed < in.size()) {
    const std::string_view rest = in.substr(consumed);
    const std::size_t size = std::min(rest.find('\n'), rest.size());
    if (line_.size() + size > line_bytes_max_) {
      return {Status::too_long, consumed};
    }
    line_.append(rest.substr(0, size));
    const bool has_end = size < rest.size();
    consumed += size + (has_end ? 1 : 0);
    if (has_end && take_last()) {
      return {Status::line, consumed};
    }
  }
  return {Status::need_more, consumed};
}

bool ItemLines::take_last() {
  is_told_ = !is_told_ && line_.find_first_not_of(" \t\r") != std::string::npos;
  if (!is_told_) {
    line_.clear();
  }
  return is_told_;
}

Task<Result<bool>> ItemStream::next() {
  while (stream_) {
    const Step step = read(unread_);
    if (step == Step::item) {
      due_.reset();
      co_return true;
    }
    if (step == Step::too_large) {
      end(Error(502, "An event or a line from the server is larger than " +
                         std::to_string(limits_.item_bytes_max) + " bytes: raise item_bytes_max."));
      break;
    }
    const Result<std::string_view> piece = co_await more();
    if (!piece) {
      end(piece.error());
    } else if (piece->empty()) {
      end(std::nullopt);
      if (take_last()) {
        co_return true;
      }
    } else {
      unread_ = *piece;
    }
  }
  if (fault_) {
    co_return fail(*fault_);
  }
  co_return false;
}

Task<Result<std::string_view>> ItemStream::more() {
  auto taking = stream_->next();
  if (!is_within_item()) {
    due_.reset();
    const auto piece = co_await std::move(taking);
    if (!piece) {
      co_return fail(to_error(piece.error()));
    }
    co_return *piece;
  }
  // Limits the whole item, because a server that sends a byte now and then is never silent.
  const Instant now = Loop::current().now();
  due_ = due_.value_or(now + limits_.item_within);
  const auto timed = co_await with_deadline(std::move(taking), *due_ - now);
  if (!timed) {
    co_return fail(
        Error(504, "The server did not finish an event or a line in time: raise item_within."));
  }
  if (!*timed) {
    co_return fail(to_error(timed->error()));
  }
  co_return **timed;
}

void ItemStream::end(std::optional<Error> fault) {
  stream_.reset();
  unread_ = {};
  fault_ = std::move(fault);
}

ItemStream::Step EventItems::read(std::string_view& in) {
  const SseStep step = parser_.read(in);
  in.remove_prefix(step.consumed);
  switch (step.status) {
    case SseStatus::need_more:
      return Step::need_more;
    case SseStatus::event:
      return Step::item;
    case SseStatus::refused:
      break;
  }
  return Step::too_large;
}

ItemStream::Step LineItems::read(std::string_view& in) {
  const ItemLines::Step step = lines_.read(in);
  in.remove_prefix(step.consumed);
  switch (step.status) {
    case ItemLines::Status::need_more:
      return Step::need_more;
    case ItemLines::Status::line:
      return Step::item;
    case ItemLines::Status::too_long:
      break;
  }
  return Step::too_large;
}

}  // namespace eider::detail::client
