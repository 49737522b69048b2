#include "eider/web/pagination/pagination.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"

namespace eider {

namespace {

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

CursorSigner::CursorSigner(std::string key)
    : signer_("cursors", "eider cursor", detail::base::keys_of(std::move(key))) {}

Error CursorSigner::refusal() {
  return Error::bad_request("The query parameters are invalid.")
      .with_field("after", "must be a cursor from a previous page");
}

PageCursor CursorSigner::seal_text(std::string_view kind, std::string_view text) const {
  auto cursor = PageCursor::parse(signer_.sign(to_base64url(text), kind));
  if (!cursor) {
    throw Failure(Error::internal("cursors: A position must have at most " +
                                  std::to_string(PageCursor::kBytesMax) + " bytes"));
  }
  return std::move(*cursor);
}

std::optional<std::string> CursorSigner::open_text(std::string_view kind,
                                                   std::string_view cursor) const {
  const auto text = signer_.open(cursor, kind);
  return text ? from_base64url(*text) : std::nullopt;
}

PageLinks Pagination::links_after(const std::optional<PageCursor>& next) const {
  PageLinks links;
  links.first = with_in_query(query_, "after", "");
  links.next = next ? with_in_query(query_, "after", next->text()) : "";
  return links;
}

namespace detail::pagination {

void add_links(Response& response, const PageLinks& links) {
  if (const std::string field = link_header(links); !field.empty()) {
    response.add_header("Link", field);
  }
}

void describe_links(Operation& operation) {
  operation.add_response(200, "").add_header("Link");
}

}  // namespace detail::pagination
}  // namespace eider
