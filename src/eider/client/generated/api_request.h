// One call of a generated client (`eider openapi client --language c++`): its request and response.
// Layering: must not know an API: that is the generated part.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/client/client.h"
#include "eider/client/generated/api_stream.h"
#include "eider/core/base/result.h"
#include "eider/core/base/url.h"
#include "eider/core/json/read.h"
#include "eider/core/json/write.h"
#include "eider/core/reflect/type_of.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/multipart_form.h"
#include "eider/protocols/http/sse.h"

namespace eider {

/// The server of an API. It must outlive its requests.
///
/// http      of the event loop that sends the requests
/// base_url  "https://example.org/v1"; the paths of operations are appended
/// prepare   called with each request: .bearer(token), .timeout(2s), …
/// streams   the limits of streams
struct ApiServer {
  HttpClient& http;
  std::string base_url;
  std::function<void(ClientRequest&)> prepare = {};
  ApiStreamLimits streams = {};
};

/// A user name and password; without a name, no header is sent.
struct ApiLogin {
  std::string user = {};
  std::string password = {};
};

/// A call of a generated client.
///
/// errors of a call  400       a path parameter that is empty, "." or "..", which URLs resolve
///                   502, 504  no response; the cause is logged
///                   502       the response does not match the document
///                   else      the server's status, with the errors of its problem document
class ApiRequest {
 public:
  /// path  a template, "/notes/{id}"
  ApiRequest(const ApiServer& server, Method method, std::string_view path)
      : server_(&server), method_(method), path_(path) {}

  /// Replaces {name} by a value, percent-encoded; commas separate the elements of a list.
  template <class T>
  void path(std::string_view name, const T& value) {
    put_in_path(name, encoded_list(value, ","));
  }
  /// Adds a query parameter: one for each element of a list, none for an absent value.
  template <class T>
  void query(std::string_view name, const T& value) {
    each_text(value,
              [&](const std::string& text) { query_.emplace_back(name, percent_encode(text)); });
  }
  /// Adds one query parameter, with `between` between the elements of a list; none for an empty
  /// list.
  ///
  /// between  as in the URL: ",", "%20" or "|". An encoded one would belong to an element.
  template <class T>
  void query(std::string_view name, const T& value, std::string_view between) {
    if (std::string text = encoded_list(value, between); !text.empty()) {
      query_.emplace_back(name, std::move(text));
    }
  }
  /// Adds a parameter "name[member]" for each member of an object or a map.
  template <class T>
  void query_members(std::string_view name, const T& value) {
    const auto add = [&](std::string_view member, const auto& its) {
      query(std::string(name).append("[").append(member).append("]"), its);
    };
    if constexpr (requires { value.has_value(); }) {
      if (value.has_value()) {
        query_members(name, *value);
      }
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (const auto& [member, its] : value) {
        add(member, its);
      }
    } else {
      reflect::for_each_member(value, add);
    }
  }
  template <class T>
  void header(std::string_view name, const T& value) {
    each_text(value, [&](std::string text) { fields_.emplace_back(name, std::move(text)); });
  }

  /// Sets Authorization: Basic (RFC 7617), in UTF-8.
  void basic_auth(const ApiLogin& login);

  void body(std::string content, std::string_view type) {
    content_ = std::move(content);
    content_type_ = type;
  }
  template <class T>
  void json(const T& value, std::string_view type) {
    body(json::to_text(value), type);
  }
  /// A field of a form, and the text between the elements of its list, as for `query`.
  using FormStyle = std::pair<std::string_view, std::string_view>;

  /// Sets the body to a form with a field for each member; lists without a style have a field for
  /// each element.
  template <class T>
  void form(const T& value, std::initializer_list<FormStyle> styles = {}) {
    std::vector<Pair> pairs;
    reflect::for_each_member(value, [&](std::string_view name, const auto& member) {
      const auto* const style = std::ranges::find(styles, name, &FormStyle::first);
      if (style == styles.end()) {
        each_text(member,
                  [&](const std::string& text) { pairs.emplace_back(name, percent_encode(text)); });
      } else if (std::string text = encoded_list(member, style->second); !text.empty()) {
        pairs.emplace_back(name, std::move(text));
      }
    });
    body(encoded(pairs), "application/x-www-form-urlencoded");
  }
  void form(const MultipartForm& form) { multipart_ = form; }

