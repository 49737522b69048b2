#include "eider/auth/session/redis/redis_sessions.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace eider {

namespace {

/// Maximum number of sessions that one script deletes, because scripts block all other commands.
constexpr std::int64_t kSweptAtOnce = 500;

/// Common first part of all scripts: p is the prefix.
constexpr std::string_view kCommon = R"lua(
local p = KEYS[1]
local function put(name, user, seen)
  redis.call('ZADD', p .. 'seen', seen, name)
  if user ~= '' then redis.call('SADD', p .. 'u:' .. user, name) end
end
local function take_off(name, user)
  redis.call('ZREM', p .. 'seen', name)
  if user ~= '' then redis.call('SREM', p .. 'u:' .. user, name) end
end
local function erase(name)
  local user = redis.call('HGET', p .. 's:' .. name, 'user')
  take_off(name, user or '')
  return redis.call('DEL', p .. 's:' .. name)
end
)lua";

redis::Script script_of(std::string_view body) {
  return redis::Script(std::string(kCommon).append(body));
}

class RedisStore final : public SessionStore {
 public:
  RedisStore(Redis redis, std::string prefix)
      : redis_(std::move(redis)), prefix_(std::move(prefix)) {}

  [[nodiscard]] Task<std::unique_ptr<SessionRecord>> find(std::string name) override {
    auto found =
        co_await redis_.command<std::optional<SessionRecord>>("HGETALL", prefix_ + "s:" + name);
    co_return found ? std::make_unique<SessionRecord>(std::move(*found)) : nullptr;
  }

  [[nodiscard]] Task<> insert(std::string name, SessionRecord record) override {
    co_await run<void>(insert_, std::move(name), std::move(record));
  }

  [[nodiscard]] Task<bool> replace(std::string name, SessionRecord record) override {
    return run<bool>(replace_, std::move(name), record.version - 1, record.seen, record.version,
                     record.data, record.flashes, record.authenticated);
  }

  [[nodiscard]] Task<bool> rename(std::string name, std::string new_name) override {
    return run<bool>(rename_, std::move(name), std::move(new_name));
  }

  [[nodiscard]] Task<> erase(std::string name) override {
    return run<void>(erase_, std::move(name));
  }

  [[nodiscard]] Task<std::size_t> erase_of(std::string user, std::string but_for) override {
    return run<std::size_t>(erase_of_, std::move(user), std::move(but_for));
  }

  [[nodiscard]] Task<std::vector<KnownSession>> list(std::string user) override {
    return run<std::vector<KnownSession>>(list_, std::move(user));
  }

  [[nodiscard]] Task<> sweep(std::int64_t seen_until) override {
    std::int64_t count = kSweptAtOnce;
    while (count == kSweptAtOnce) {
      count = co_await run<std::int64_t>(sweep_, seen_until, kSweptAtOnce);
    }
  }

 private:
  template <class T, class... Arguments>
  [[nodiscard]] Task<T> run(const redis::Script& script, Arguments... arguments) const {
    std::vector<std::string> keys;
    keys.push_back(prefix_);
    return redis_.run<T>(script, std::move(keys), std::move(arguments)...);
  }

  const Redis redis_;
  const std::string prefix_;
  const redis::Script insert_ = script_of(R"lua(
local record = {}
for i = 2, #ARGV, 2 do record[ARGV[i]] = ARGV[i + 1] end
erase(ARGV[1])
redis.call('HSET', p .. 's:' .. ARGV[1], unpack(ARGV, 2))
put(ARGV[1], record.user, record.seen)
)lua");
  const redis::Script replace_ = script_of(R"lua(
local key = p .. 's:' .. ARGV[1]
if redis.call('HGET', key, 'version') ~= ARGV[2] then return 0 end
redis.call('HSET', key, 'seen', ARGV[3], 'version', ARGV[4], 'data', ARGV[5], 'flashes', ARGV[6],
  'authenticated', ARGV[7])
redis.call('ZADD', p .. 'seen', ARGV[3], ARGV[1])
return 1
)lua");
  const redis::Script rename_ = script_of(R"lua(
local old = redis.call('HMGET', p .. 's:' .. ARGV[1], 'user', 'seen')
if not old[1] then return 0 end
take_off(ARGV[1], old[1])
redis.call('RENAME', p .. 's:' .. ARGV[1], p .. 's:' .. ARGV[2])
put(ARGV[2], old[1], old[2])
return 1
)lua");
  const redis::Script erase_ = script_of("return erase(ARGV[1])");
  const redis::Script erase_of_ = script_of(R"lua(
local count = 0
for _, name in ipairs(redis.call('SMEMBERS', p .. 'u:' .. ARGV[1])) do
  if name ~= ARGV[2] then count = count + erase(name) end
end
return count
)lua");
  const redis::Script list_ = script_of(R"lua(
local all = {}
for _, name in ipairs(redis.call('SMEMBERS', p .. 'u:' .. ARGV[1])) do
  local times = redis.call('HMGET', p .. 's:' .. name, 'began', 'seen')
  if times[1] then all[#all + 1] = {name, times[1], times[2]} end
end
table.sort(all, function(a, b)
  if a[2] == b[2] then return a[1] < b[1] end
  return tonumber(a[2]) < tonumber(b[2])
end)
return all
)lua");
  const redis::Script sweep_ = script_of(R"lua(
local old = redis.call('ZRANGEBYSCORE', p .. 'seen', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, name in ipairs(old) do erase(name) end
return #old
)lua");
};

}  // namespace

std::shared_ptr<SessionStore> redis_sessions(Redis redis, std::string prefix) {
  return std::make_shared<RedisStore>(std::move(redis), std::move(prefix));
}

}  // namespace eider
