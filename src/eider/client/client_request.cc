#include "eider/client/client_request.h"

#include <concepts>
#include <utility>

#include "eider/client/call.h"
#include "eider/client/client_state.h"
#include "eider/client/request_parts.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/span.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/multipart_form.h"

namespace eider {

namespace {

using detail::client::Call;
using detail::client::ClientState;
using detail::client::ContentKind;
using detail::client::Gathering;
using detail::client::RequestParts;

/// Starts a span for the request if the calling work has a trace, and sends it to the server. A
/// traceparent header of the request is kept.
OpenSpan begin_span(RequestParts& parts) {
  const Work* const work = Work::current();
  if (work == nullptr || !work->place.is_there() || parts.has_field("traceparent")) [[likely]] {
    return {};
  }
  OpenSpan span = OpenSpan::begin(to_text(parts.method), SpanKind::client);
  parts.add_field("traceparent", traceparent_text(span.is_there() ? span.place() : work->place));
  if (!work->state.empty()) {
    parts.add_field("tracestate", work->state);
  }
  span.set("http.request.method", std::string(to_text(parts.method)));
  if (span.is_there()) {  // a query may contain a secret
    span.set("url.full", parts.url.substr(0, parts.url.find_first_of("?#")));
  }
  return span;
}

/// Returns "GET https://stock.example" for the state report: path, query and user may be secret.
std::string told(const RequestParts& parts) {
  if (Work::current() == nullptr) [[likely]] {
    return {};
  }
  const std::string_view url = parts.url;
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  std::string_view authority = url.substr(host, url.find_first_of("/?#", host) - host);
  authority.remove_prefix(authority.rfind('@') + 1);
  return std::string(to_text(parts.method))
      .append(" ")
      .append(url.substr(0, host))
      .append(authority);
}

void end_span(OpenSpan& span, int status) {
  span.set("http.response.status_code", std::int64_t{status});
  span.end(status < 400 ? "" : std::to_string(status));
}

/// Runs the request, and keeps its parts until the response has arrived, even if `ClientRequest` is
/// destroyed.
///
/// Reply  ClientResponse, or ClientStream, whose body is read later
template <class Reply>
Task<Result<Reply, ClientError>> perform(ClientState& state, std::unique_ptr<RequestParts> parts) {
  constexpr bool kIsWhole = std::same_as<Reply, ClientResponse>;
  OpenSpan span = begin_span(*parts);
  const std::string asked = told(*parts);
  const WaitNote waits(WaitNote::What::request, asked, Loop::current().now());
  Call call(state, std::move(parts), kIsWhole ? Gathering::whole : Gathering::pieces);
  auto outcome = co_await call.run();
  if (!outcome) {
    span.end(outcome.error().text);
    co_return fail(std::move(outcome.error()));
  }
  end_span(span, outcome->received->status);
  if constexpr (kIsWhole) {
    co_return ClientResponse(std::move(outcome->received));
  } else {
    co_return ClientStream(state, std::move(*outcome));
  }
}

/// Percent-encodes form fields: parsers of application/x-www-form-urlencoded also accept this.
std::string encoded(std::span<const FormField> fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    out.append(out.empty() ? "" : "&").append(percent_encode(name)).append("=");
    out.append(percent_encode(value));
  }
  return out;
}

/// Returns 96 unpredictable bits as hexadecimal digits.
std::string random_boundary() {
  return "eider-" + to_hex(secret_bytes(12));
}

}  // namespace

ClientRequest::ClientRequest(ClientState& state, Method method, std::string_view url)
    : state_(&state), parts_(std::make_unique<RequestParts>()) {
  parts_->method = method;
  parts_->url = url;
  if (method == Method::unknown || method == Method::connect) {
    parts_->fault = {ClientFault::bad_request, "This method cannot be used for a request."};
  }
}
ClientRequest::ClientRequest(ClientRequest&& other) noexcept = default;
ClientRequest& ClientRequest::operator=(ClientRequest&& other) noexcept = default;
ClientRequest::~ClientRequest() = default;

ClientRequest& ClientRequest::header(std::string_view name, std::string_view value) {
  parts_->add_field(name, value);
  return *this;
}

ClientRequest& ClientRequest::basic_auth(std::string_view user, std::string_view password) {
  const std::string both = std::string(user).append(":").append(password);
  return header("Authorization", "Basic " + to_base64(both));
}

ClientRequest& ClientRequest::bearer(std::string_view token) {
  return header("Authorization", "Bearer " + std::string(token));
}

ClientRequest& ClientRequest::query(std::string_view name, std::string_view value) {
  std::string& url = parts_->url;
  // A fragment is not sent, and a query after it would be a part of it.
  url.resize(std::min(url.find('#'), url.size()));
  url.append(url.contains('?') ? "&" : "?").append(percent_encode(name)).append("=");
  url.append(percent_encode(value));
  return *this;
}

ClientRequest& ClientRequest::body(std::string content, std::string_view content_type) {
  parts_->content_kind = ContentKind::bytes;
  parts_->content = std::move(content);
  return header("Content-Type", content_type);
}

ClientRequest& ClientRequest::form(std::initializer_list<FormField> fields) {
  return form(std::span(fields.begin(), fields.size()));
}

ClientRequest& ClientRequest::form(std::span<const FormField> fields) {
  return body(encoded(fields), "application/x-www-form-urlencoded");
}

ClientRequest& ClientRequest::form(const MultipartForm& form) {
  // The boundary must not occur in any part, or the part would end there.
  std::string boundary = random_boundary();
  while (!form.may_use(boundary)) {
    boundary = random_boundary();
  }
  return body(form.to_text(boundary), "multipart/form-data; boundary=" + boundary);
}

ClientRequest& ClientRequest::body_from(ContentProducer producer, std::string_view content_type) {
  parts_->content_kind = ContentKind::produced;
  parts_->producer = std::move(producer);
  return header("Content-Type", content_type);
}

ClientRequest& ClientRequest::body_from(ContentProducer producer, std::string_view content_type,
                                        std::uint64_t bytes) {
  parts_->content_length = bytes;
  return body_from(std::move(producer), content_type);
}

ClientRequest& ClientRequest::timeout(Duration whole) {
  parts_->within = whole;
  return *this;
}

ClientRequest& ClientRequest::repeatable() {
  parts_->may_repeat = true;
  return *this;
}

ClientRequest& ClientRequest::only_once() {
  parts_->may_repeat = false;
  return *this;
}

Task<ClientRequest::Reply> ClientRequest::send() {
  return perform<ClientResponse>(*state_, std::move(parts_));
}

Task<ClientRequest::StreamedReply> ClientRequest::send_streamed() {
  return perform<ClientStream>(*state_, std::move(parts_));
}

}  // namespace eider
