// Pagination by page number or cursor, with Link headers and links for templates.
// Layering: must not load elements; the handler does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/signed_token.h"
#include "eider/core/json/json.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/text_kind.h"
#include "eider/protocols/http/page_links.h"

namespace eider {

/// Members of a query with further members: `PageNumber page = 1; PageSize<100> per_page = 20;`.
/// Without others, use PageQuery.
using PageNumber = Bounded<int, 1, 1'000'000>;
template <int Max>
using PageSize = Bounded<int, 1, Max>;

template <int Default = 20, int Max = 100>
struct PageQuery {
  PageNumber page = 1;
  PageSize<Max> per_page = Default;

  static constexpr MemberText kDocs[] = {{"page", "Page number, starting at 1."},
                                         {"per_page", "Number of elements per page."}};
};

/// Returns the number of elements before the page.
template <class Q>
[[nodiscard]] std::int64_t offset_of(const Q& query) {
  return (std::int64_t{query.page} - 1) * std::int64_t{query.per_page};
}

/// The start of a page after another one: opaque to clients, which send it back unchanged.
class PageCursor {
 public:
  static constexpr std::size_t kBytesMax = 512;

  PageCursor() = default;
  [[nodiscard]] static std::optional<PageCursor> parse(std::string_view text);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  friend bool operator==(const PageCursor& left, const PageCursor& right) = default;

 private:
  std::string text_;
};

template <>
struct TextFormat<PageCursor> {
  static std::optional<PageCursor> parse(std::string_view text) { return PageCursor::parse(text); }
  static std::string_view format(const PageCursor& cursor) noexcept { return cursor.text(); }
  static constexpr TextSchema kSchema = {.requirement = "must be a cursor from a previous page",
                                         .format = "cursor",
                                         .pattern = "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$",
                                         .bytes_max = PageCursor::kBytesMax};
};

template <int Default = 20, int Max = 100>
struct CursorQuery {
  std::optional<PageCursor> after;
  PageSize<Max> per_page = Default;

  static constexpr MemberText kDocs[] = {{"after", "The value of `next` from the previous page."},
                                         {"per_page", "Number of elements per page."}};
};

/// Creates signed cursors from the end of a page, a plain struct, and rejects others. Cursors are
/// not encrypted.
///
///     struct NotePlace { std::string changed; std::int64_t id; };
class CursorSigner {
 public:
  /// key  at least 32 bytes, the same for all processes; empty: generated at startup. Throws a
  ///      Failure for a shorter one
  explicit CursorSigner(std::string key = {});

  /// errors  throws a Failure if it is longer than PageCursor::kBytesMax
  template <class T>
  [[nodiscard]] PageCursor seal(const T& place) const {
    return seal_text(reflect::type_of<T>().name, json::to_text(place));
  }
  /// errors  400 for `after` if the cursor was not created here from a T
  template <class T>
  [[nodiscard]] Result<std::optional<T>> open(const std::optional<PageCursor>& after) const {
    if (!after) {
      return std::optional<T>();
    }
    const auto text = open_text(reflect::type_of<T>().name, after->text());
    auto read = text ? json::read<T>(*text) : fail(refusal());
    if (!read) {
      return fail(refusal());
    }
    return std::optional<T>(std::move(*read));
  }

 private:
  [[nodiscard]] static Error refusal();
  [[nodiscard]] PageCursor seal_text(std::string_view kind, std::string_view text) const;
  [[nodiscard]] std::optional<std::string> open_text(std::string_view kind,
                                                     std::string_view cursor) const;

  detail::base::TokenSigner signer_;
};

/// The JSON of Page<T>. pages: at least 1
template <class T>
struct PageBody {
  std::vector<T> items;
  std::int64_t page;
  std::int64_t per_page;
  std::int64_t total;
  std::int64_t pages;
};
template <class T>
struct CursorBody {
  std::vector<T> items;
  std::optional<PageCursor> next;
};

/// A result: one page as JSON, with links to the others in a Link header (RFC 8288).
template <class Body>
struct LinkedPage {
  Body body;
  PageLinks links;
};
template <class T>
using Page = LinkedPage<PageBody<T>>;
template <class T>
using CursorPage = LinkedPage<CursorBody<T>>;

/// A parameter of handlers: knows the URL of the page, and so those of the others.
///
///     app.get("/notes", [](Query<PageQuery<>> query, Pagination pagination, State<Store> store) {
///       return pagination.page(*query, store->some(offset_of(*query), query->per_page),
///                              store->count());
///     });
class Pagination {
 public:
  explicit Pagination(std::string query) : query_(std::move(query)) {}

  /// query  a struct with `page` and `per_page`
  template <class Q, class T>
  [[nodiscard]] Page<T> page(const Q& query, std::vector<T> items, std::int64_t total) const {
    PageLinks others = links(query, total);
    return {{std::move(items), std::int64_t{query.page}, std::int64_t{query.per_page}, total,
             others.page_count},
            std::move(others)};
  }
  /// Returns the links for templates: `{{ pages | page_nav }}`.
  template <class Q>
  [[nodiscard]] PageLinks links(const Q& query, std::int64_t total) const {
    return numbered_pages(query_, std::int64_t{query.page}, std::int64_t{query.per_page}, total);
  }

  /// next  the start of the next page; nothing on the last one
  template <class T>
  [[nodiscard]] CursorPage<T> cursor_page(std::vector<T> items,
                                          std::optional<PageCursor> next) const {
    PageLinks links = links_after(next);
    return {{std::move(items), std::move(next)}, std::move(links)};
  }
  [[nodiscard]] PageLinks links_after(const std::optional<PageCursor>& next) const;

 private:
  std::string query_;
};

template <>
struct Extract<Pagination> {
  static constexpr bool kOwnsData = true;
  using Held = Pagination;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    return Pagination(std::string(context.request.query()));
  }
};

namespace detail::pagination {
void add_links(Response& response, const PageLinks& links);
void describe_links(Operation& operation);
}  // namespace detail::pagination

template <class Body>
struct Render<LinkedPage<Body>> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, const LinkedPage<Body>& page) {
    detail::pagination::add_links(response, page.links);
    Render<Body>::into(response, page.body);
  }
  static void describe(Operation& operation) {
    Render<Body>::describe(operation);
    detail::pagination::describe_links(operation);
  }
};

}  // namespace eider
