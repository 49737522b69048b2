// The table of items: HttpArena's async-db and crud. Single items are kept for 200 ms.
#include <drogon/orm/DbClient.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "database.h"

namespace arena {

namespace {

using drogon::HttpRequestPtr;
using drogon::HttpResponse;
using drogon::HttpResponsePtr;
using drogon::Task;
using drogon::orm::Result;

const std::string kColumns =
    "select id, name, category, price, quantity, active, tags, rating_score, rating_count "
    "from items ";
const std::string kBetween = kColumns + "where price between $1 and $2 limit $3";
const std::string kList = kColumns + "where category = $1 order by id limit $2 offset $3";
const std::string kOne = kColumns + "where id = $1";

KeptItems& kept() {
  static KeptItems all;
  return all;
}

Json::Value parsed(std::string_view text) {
  thread_local const std::unique_ptr<Json::CharReader> reader(
      Json::CharReaderBuilder().newCharReader());
  Json::Value json;
  reader->parse(text.data(), text.data() + text.size(), &json, nullptr);
  return json;
}

Json::Value item_of(const drogon::orm::Row& row) {
  Json::Value item;
  item["id"] = row[0].as<int>();
  item["name"] = row[1].as<std::string>();
  item["category"] = row[2].as<std::string>();
  item["price"] = row[3].as<int>();
  item["quantity"] = row[4].as<int>();
  item["active"] = row[5].as<bool>();
  item["tags"] = parsed(row[6].as<std::string_view>());
  item["rating"]["score"] = row[7].as<int>();
  item["rating"]["count"] = row[8].as<int>();
  return item;
}

Json::Value items_of(const Result& rows) {
  Json::Value items(Json::arrayValue);
  for (const auto& row : rows) {
    items.append(item_of(row));
  }
  return items;
}

std::string text_of(const Json::Value& json) {
  static const Json::StreamWriterBuilder kWriter = [] {
    Json::StreamWriterBuilder builder;
    builder["commentStyle"] = "None";
    builder["indentation"] = "";
    return builder;
  }();
  return Json::writeString(kWriter, json);
}

HttpResponsePtr refusal(drogon::HttpStatusCode status) {
  const HttpResponsePtr response = HttpResponse::newHttpResponse();
  response->setStatusCode(status);
  return response;
}

HttpResponsePtr answer(const std::string& text, const char* how) {
  const HttpResponsePtr response = HttpResponse::newHttpResponse();
  response->setContentTypeCode(drogon::CT_APPLICATION_JSON);
  response->addHeader("X-Cache", how);
  response->setBody(text);
  return response;
}

Task<HttpResponsePtr> between(HttpRequestPtr request) {
  // The number of rows is a bigint: the client sends integers as wide as they are.
  const std::int64_t limit = std::clamp(asked(request, "limit").value_or(kLimitMax), 1, kLimitMax);
  const auto rows = co_await drogon::app().getFastDbClient()->execSqlCoro(
      kBetween, asked(request, "min").value_or(10), asked(request, "max").value_or(50), limit);
  Json::Value found;
  found["items"] = items_of(rows);
  found["count"] = found["items"].size();
  co_return HttpResponse::newHttpJsonResponse(std::move(found));
}

Task<HttpResponsePtr> list(HttpRequestPtr request) {
  const std::int64_t limit = std::clamp(asked(request, "limit").value_or(10), 1, kLimitMax);
  const std::int64_t page = std::max(asked(request, "page").value_or(1), 1);
  const auto category = request->getOptionalParameter<std::string>("category");
  const auto rows = co_await drogon::app().getFastDbClient()->execSqlCoro(
      kList, category.value_or("electronics"), limit, (page - 1) * limit);
  Json::Value found;
  found["items"] = items_of(rows);
  found["total"] = found["items"].size();
  found["page"] = page;
  found["limit"] = limit;
  co_return HttpResponse::newHttpJsonResponse(std::move(found));
}

Task<HttpResponsePtr> read_item(HttpRequestPtr, std::string id_text) {
  const auto id = number(id_text, std::numeric_limits<int>::max());
  if (!id) {
    co_return refusal(drogon::k400BadRequest);
  }
  if (const auto text = kept().find(*id)) {
    co_return answer(*text, "HIT");
  }
  const auto rows = co_await drogon::app().getFastDbClient()->execSqlCoro(kOne, *id);
  if (rows.empty()) {
    co_return refusal(drogon::k404NotFound);
  }
  const auto text = std::make_shared<const std::string>(text_of(item_of(rows.front())));
  kept().keep(*id, text);
  co_return answer(*text, "MISS");
}

bool is_change(const Json::Value* body) {
  return body != nullptr && body->isObject() && (*body)["name"].isString() &&
         (*body)["price"].isInt() && (*body)["quantity"].isInt();
}

bool is_item(const Json::Value* body) {
  return is_change(body) && (*body)["id"].isInt() && (*body)["category"].isString();
}

Task<HttpResponsePtr> add_item(HttpRequestPtr request) {
  const auto body = request->getJsonObject();
  if (!is_item(body.get())) {
    co_return refusal(drogon::k400BadRequest);
  }
  const Json::Value& item = *body;
  const int id = item["id"].asInt();
  co_await drogon::app().getFastDbClient()->execSqlCoro(
      kAddItem, id, item["name"].asString(), item["category"].asString(), item["price"].asInt(),
      item["quantity"].asInt());
  kept().forget(id);
  const auto response = HttpResponse::newHttpJsonResponse(item);
  response->setStatusCode(drogon::k201Created);
  co_return response;
}

Task<HttpResponsePtr> change_item(HttpRequestPtr request, std::string id_text) {
  const auto id = number(id_text, std::numeric_limits<int>::max());
  const auto body = request->getJsonObject();
  if (!id || !is_change(body.get())) {
    co_return refusal(drogon::k400BadRequest);
  }
  Json::Value changed = *body;
  const auto rows = co_await drogon::app().getFastDbClient()->execSqlCoro(
      kChangeItem, *id, changed["name"].asString(), changed["price"].asInt(),
      changed["quantity"].asInt());
  kept().forget(*id);
  if (rows.empty()) {
    co_return refusal(drogon::k404NotFound);
  }
  changed["id"] = *id;
  co_return HttpResponse::newHttpJsonResponse(std::move(changed));
}

}  // namespace

void add_items() {
  drogon::app().registerHandler("/async-db", &between, {drogon::Get});
  drogon::app().registerHandler("/crud/items", &list, {drogon::Get});
  drogon::app().registerHandler("/crud/items", &add_item, {drogon::Post});
  drogon::app().registerHandler("/crud/items/{id}", &read_item, {drogon::Get});
  drogon::app().registerHandler("/crud/items/{id}", &change_item, {drogon::Put});
}

}  // namespace arena
