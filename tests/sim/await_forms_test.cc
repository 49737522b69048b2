// Awaitables of the public API, awaited directly and as a named variable.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "eider/client/client.h"
#include "eider/client/ws/ws_client.h"
#include "eider/eider.h"
#include "eider/io/runtime/channel.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

template <class T>
concept IsAwaitable = requires(T&& awaited) { std::forward<T>(awaited).await_ready(); } ||
                      requires(T&& awaited) { std::forward<T>(awaited).operator co_await(); };

template <class T>
constexpr bool kIsAwaitableInEachWay = IsAwaitable<T> && IsAwaitable<T&>;

static_assert(kIsAwaitableInEachWay<Task<>>);
static_assert(kIsAwaitableInEachWay<Task<std::string>>);
static_assert(kIsAwaitableInEachWay<decltype(sleep_for({}))>);
static_assert(kIsAwaitableInEachWay<decltype(std::declval<WebSocket&>().send(""))>);
static_assert(kIsAwaitableInEachWay<decltype(std::declval<WebSocket&>().receive())>);
static_assert(kIsAwaitableInEachWay<decltype(std::declval<BodyStream&>().next())>);
static_assert(kIsAwaitableInEachWay<decltype(std::declval<ResponseStream&>().write(""))>);
static_assert(kIsAwaitableInEachWay<decltype(std::declval<EventStream&>().send({}))>);
static_assert(kIsAwaitableInEachWay<decltype(std::declval<Multipart&>().next())>);
static_assert(kIsAwaitableInEachWay<decltype(std::declval<HttpClient&>().get(""))>);
static_assert(kIsAwaitableInEachWay<decltype(WsClient::connect(""))>);
static_assert(kIsAwaitableInEachWay<decltype(std::declval<Channel<int>&>().send(1))>);
static_assert(kIsAwaitableInEachWay<decltype(std::declval<Channel<int>&>().receive())>);
static_assert(kIsAwaitableInEachWay<decltype(run_blocking([] { return 1; }))>);

TEST(Awaitables, are_taken_by_name_where_a_handler_waits) {
  App app;
  app.get("/", []() -> Task<std::string> {
    auto sleeping = sleep_for(std::chrono::milliseconds(1));
    co_await sleeping;
    auto work = run_blocking([] { return 7; });
    co_return std::to_string(co_await work);
  });
  EXPECT_EQ(TestClient(app).get("/").body, "7");
}

}  // namespace
}  // namespace eider
