#include "profiles.h"

#include <drogon/HttpMiddleware.h>
#include <drogon/RequestStream.h>
#include <drogon/drogon.h>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "../common/dataset.h"
#include "../common/item.h"
#include "../common/rows.h"

namespace arena {

namespace {

using drogon::HttpRequestPtr;
using drogon::HttpResponse;
using drogon::HttpResponsePtr;
using Callback = std::function<void(const HttpResponsePtr&)>;

Item item_of(const Json::Value& json) {
  Item item;
  item.id = json["id"].asInt();
  item.name = json["name"].asString();
  item.category = json["category"].asString();
  item.price = json["price"].asInt();
  item.quantity = json["quantity"].asInt();
  item.active = json["active"].asBool();
  for (const Json::Value& tag : json["tags"]) {
    item.tags.push_back(tag.asString());
  }
  item.rating = {json["rating"]["score"].asInt(), json["rating"]["count"].asInt()};
  return item;
}

Dataset read_dataset(const std::string& folder) {
  std::ifstream file(folder + kDatasetName);
  Json::Value json;
  file >> json;
  Dataset all;
  for (const Json::Value& item : json) {
    all.push_back(item_of(item));
  }
  return all;
}

Json::Value json_of(const Item& item, int multiplier) {
  Json::Value json;
  json["id"] = item.id;
  json["name"] = item.name;
  json["category"] = item.category;
  json["price"] = item.price;
  json["quantity"] = item.quantity;
  json["active"] = item.active;
  Json::Value& tags = json["tags"] = Json::Value(Json::arrayValue);
  for (const std::string& tag : item.tags) {
    tags.append(tag);
  }
  json["rating"]["score"] = item.rating.score;
  json["rating"]["count"] = item.rating.count;
  json["total"] = Json::Int64{total_of(item.price, item.quantity, multiplier)};
  return json;
}

void add_items(const std::string& folder) {
  drogon::app().registerHandler(
      "/json/{count}",
      [all = read_dataset(folder)](const HttpRequestPtr& request, Callback&& callback,
                                   const std::string& asked) {
        const auto count = items_asked(asked, all.size());
        if (!count) {
          callback(HttpResponse::newNotFoundResponse(request));
          return;
        }
        const int multiplier = whole(request->getParameter("m")).value_or(1);
        Json::Value json;
        Json::Value& items = json["items"] = Json::Value(Json::arrayValue);
        for (std::size_t i = 0; i < *count; ++i) {
          items.append(json_of(all[i], multiplier));
        }
        json["count"] = static_cast<Json::UInt64>(*count);
        callback(HttpResponse::newHttpJsonResponse(std::move(json)));
      },
      {drogon::Get});
}

HttpResponsePtr uploaded(std::size_t bytes, const std::exception_ptr& fault) {
  HttpResponsePtr response = HttpResponse::newHttpResponse();
  if (fault) {
    response->setStatusCode(drogon::k400BadRequest);
    return response;
  }
  response->setContentTypeCode(drogon::CT_TEXT_PLAIN);
  response->setBody(std::to_string(bytes));
  return response;
}

/// As its example async_stream reads a request: by pieces, as they come.
void add_upload() {
  drogon::app().registerHandler(
      "/upload",
      [](const HttpRequestPtr&, drogon::RequestStreamPtr&& stream, Callback&& callback) {
        auto bytes = std::make_shared<std::size_t>(0);
        stream->setStreamReader(drogon::RequestStreamReader::newReader(
            [bytes](const char*, std::size_t size) { *bytes += size; },
            [bytes, callback = std::move(callback)](const std::exception_ptr& fault) {
              callback(uploaded(*bytes, fault));
            }));
      },
      {drogon::Post});
}

/// Its own name for the type of fonts is the one of before RFC 8081, and cannot be set otherwise.
class FontType : public drogon::HttpMiddleware<FontType> {
 public:
  void invoke(const HttpRequestPtr&, drogon::MiddlewareNextCallback&& next,
              drogon::MiddlewareCallback&& answer) override {
    next([answer = std::move(answer)](const HttpResponsePtr& response) {
      if (response->contentType() == drogon::CT_APPLICATION_FONT_WOFF2) {
        response->setContentTypeCodeAndCustomString(drogon::CT_APPLICATION_FONT_WOFF2,
                                                    "font/woff2");
      }
      answer(response);
    });
  }
};

/// Its cache would keep a file in memory for 5 s: a negative time is none.
constexpr int kNoCache = -1;

/// Compressed files beside are sent by default, .br ahead of .gz.
void add_static(const std::string& folder) {
  constexpr bool kCaseSensitive = true;
  constexpr bool kAllTypes = true;
  constexpr bool kRecursive = false;
  drogon::app()
      .addALocation("/static", "", folder + "/static", kCaseSensitive, kAllTypes, kRecursive,
                    {FontType::classTypeName()})
      .setStaticFilesCacheTime(kNoCache);
}

}  // namespace

void add_profiles() {
  drogon::app().enableBrotli(true);  // gzip is on by default; both from 1 KiB on
  if (const char* folder = std::getenv("PROFILES_DIR")) {
    add_items(folder);
    add_static(folder);
  }
  if (const char* most = std::getenv("BODY_BYTES_MAX")) {
    drogon::app().setClientMaxBodySize(std::strtoull(most, nullptr, 10)).enableRequestStream();
    add_upload();
  }
}

}  // namespace arena
