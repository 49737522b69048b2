#include "eider/web/paging/paging.h"

#include <algorithm>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr std::size_t kKeyBytesMin = 32;

bool is_base64url(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '-' || byte == '_';
  });
}

}  // namespace

std::optional<PageCursor> PageCursor::parse(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (text.size() > kBytesMax || dot == text.npos || !is_base64url(text.substr(0, dot)) ||
      !is_base64url(text.substr(dot + 1))) {
    return std::nullopt;
  }
  PageCursor cursor;
  cursor.text_ = text;
  return cursor;
}

CursorSigner::CursorSigner(std::string key) : key_(std::move(key)) {
  if (key_.empty()) {
    key_ = secret_bytes(kKeyBytesMin);
  } else if (key_.size() < kKeyBytesMin) {
    throw Failure(
        Error::internal("cursors: a key has 32 bytes or more, not " + std::to_string(key_.size())));
  }
}

Error CursorSigner::refusal() {
  return Error::bad_request("The query is not valid.")
      .with_field("after", "must be a cursor that a page has given");
}

/// Of one kind of place: those of another list open nothing here.
std::string CursorSigner::signature(std::string_view kind, std::string_view text) const {
  std::string signed_text("eider cursor\n");
  signed_text.append(kind).append("\n").append(text);
  return to_base64url(to_view(hmac_sha256(key_, signed_text)));
}

PageCursor CursorSigner::seal_text(std::string_view kind, std::string_view text) const {
  auto cursor = PageCursor::parse(to_base64url(text) + "." + signature(kind, text));
  if (!cursor) {
    throw Failure(Error::internal("cursors: a place is of " +
                                  std::to_string(PageCursor::kBytesMax) + " bytes at most"));
  }
  return std::move(*cursor);
}

std::optional<std::string> CursorSigner::open_text(std::string_view kind,
                                                   std::string_view cursor) const {
  const std::size_t dot = std::min(cursor.find('.'), cursor.size());
  auto text = from_base64url(cursor.substr(0, dot));
  const bool is_ours = text && dot < cursor.size() &&
                       equals_in_constant_time(cursor.substr(dot + 1), signature(kind, *text));
  return is_ours ? std::move(text) : std::nullopt;
}

PageLinks Paging::links_after(const std::optional<PageCursor>& next) const {
  PageLinks links;
  links.first = with_in_query(query_, "after", "");
  links.next = next ? with_in_query(query_, "after", next->text()) : "";
  return links;
}

namespace detail::paging {

void add_links(Response& response, const PageLinks& links) {
  if (const std::string field = link_field(links); !field.empty()) {
    response.add_header("Link", field);
  }
}

void describe_links(Operation& operation) {
  operation.answer(200, "").add_field("Link");
}

}  // namespace detail::paging
}  // namespace eider
