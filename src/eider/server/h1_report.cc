#include <algorithm>
#include <memory>
#include <utility>

#include "eider/server/connection_extra.h"
#include "eider/server/h1.h"
#include "eider/server/service.h"

namespace eider::detail::server {

namespace {

ResponseEvent record_of(const Loop& loop, const Request& request) noexcept {
  return {.request = request,
          .bytes_in = request.body().size(),
          .began = loop.now(),
          .ended = loop.read_now(),
          .protocol = request.head().minor_version == 0 ? "HTTP/1.0" : "HTTP/1.1"};
}

ResponseEvent record_of(const Loop& loop, Exchange& exchange) noexcept {
  ResponseEvent record = record_of(loop, exchange.request());
  record.bytes_in = exchange.content().bytes();
  record.began = exchange.began();
  return record;
}

ResponseEvent record_of(const Loop& loop, const UnsentH1& unsent) noexcept {
  ResponseEvent record = record_of(loop, unsent.request);
  record.status = unsent.status;
  record.bytes_in = unsent.bytes_in;
  record.bytes_out = unsent.bytes_out;
  record.began = unsent.began;
  return record;
}

}  // namespace

void H1::report(Request& request, int status, std::uint64_t bytes_out) {
  ResponseEvent record = record_of(context().loop, request);
  record.status = status;
  record.bytes_out = bytes_out;
  report_or_keep(record, request);
}

void H1::report(Exchange& exchange, int status, std::uint64_t bytes_out) {
  ResponseEvent record = record_of(context().loop, exchange);
  record.status = status;
  record.bytes_out = bytes_out;
  report_or_keep(record, exchange.request());
}

// The request no longer exists when the rest of the response is sent, so its data is copied.
void H1::report_or_keep(const ResponseEvent& record, Request& request) {
  Stream& line = stream();
  if (!line.is_open() || line.waiting_bytes() == 0) {
    context().service.observe(record);
    return;
  }
  // Only one response is kept. An earlier one was sent before it, so it is reported now.
  report_sent();
  auto unsent = std::make_unique<UnsentH1>();
  // Move the extensions first: their arena stores the copy of the headers.
  unsent->request.take_extensions(request);
  unsent->request.head() = copy_head(request.head(), unsent->request.arena());
  unsent->request.set_route(request.route());
  unsent->request.set_peer(&connection_);
  unsent->status = record.status;
  unsent->bytes_in = record.bytes_in;
  unsent->bytes_out = record.bytes_out;
  unsent->waiting_bytes = line.waiting_bytes();
  unsent->began = record.began;
  connection_.extra().unsent = std::move(unsent);
}

void H1::report_abandoned(Exchange& exchange) {
  ResponseEvent record = record_of(context().loop, exchange);
  record.is_complete = false;
  if (exchange.has_begun()) {
    record.status = exchange.response().status();
    record.bytes_out = exchange.bytes_out();
  }
  context().service.observe(record);
}

void H1::report_sent() noexcept {
  if (const std::unique_ptr<UnsentH1> unsent = take_unsent()) {
    context().service.observe(record_of(context().loop, *unsent));
  }
}

void H1::report_lost() noexcept {
  const std::unique_ptr<UnsentH1> unsent = take_unsent();
  if (unsent == nullptr) {
    return;
  }
  const Stream& line = stream();
  // If the stream has closed already, use the number of waiting bytes that was stored with the
  // response.
  const std::uint64_t lost = line.is_open() ? line.waiting_bytes() : unsent->waiting_bytes;
  ResponseEvent record = record_of(context().loop, *unsent);
  record.bytes_out -= std::min(lost, record.bytes_out);
  record.is_complete = false;
  context().service.observe(record);
}

std::unique_ptr<UnsentH1> H1::take_unsent() noexcept {
  Connection::Extra* const extra = connection_.extra_if_made();
  return extra == nullptr ? nullptr : std::move(extra->unsent);
}

}  // namespace eider::detail::server
