#include "eider/server/report_h1.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "eider/server/connection_extra.h"

namespace eider::detail::server {

AnswerRecord ReportH1::record_of(const Request& request) const noexcept {
  const Loop& loop = connection_.context().loop;
  return {.request = request,
          .bytes_in = request.body().size(),
          .began = loop.now(),
          .ended = loop.read_now(),
          .protocol = request.head().minor_version == 0 ? "HTTP/1.0" : "HTTP/1.1"};
}

AnswerRecord ReportH1::record_of(Exchange& exchange) const noexcept {
  AnswerRecord record = record_of(exchange.request());
  record.bytes_in = exchange.content().bytes();
  record.began = exchange.began();
  return record;
}

AnswerRecord ReportH1::record_of(const UnsentH1& unsent) const noexcept {
  AnswerRecord record = record_of(unsent.request);
  record.status = unsent.status;
  record.bytes_in = unsent.bytes_in;
  record.bytes_out = unsent.bytes_out;
  record.began = unsent.began;
  return record;
}

void ReportH1::of_answer(Request& request, int status, std::uint64_t bytes_out) {
  AnswerRecord record = record_of(request);
  record.status = status;
  record.bytes_out = bytes_out;
  tell_or_keep(record, request);
}

void ReportH1::of_answer(Exchange& exchange, int status, std::uint64_t bytes_out) {
  AnswerRecord record = record_of(exchange);
  record.status = status;
  record.bytes_out = bytes_out;
  tell_or_keep(record, exchange.request());
}

// The request is gone when the rest of the answer leaves: what is told of it then is copied now.
void ReportH1::tell_or_keep(const AnswerRecord& record, Request& request) {
  Stream& stream = connection_.stream();
  if (!stream.is_open() || stream.waiting_bytes() == 0) {
    connection_.context().service.observe(record);
    return;
  }
  // Only one answer is kept: an earlier one stands in front of it, and is reported now.
  of_sent();
  auto unsent = std::make_unique<UnsentH1>();
  // The slots come first: their arena keeps the copy of the head.
  unsent->request.take_slots(request);
  unsent->request.head() = copy_head(request.head(), unsent->request.arena());
  unsent->request.set_route(request.route());
  unsent->request.set_peer(&connection_);
  unsent->status = record.status;
  unsent->bytes_in = record.bytes_in;
  unsent->bytes_out = record.bytes_out;
  unsent->waiting_bytes = stream.waiting_bytes();
  unsent->began = record.began;
  connection_.extra().unsent = std::move(unsent);
}

void ReportH1::of_abandoned(Exchange& exchange) {
  AnswerRecord record = record_of(exchange);
  record.is_whole = false;
  if (exchange.has_begun()) {
    record.status = exchange.response().status();
    record.bytes_out = exchange.bytes_out();
  }
  connection_.context().service.observe(record);
}

void ReportH1::of_sent() noexcept {
  if (const std::unique_ptr<UnsentH1> unsent = take_unsent()) {
    connection_.context().service.observe(record_of(*unsent));
  }
}

void ReportH1::of_lost() noexcept {
  const std::unique_ptr<UnsentH1> unsent = take_unsent();
  if (unsent == nullptr) {
    return;
  }
  const Stream& stream = connection_.stream();
  // Where the stream has closed already, what waited was last seen when the answer was kept.
  const std::uint64_t lost = stream.is_open() ? stream.waiting_bytes() : unsent->waiting_bytes;
  AnswerRecord record = record_of(*unsent);
  record.bytes_out -= std::min(lost, record.bytes_out);
  record.is_whole = false;
  connection_.context().service.observe(record);
}

std::unique_ptr<UnsentH1> ReportH1::take_unsent() noexcept {
  Connection::Extra* const extra = connection_.extra_.get();
  return extra == nullptr ? nullptr : std::move(extra->unsent);
}

}  // namespace eider::detail::server
