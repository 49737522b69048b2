#include "eider/client/generated/api_request.h"

#include <map>

#include "eider/core/base/base64.h"
#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr std::size_t kProblemBytesMax = std::size_t{64} * 1024;

/// The members of a problem document (RFC 9457) that the client reads; other servers may omit any.
struct ProblemField {
  std::string pointer;
  std::string detail;
  std::optional<std::string> code;
  std::optional<std::map<std::string, std::string>> arguments;
};
struct ProblemRead {
  std::optional<std::string> title;
  std::optional<std::string> detail;
  std::optional<std::vector<ProblemField>> errors;
};

/// Converts an error status to an Error: 502 if the status is not valid for an Error.
Error problem_of(int status, std::string_view content) {
  const auto problem =
      json::read<ProblemRead>(content, {.unknown_members = json::UnknownMembers::kIgnore});
  std::string said = "The server responded with status " + std::to_string(status) + ".";
  if (problem) {
    said = problem->detail.value_or(problem->title.value_or(said));
  }
  Error error(status >= 400 && status <= 599 ? status : 502, std::move(said));
  if (!problem || !problem->errors) {
    return error;
  }
  for (const ProblemField& field : *problem->errors) {
    FieldError fault{field.pointer, field.detail, field.code.value_or("")};
    if (field.arguments) {
      for (const auto& [name, value] : *field.arguments) {
        fault.arguments.push_back({name, value});
      }
    }
    error.with_field(std::move(fault));
  }
  return error;
}

}  // namespace

void ApiRequest::put_in_path(std::string_view name, const std::string& value) {
  const std::string place = "{" + std::string(name) + "}";
  const std::size_t at = path_.find(place);
  if (value.empty() || value == "." || value == ".." || at == path_.npos) {
    fault_ =
        Error::bad_request("The path parameter " + std::string(name) + " is empty or not valid.");
    return;
  }
  path_.replace(at, place.size(), value);  // encoding leaves no brace in the value
}

void ApiRequest::basic_auth(const ApiLogin& login) {
  header("Authorization", "Basic " + to_base64(login.user + ":" + login.password));
}

std::string ApiRequest::encoded(const std::vector<Pair>& pairs) {
  std::string all;
  for (const auto& [name, value] : pairs) {
    all += (all.empty() ? "" : "&") + percent_encode(name) + "=" + value;
  }
  return all;
}

ClientRequest ApiRequest::made() const {
  std::string url = server_->base_url;
  while (url.ends_with('/')) {
    url.pop_back();
  }
  url += path_;
  for (const auto& [name, value] : query_) {
    url.append(url.contains('?') ? "&" : "?").append(percent_encode(name)).append("=");
    url.append(value);
  }
  ClientRequest request = server_->http.request(method_, url);
  for (const auto& [name, value] : fields_) {
    request.header(name, value);
  }
  if (content_) {
    request.body(*content_, content_type_);
  }
  if (multipart_) {
    request.form(*multipart_);
  }
  if (server_->prepare) {
    server_->prepare(request);
  }
  return request;
}

Task<Result<ClientResponse>> ApiRequest::ask(ApiRequest request) {
  if (request.fault_) {
    co_return fail(*std::move(request.fault_));
  }
  ClientRequest sent = request.made();
  ClientRequest::Reply reply = co_await sent.send();
  if (!reply) {
    co_return fail(to_error(reply.error()));
  }
  if (!reply->is_ok()) {
    co_return fail(problem_of(reply->status(), reply->body()));
  }
  co_return std::move(*reply);
}

Task<Result<std::string>> ApiRequest::ask_text(ApiRequest request) {
  const Result<ClientResponse> response = co_await ask(std::move(request));
  if (!response) {
    co_return fail(response.error());
  }
  co_return std::string(response->body());
}

Task<Result<void>> ApiRequest::ask_nothing(ApiRequest request) {
  const Result<ClientResponse> response = co_await ask(std::move(request));
  if (!response) {
    co_return fail(response.error());
  }
  co_return Result<void>();
}

Task<Result<ClientStream>> ApiRequest::ask_stream(ApiRequest request) {
  if (request.fault_) {
    co_return fail(*std::move(request.fault_));
  }
  ClientRequest sent = request.made();
  ClientRequest::StreamedReply reply = co_await sent.send_streamed();
  if (!reply) {
    co_return fail(to_error(reply.error()));
  }
  if (!reply->is_ok()) {
    std::string content;
    while (content.size() < kProblemBytesMax) {
      const auto piece = co_await reply->next();
      if (!piece || piece->empty()) {
        break;
      }
      content += *piece;
    }
    co_return fail(problem_of(reply->status(), content));
  }
  co_return std::move(*reply);
}

Task<Result<std::string>> ApiRequest::get_text() && {
  return ask_text(std::move(*this));
}

Task<Result<void>> ApiRequest::get_nothing() && {
  return ask_nothing(std::move(*this));
}

Task<Result<ClientStream>> ApiRequest::ask_items(ApiRequest request, std::string_view type) {
  Result<ClientStream> stream = co_await ask_stream(std::move(request));
  if (!stream) {
    co_return std::move(stream);
  }
  const std::string given(stream->header("Content-Type").value_or(""));
  const std::string_view essence = trim(std::string_view(given).substr(0, given.find(';')));
  if (!type.empty() && stream->status() != 204 && !equals_ignoring_case(essence, type)) {
    co_return fail(
        detail::client::not_as_told(Error(502, "The Content-Type of the response is \"" + given +
                                                   "\", not " + std::string(type) + ".")));
  }
  co_return std::move(stream);
}

}  // namespace eider
