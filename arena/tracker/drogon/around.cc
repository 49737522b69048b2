#include "around.h"

#include <drogon/plugins/PromExporter.h>
#include <drogon/utils/monitoring/Counter.h>

#include <algorithm>

#include "web.h"

namespace tracker {

namespace {

constexpr std::size_t kJsonBytesMax = 2 << 20;

bool is_ours(const std::string& origin) {
  const Json::Value& origins = drogon::app().getCustomConfig()["origins"];
  return std::ranges::find(origins, Json::Value(origin)) != origins.end();
}

/// Drogon's own answer to a preflight lets every origin in.
HttpResponsePtr answer_preflight() {
  HttpResponsePtr response = no_content();
  response->addHeader("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE");
  response->addHeader("Access-Control-Allow-Headers", "content-type");
  return response;
}

/// An answer in place of what is asked for, or none.
HttpResponsePtr refuse(const HttpRequestPtr& request) {
  request->attributes()->insert("request_id", drogon::utils::getUuid());
  const bool is_of_api = request->path().starts_with("/api/");
  if (request->method() == drogon::Options) {
    return answer_preflight();
  }
  const std::string& site = request->getHeader("sec-fetch-site");
  const bool is_safe = request->method() == drogon::Get || request->method() == drogon::Head;
  if (!is_safe && !is_of_api && !site.empty() && site != "same-origin" && site != "none") {
    return answer_to(Refusal(drogon::k403Forbidden, "Cross-site request blocked."));
  }
  if (request->body().size() > kJsonBytesMax && !request->path().ends_with("/attachments")) {
    return answer_to(Refusal(drogon::k413RequestEntityTooLarge, "This is too much."));
  }
  return nullptr;
}

void add_fields(const HttpRequestPtr& request, const HttpResponsePtr& response) {
  response->addHeader("X-Request-Id", request->attributes()->get<std::string>("request_id"));
  const std::string& origin = request->getHeader("origin");
  if (request->path().starts_with("/api/") && is_ours(origin)) {
    response->addHeader("Access-Control-Allow-Origin", origin);
    response->addHeader("Access-Control-Allow-Credentials", "true");
    response->addHeader("Vary", "Origin");
  }
}

/// The exporter shows what it is given; it counts nothing by itself.
void count(const HttpRequestPtr& request, const HttpResponsePtr& response) {
  using drogon::monitoring::Counter;
  const auto exporter = drogon::app().getSharedPlugin<drogon::plugin::PromExporter>();
  const auto counter = exporter->getCollector<Counter>("http_requests_total");
  counter
      ->metric({request->methodString(), std::string(request->matchedPathPattern()),
                std::to_string(static_cast<int>(response->statusCode()))})
      ->increment();
}

}  // namespace

void add_advices() {
  drogon::app()
      .registerSyncAdvice([](const HttpRequestPtr& request) {
        HttpResponsePtr refusal = refuse(request);
        if (refusal) {  // which no later advice sees
          add_fields(request, refusal);
          count(request, refusal);
        }
        return refusal;
      })
      .registerPreSendingAdvice(add_fields)
      .registerPreSendingAdvice(count);
}

}  // namespace tracker
