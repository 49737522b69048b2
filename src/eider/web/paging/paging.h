// Pages of lists: by number or by cursor, as JSON with a Link field, and as links for templates.
// Must not ask for a list's elements: what is on a page is the handler's.
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

/// Members of a query: `PageNumber page = 1; PageSize<100> per_page = 20;`, where a list has others
/// beside them, else PageQuery.
using PageNumber = Range<int, 1, 1'000'000>;
template <int Max>
using PageSize = Range<int, 1, Max>;

template <int Default = 20, int Max = 100>
struct PageQuery {
  PageNumber page = 1;
  PageSize<Max> per_page = Default;

  static constexpr MemberText kAbout[] = {{"page", "Which page, from 1."},
                                          {"per_page", "How many elements it has."}};
};

/// How many elements are ahead of the page.
template <class Q>
[[nodiscard]] std::int64_t offset_of(const Q& query) {
  return (std::int64_t{query.page} - 1) * std::int64_t{query.per_page};
}

/// Where a page begins that follows another: opaque to clients, who send it back as it is.
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
struct TextKind<PageCursor> {
  static std::optional<PageCursor> parse(std::string_view text) { return PageCursor::parse(text); }
  static std::string_view format(const PageCursor& cursor) noexcept { return cursor.text(); }
  static constexpr TextSchema kSchema = {.requirement = "must be a cursor that a page has given",
                                         .format = "cursor",
                                         .pattern = "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$",
                                         .bytes_max = PageCursor::kBytesMax};
};

template <int Default = 20, int Max = 100>
struct CursorQuery {
  std::optional<PageCursor> after;
  PageSize<Max> per_page = Default;

  static constexpr MemberText kAbout[] = {{"after", "What the page before has as `next`."},
                                          {"per_page", "How many elements it has."}};
};

/// Makes cursors of where a page ends, a plain struct, and takes none that it has not made. They
/// are signed, not hidden.
///
///     struct NotePlace { std::string changed; std::int64_t id; };
class CursorSigner {
 public:
  /// key  32 bytes or more, the same for all processes; empty: made at start. Throws a Failure for
  ///      a shorter one
  explicit CursorSigner(std::string key = {});

  /// errors  throws a Failure where it would be longer than PageCursor::kBytesMax
  template <class T>
  [[nodiscard]] PageCursor seal(const T& place) const {
    return seal_text(reflect::type_of<T>().name, json::to_text(place));
  }
  /// errors  400 that names `after`, for one that was not made here of a T
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

/// What Paged<T> is as JSON. pages: at least one
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

/// A result: one page as JSON, with the others in a Link field (RFC 8288).
template <class Body>
struct LinkedPage {
  Body body;
  PageLinks links;
};
template <class T>
using Paged = LinkedPage<PageBody<T>>;
template <class T>
using CursorPaged = LinkedPage<CursorBody<T>>;

/// A parameter of handlers: knows the page's address, and so those of the others.
///
///     app.get("/notes", [](Query<PageQuery<>> query, Paging paging, State<Store> store) {
///       return paging.page(*query, store->some(offset_of(*query), query->per_page),
///       store->count());
///     });
class Paging {
 public:
  explicit Paging(std::string query) : query_(std::move(query)) {}

  /// query  a struct with `page` and `per_page`
  template <class Q, class T>
  [[nodiscard]] Paged<T> page(const Q& query, std::vector<T> items, std::int64_t total) const {
    PageLinks others = links(query, total);
    return {{std::move(items), std::int64_t{query.page}, std::int64_t{query.per_page}, total,
             others.page_count},
            std::move(others)};
  }
  /// For templates: `{{ pages | page_nav }}`.
  template <class Q>
  [[nodiscard]] PageLinks links(const Q& query, std::int64_t total) const {
    return numbered_pages(query_, std::int64_t{query.page}, std::int64_t{query.per_page}, total);
  }

  /// next  where the next page begins; nothing on the last one
  template <class T>
  [[nodiscard]] CursorPaged<T> page_after(std::vector<T> items,
                                          std::optional<PageCursor> next) const {
    PageLinks links = links_after(next);
    return {{std::move(items), std::move(next)}, std::move(links)};
  }
  [[nodiscard]] PageLinks links_after(const std::optional<PageCursor>& next) const;

 private:
  std::string query_;
};

template <>
struct Extract<Paging> {
  static constexpr bool kOwns = true;
  using Held = Paging;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    return Paging(std::string(context.request.query()));
  }
};

namespace detail::paging {
void add_links(Response& response, const PageLinks& links);
void describe_links(Operation& operation);
}  // namespace detail::paging

template <class Body>
struct Render<LinkedPage<Body>> {
  static constexpr bool kIsWhole = true;
  static void into(Response& response, const LinkedPage<Body>& page) {
    detail::paging::add_links(response, page.links);
    Render<Body>::into(response, page.body);
  }
  static void describe(Operation& operation) {
    Render<Body>::describe(operation);
    detail::paging::describe_links(operation);
  }
};

}  // namespace eider
