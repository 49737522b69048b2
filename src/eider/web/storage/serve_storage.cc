#include "eider/web/storage/serve_storage.h"

#include <limits>
#include <optional>
#include <utility>

#include "eider/app/redact_query.h"
#include "eider/app/urls.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/loop.h"
#include "eider/web/files/path_policy.h"
#include "eider/web/storage/storage_key.h"
#include "eider/web/storage/storage_state.h"

namespace eider {

namespace {

using detail::storage::UrlTerms;

constexpr std::size_t kFormFieldBytesMax = 4096;
/// The terms of a URL limit the size; the route does not.
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

Error not_signed() {
  return Error::forbidden("The URL is not valid, or has expired. Request a new one.");
}

/// Guards do not split a path at an encoded slash, so a key does not either.
void check_slashes(std::string_view key, const Request& request) {
  if (detail::files::has_encoded_slash(key, request.path())) {
    throw Failure(Error::not_found());
  }
}

void check_type(const UrlTerms& terms, std::string_view type) {
  if (!terms.content_type.empty() && !detail::storage::is_type(type, terms.content_type)) {
    throw Failure(Error(415, "The file must have the type " + terms.content_type + "."));
  }
}

Task<Response> send_signed(const Storage storage, std::string key, const Request& request,
                           SendOptions options) {
  check_slashes(key, request);
  const auto terms = storage.state().urls.open(request.query(), key, UrlTerms::Allows::download,
                                               Loop::current().wall_seconds());
  if (!terms) {
    throw Failure(not_signed());
  }
  options.filename = terms->filename;
  co_return co_await storage.send(std::move(key), request, std::move(options));
}

/// Rejects a request that would store something else than the client means.
///
/// returns  whether an existing object must not be replaced
///
/// source  RFC 9110, sections 13.1 and 14.5
bool check_put_conditions(const Request& request) {
  if (request.header("Content-Range")) {
    throw Failure(Error::bad_request(
        "A part of a file cannot be stored. Send the whole file, without Content-Range."));
  }
  const auto none = request.header("If-None-Match");
  const bool is_only_new = none == "*";
  if ((none && !is_only_new) || request.header("If-Match") ||
      request.header("If-Unmodified-Since")) {
    throw Failure(Error(501, "The only supported condition of an upload is If-None-Match: *."));
  }
  return is_only_new;
}

/// A conflict of two uploads as the failed condition that it is for the client.
Task<StoredObject> put_new(const Storage storage, std::string key, BodyStream body,
                           PutOptions options) {
  options.overwrites = false;
  try {
    co_return co_await storage.put(std::move(key), body, std::move(options));
  } catch (const ObjectExists& exists) {
    throw Failure(Error(412, exists.error().detail()));
  }
}

Task<Response> put_signed(const Storage storage, std::string key, const Request& request,
                          BodyStream body) {
  check_slashes(key, request);
  const auto terms = storage.state().urls.open(request.query(), key, UrlTerms::Allows::put,
                                               Loop::current().wall_seconds());
  if (!terms) {
    throw Failure(not_signed());
  }
  const bool is_only_new = check_put_conditions(request);
  const std::string type(request.header("Content-Type").value_or("application/octet-stream"));
  check_type(*terms, type);
  if (terms->bytes && body.length() != terms->bytes) {
    throw Failure(Error(body.length() ? 400 : 411, "The file must have exactly " +
                                                       std::to_string(*terms->bytes) +
                                                       " bytes, with Content-Length."));
  }
  PutOptions options{.content_type = type, .bytes_max = terms->bytes.value_or(terms->bytes_max)};
  // Choose, then await: g++ 14 evaluates temporaries of both branches of an awaited `?:`.
  auto putting = is_only_new ? put_new(storage, std::move(key), body, std::move(options))
                             : storage.put(std::move(key), body, std::move(options));
  const StoredObject stored = co_await putting;
  Response response;
  response.add_header("ETag", stored.etag);
  co_return response;
}

/// The fields before the file.
struct FormTerms {
  std::string key;
  std::string token;
  std::string type;
};

Task<Response> post_form(const Storage storage, Multipart form) {
  FormTerms given;
  // The terms of the form limit the size, which may be larger than the default of forms.
  form.limits().part_bytes_max = kNoLimit;
  form.limits().total_bytes_max = kNoLimit;
  while (auto part = co_await form.next()) {
    if (part->filename) {
      const auto terms =
          storage.state().urls.open_form(given.token, given.key, Loop::current().wall_seconds());
      if (!terms) {
        throw Failure(not_signed());
      }
      const std::string type = given.type.empty() ? part->content_type : given.type;
      check_type(*terms, type);
      const StoredObject stored = co_await storage.put(
          std::move(given.key), *part, {.content_type = type, .bytes_max = terms->bytes_max});
      Response response(204);
      response.add_header("ETag", stored.etag);
      co_return response;
    }
    std::string text = co_await part->text(kFormFieldBytesMax);
    if (part->name == "key") {
      given.key = std::move(text);
    } else if (part->name == "token") {
      given.token = std::move(text);
    } else if (part->name == "Content-Type") {
      given.type = std::move(text);
    }
  }
  throw Failure(Error::bad_request("The form has no file. Send the file after all other fields."));
}

/// The handler of upload forms. Its path is that of all signed URLs, which Urls knows also in a
/// mounted app.
struct PostForm {
  Storage storage;

  Task<Response> operator()(Multipart form) const { return post_form(storage, std::move(form)); }
  friend bool operator==(const PostForm& left, const PostForm& right) noexcept {
    return &left.storage.state() == &right.storage.state();
  }
};

void add_signed(Routes& group, const Storage& storage, const SendOptions& send) {
  group.get("/{key...}", [storage, send](std::string key, const Request& request) {
    return send_signed(storage, std::move(key), request, send);
  });
  group
      .put("/{key...}",
           [storage](std::string key, const Request& request, BodyStream body) {
             return put_signed(storage, std::move(key), request, body);
           })
      .body_bytes_max(kNoLimit);
  group.post("", PostForm{storage}).body_bytes_max(kNoLimit);
  if (storage.state().urls.set_mount(std::string(group.prefix()))) {
    group.on_start("signed URLs", [storage](State<Urls> urls) {
      storage.state().urls.move_mount(urls->of(PostForm{storage}));
    });
  }
}

}  // namespace

Routes serve_storage(Routes& routes, GroupPrefix prefix, Storage storage,
                     ServeStorageOptions options) {
  value_or_throw(check_storage_prefix(options.key_prefix));
  if (!options.key_prefix.empty() && !options.key_prefix.ends_with('/')) {
    throw Failure(Error::internal("ServeStorageOptions::key_prefix \"" + options.key_prefix +
                                  "\" also includes keys of other directories. Add a slash: \"" +
                                  options.key_prefix + "/\"."));
  }
  Routes group = routes.group(prefix);
  if (options.access == StorageAccess::all) {
    group.get("/{key...}", [storage, options](const std::string& key, const Request& request) {
      check_slashes(key, request);
      return storage.send(options.key_prefix + key, request, options.send);
    });
    return group;
  }
  group.use(redact_query());  // the signature is a permission, and must not be in logs
  add_signed(group, storage, options.send);
  return group;
}

}  // namespace eider