  // Each sends the request, and reads a 2xx response.

  /// Sends the request, and reads the response as JSON; a std::optional is empty if there is no
  /// body. Unknown members are ignored: a newer server may send them.
  template <class T>
  [[nodiscard]] Task<Result<T>> get_json() && {
    return read<T>(std::move(*this));
  }
  [[nodiscard]] Task<Result<std::string>> get_text() &&;
  [[nodiscard]] Task<Result<void>> get_nothing() &&;
  /// Sends the request, and reads server-sent events: 502 if the response has another type. 204 is
  /// an empty stream.
  template <class T>
  [[nodiscard]] Task<Result<ApiEvents<T>>> get_events() && {
    header("Accept", kTextEventStream);
    return open<ApiEvents<T>>(std::move(*this), kTextEventStream);
  }
  /// Sends the request, and reads one JSON text per line.
  template <class T>
  [[nodiscard]] Task<Result<ApiLines<T>>> get_lines() && {
    return open<ApiLines<T>>(std::move(*this), {});
  }

 private:
  using Pair = std::pair<std::string, std::string>;

  /// The text of a value for paths and queries: its JSON text, without quotes.
  template <class T>
  static std::string text_of(const T& value) {
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      return std::string(std::string_view(value));
    } else {
      std::string text = json::to_text(value);
      return text.starts_with('"') ? json::read<std::string>(text).value_or(text) : text;
    }
  }
  template <class T, class Take>
  static void each_text(const T& value, const Take& take) {
    if constexpr (requires { value.has_value(); }) {
      if (value.has_value()) {
        each_text(*value, take);
      }
    } else if constexpr (!std::convertible_to<const T&, std::string_view> &&
                         requires { value.data(); }) {
      for (const auto& element : value) {
        each_text(element, take);
      }
    } else {
      take(text_of(value));
    }
  }

  template <class T>
  static std::string encoded_list(const T& value, std::string_view between) {
    std::string all;
    bool is_first = true;
    each_text(value, [&](const std::string& text) {
      all.append(std::exchange(is_first, false) ? "" : between).append(percent_encode(text));
    });
    return all;
  }

  template <class T>
  static Task<Result<T>> read(ApiRequest request) {
    const Result<ClientResponse> response = co_await ask(std::move(request));
    if (!response) {
      co_return fail(response.error());
    }
    if constexpr (requires(const T& value) { value.has_value(); }) {
      if (response->body().empty()) {
        co_return T();
      }
    }
    co_return detail::client::read_told<T>(response->body());
  }
  template <class S>
  static Task<Result<S>> open(ApiRequest request, std::string_view type) {
    const ApiStreamLimits limits = request.server_->streams;
    Result<ClientStream> stream = co_await ask_items(std::move(request), type);
    if (!stream) {
      co_return fail(std::move(stream.error()));
    }
    co_return S(std::move(*stream), limits);
  }

  /// value  percent-encoded
  void put_in_path(std::string_view name, const std::string& value);
  /// pairs  with percent-encoded values
  [[nodiscard]] static std::string encoded(const std::vector<Pair>& pairs);
  /// Returns the request for the client. Pre: it has no error.
  [[nodiscard]] ClientRequest made() const;
  [[nodiscard]] static Task<Result<ClientResponse>> ask(ApiRequest request);
  [[nodiscard]] static Task<Result<std::string>> ask_text(ApiRequest request);
  [[nodiscard]] static Task<Result<void>> ask_nothing(ApiRequest request);
  [[nodiscard]] static Task<Result<ClientStream>> ask_stream(ApiRequest request);
  /// type  of the response; empty: any
  [[nodiscard]] static Task<Result<ClientStream>> ask_items(ApiRequest request,
                                                            std::string_view type);

  const ApiServer* server_;
  Method method_;
  std::string path_;
  std::vector<Pair> query_;  // the values are percent-encoded
  std::vector<Pair> fields_;
  std::optional<std::string> content_;
  std::string content_type_;
  std::optional<MultipartForm> multipart_;
  std::optional<Error> fault_;
};

}  // namespace eider
