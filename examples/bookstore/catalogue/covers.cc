#include "catalogue/covers.h"

#include <eider/eider.h>
#include <eider/forms.h>

#include "catalogue/books.h"
#include "catalogue/cover_type.h"
#include "people/user.h"

namespace bookstore {

using namespace eider;

namespace {

constexpr std::size_t kCoverBytesMax = 1'000'000;
constexpr std::size_t kFormBytesMax = kCoverBytesMax + 10'000;

/// Serves the picture with its real type, and never as a page.
Response picture(const Cover& cover) {
  Response response;
  response.set_type(cover.type);
  response.set_body(
      std::string(reinterpret_cast<const char*>(cover.bytes.data()), cover.bytes.size()));
  response.add_header("Content-Security-Policy", "default-src 'none'; sandbox");
  response.add_header("Content-Disposition", "inline");
  response.add_header("Cache-Control", "no-cache");
  return response;
}

Task<Result<Response>> show(std::int64_t id, State<Books> books) {
  const std::optional<Cover> cover = co_await books->cover(id);
  if (!cover) {
    co_return fail(Error::not_found("This book has no cover."));
  }
  co_return picture(*cover);
}

Task<Result<Redirect>> take(std::int64_t id, BoundForm<CoverForm> form, const Staff&,
                            Session<> session, State<Books> books, const Translator& tr) {
  const std::string& bytes = form->cover.bytes;
  const auto type = cover_type(bytes);
  if (type) {
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    Cover cover{std::string(*type), db::Blob(first, first + bytes.size())};
    if (!co_await books->set_cover(id, std::move(cover))) {
      co_return fail(Error::not_found("This book does not exist."));
    }
  }
  session.flash(type ? "info" : "error", type ? tr("The cover was saved.")
                                              : tr("A cover must be a PNG, JPEG or WebP image."));
  co_return Redirect("/books/" + std::to_string(id));
}

}  // namespace

void add_covers(Routes& app) {
  app.get("/covers/{id}", show);
  app.post("/covers/{id}", take).body_bytes_max(kFormBytesMax);
}

}  // namespace bookstore
