#include "cli/bench/response_scanner.h"

namespace eider::bench {

namespace {

constexpr h1::ResponseLimits kLimits = {.head_bytes_max = 64 * 1024, .headers_max = 256};
constexpr h1::HeadLimits kSearchLimits = {.head_bytes_max = kLimits.head_bytes_max};

bool is_known_by_length(const h1::ReplyHead& head) noexcept {
  return !head.is_interim() &&
         (head.body == h1::ReplyBody::sized || head.body == h1::ReplyBody::none);
}

}  // namespace

void ResponseScanner::reset() noexcept {
  become_ready();
  check_.reset();
}

void ResponseScanner::become_ready() noexcept {
  kept_.clear();
  search_.reset();
  is_between_ = true;
  is_in_content_ = false;
}

Scan ResponseScanner::scan_slowly(std::string_view bytes, Method asked, KnownHead& known) {
  is_between_ = false;
  std::size_t used = 0;
  while (true) {
    const std::string_view rest = bytes.substr(used);
    Scan step = is_in_content_ ? scan_content(rest) : scan_head(rest, asked, known);
    used += step.used;
    step.used = used;
    // A body of zero bytes ends without further input.
    if (step.status != ScanStatus::need_more || (used == bytes.size() && !is_in_content_)) {
      return step;
    }
    if (used == bytes.size()) {
      step = scan_content({});
      step.used = used;
      return step;
    }
  }
}

Scan ResponseScanner::scan_head(std::string_view bytes, Method asked, KnownHead& known) {
  const std::size_t before = kept_.size();
  std::string_view in = bytes;
  if (before != 0) {
    in = kept_.append(bytes);
  }
  // Always parse the first bytes: a server of another protocol may send a greeting and nothing
  // more.
  const bool is_worth_reading = search_.is_worth_reading(in, kSearchLimits) || before == 0;
  const h1::HeadStatus status =
      is_worth_reading ? reader_->read(in, asked, kLimits) : h1::HeadStatus::need_more;
  switch (status) {
    case h1::HeadStatus::need_more:
      if (before == 0) {
        kept_.assign(bytes);
      }
      return {ScanStatus::need_more, false, 0, bytes.size()};
    case h1::HeadStatus::refused:
      return refuse(reader_->flaw());
    case h1::HeadStatus::complete:
      break;
  }
  Scan scan = take_head(known);
  scan.used = reader_->head_bytes() - before;
  kept_.clear();
  return scan;
}

Scan ResponseScanner::take_head(KnownHead& known) {
  const h1::ReplyHead& head = reader_->head();
  search_.reset();
  if (head.status == 101) {
    why_ = "the server switched to another protocol without a request";
    return {ScanStatus::refused, false, 0, 0};
  }
  if (head.is_interim()) {
    return {};
  }
  code_ = head.status;
  check_.begin(code_);
  keeps_alive_ = head.keeps_alive;
  content_ = h1::ResponseBodyReader(head);
  is_in_content_ = true;
  if (is_known_by_length(head)) {
    known.bytes.assign(head.bytes);
    known.content_bytes = head.content_length;
    known.status = head.status;
    known.keeps_alive = head.keeps_alive;
  }
  return {};
}

Scan ResponseScanner::scan_content(std::string_view bytes) {
  std::size_t used = 0;
  while (true) {
    const h1::ReplyStep step = content_.read(bytes.substr(used));
    used += step.consumed;
    switch (step.status) {
      case h1::ChunkedStatus::data:
        check_.take(step.data);
        break;
      case h1::ChunkedStatus::need_more:
        return {ScanStatus::need_more, false, 0, bytes.size()};
      case h1::ChunkedStatus::refused:
        return refuse(content_.flaw());
      case h1::ChunkedStatus::done:
        become_ready();
        return {ScanStatus::whole, keeps_alive_, code_, used};
    }
  }
}

Scan ResponseScanner::refuse(h1::ResponseFlaw flaw) {
  why_ = h1::flaw_info(flaw).text;
  return {ScanStatus::refused, false, 0, 0};
}

}  // namespace eider::bench
