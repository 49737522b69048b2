#include "eider/auth/passkeys/passkey_store.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "eider/data/db/create_tables.h"

namespace eider {

namespace {

class MemoryPasskeys final : public PasskeyStore {
 public:
  [[nodiscard]] Task<std::unique_ptr<Passkey>> find(std::string id) override {
    const std::lock_guard lock(mutex_);
    const auto found = by_id_.find(id);
    co_return found == by_id_.end() ? nullptr : std::make_unique<Passkey>(found->second);
  }

  [[nodiscard]] Task<std::vector<Passkey>> list(std::string user) override {
    std::vector<Passkey> all;
    const std::lock_guard lock(mutex_);
    for (const auto& [id, passkey] : by_id_) {
      if (passkey.user == user) {
        all.push_back(passkey);
      }
    }
    std::ranges::sort(all, [](const Passkey& one, const Passkey& other) {
      return std::tie(one.created, one.id) < std::tie(other.created, other.id);
    });
    co_return all;
  }

  [[nodiscard]] Task<bool> insert(Passkey passkey, std::size_t count_max) override {
    const std::lock_guard lock(mutex_);
    if (count_of(passkey.user) >= count_max) {
      co_return false;
    }
    std::string id = passkey.id;
    co_return by_id_.try_emplace(std::move(id), std::move(passkey)).second;
  }

  [[nodiscard]] Task<bool> note_use(Passkey passkey, CounterRule rule) override {
    const std::lock_guard lock(mutex_);
    Passkey* const kept = find_his(passkey.user, passkey.id);
    if (kept == nullptr) {
      co_return false;
    }
    const bool goes_on =
        kept->counter < passkey.counter || (kept->counter == 0 && passkey.counter == 0);
    if (rule == CounterRule::must_increase && !goes_on) {
      co_return false;
    }
    kept->counter = std::max(kept->counter, passkey.counter);
    kept->is_backed_up = passkey.is_backed_up;
    kept->used = passkey.used;
    co_return true;
  }

  [[nodiscard]] Task<bool> rename(std::string user, std::string id, std::string name) override {
    const std::lock_guard lock(mutex_);
    Passkey* const kept = find_his(user, id);
    if (kept != nullptr) {
      kept->name = std::move(name);
    }
    co_return kept != nullptr;
  }

  [[nodiscard]] Task<bool> erase(std::string user, std::string id) override {
    const std::lock_guard lock(mutex_);
    co_return find_his(user, id) != nullptr&& by_id_.erase(id) == 1;
  }

  [[nodiscard]] Task<bool> erase_unless_last(std::string user, std::string id) override {
    const std::lock_guard lock(mutex_);
    co_return find_his(user, id) != nullptr&& count_of(user) > 1 && by_id_.erase(id) == 1;
  }

 private:
  [[nodiscard]] Passkey* find_his(const std::string& user, const std::string& id) {
    const auto found = by_id_.find(id);
    return found != by_id_.end() && found->second.user == user ? &found->second : nullptr;
  }
  [[nodiscard]] std::size_t count_of(const std::string& user) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        by_id_, [&user](const auto& each) { return each.second.user == user; }));
  }

  std::mutex mutex_;
  std::map<std::string, Passkey> by_id_;
};

/// Locks the passkeys of a user until the transaction ends. In a database with concurrent writers,
/// each statement sees the data at its start, so two transactions would count the same passkeys.
/// The user has a row for this, because a user without passkeys has no other row to lock.
Task<> lock_those_of(const db::Statements& in, std::string user) {
  co_await in.exec(
      "insert into eider_passkey_owners(owner) values($1) "
      "on conflict(owner) do update set owner = excluded.owner",
      user);
}

Task<bool> erase_unless_last_by(const db::Statements& in, std::string user, std::string id) {
  co_await lock_those_of(in, user);
  const auto done = co_await in.exec(
      "delete from eider_passkeys where id = $1 and owner = $2 "
      "and (select count(*) from eider_passkeys where owner = $2) > 1",
      id, user);
  co_return done.rows == 1;
}

class SqlPasskeys final : public PasskeyStore {
 public:
  explicit SqlPasskeys(Database database) noexcept : database_(std::move(database)) {}

  [[nodiscard]] Task<> start() override {
    db::refuse_mariadb(database_, "sql_passkeys");
    co_await db::create_tables(
        database_,
        "create table if not exists eider_passkeys ("
        "id text primary key, owner text not null, user_handle text not null, "
        "public_key text not null, counter bigint not null, is_backup_eligible boolean not null, "
        "is_backed_up boolean not null, is_verified boolean not null, transports text not null, "
        "aaguid text not null, attestation text not null, name text not null, "
        "created bigint not null, used bigint not null);"
        "create index if not exists eider_passkeys_owner on eider_passkeys(owner);"
        "create table if not exists eider_passkey_owners(owner text primary key);");
  }

  [[nodiscard]] Task<std::unique_ptr<Passkey>> find(std::string id) override {
    auto found = co_await database_.one<Passkey>(
        "select id, owner as user, user_handle, public_key, counter, is_backup_eligible, "
        "is_backed_up, is_verified, transports, aaguid, attestation, name, created, used "
        "from eider_passkeys where id = $1",
        id);
    co_return found ? std::make_unique<Passkey>(std::move(*found)) : nullptr;
  }

  [[nodiscard]] Task<std::vector<Passkey>> list(std::string user) override {
    auto all = co_await database_.all<Passkey>(
        "select id, owner as user, user_handle, public_key, counter, is_backup_eligible, "
        "is_backed_up, is_verified, transports, aaguid, attestation, name, created, used "
        "from eider_passkeys where owner = $1 order by created, id",
        user);
    co_return all;
  }

  [[nodiscard]] Task<bool> insert(Passkey passkey, std::size_t count_max) override {
    const auto insert = [passkey = std::move(passkey), count_max](Transaction& transaction) {
      return insert_passkey(transaction, passkey, count_max);
    };
    return database_.transaction(insert);
  }

  [[nodiscard]] Task<bool> note_use(Passkey passkey, CounterRule rule) override {
    const auto done = co_await database_.exec(
        "update eider_passkeys set counter = case when counter > $1 then counter else $1 end, "
        "is_backed_up = $2, used = $3 where id = $4 and owner = $5 "
        "and (counter < $1 or (counter = 0 and $1 = 0) or $6)",
        passkey.counter, passkey.is_backed_up, passkey.used, passkey.id, passkey.user,
        rule == CounterRule::may_decrease);
    co_return done.rows == 1;
  }

  [[nodiscard]] Task<bool> rename(std::string user, std::string id, std::string name) override {
    const auto done = co_await database_.exec(
        "update eider_passkeys set name = $1 where id = $2 and owner = $3", name, id, user);
    co_return done.rows == 1;
  }

  [[nodiscard]] Task<bool> erase(std::string user, std::string id) override {
    const auto done = co_await database_.exec(
        "delete from eider_passkeys where id = $1 and owner = $2", id, user);
    co_return done.rows == 1;
  }

  [[nodiscard]] Task<bool> erase_unless_last(std::string user, std::string id) override {
    const auto erase = [user = std::move(user), id = std::move(id)](Transaction& transaction) {
      return erase_unless_last_by(transaction, user, id);
    };
    return database_.transaction(erase);
  }

 private:
  const Database database_;
};

}  // namespace

Task<> PasskeyStore::start() {
  co_return;
}

std::shared_ptr<PasskeyStore> memory_passkeys() {
  return std::make_shared<MemoryPasskeys>();
}

std::shared_ptr<PasskeyStore> sql_passkeys(Database database) {
  return std::make_shared<SqlPasskeys>(std::move(database));
}

Task<bool> insert_passkey(const db::Statements& in, Passkey passkey, std::size_t count_max) {
  co_await lock_those_of(in, passkey.user);
  const auto done = co_await in.exec(
      "insert into eider_passkeys(id, owner, user_handle, public_key, counter, "
      "is_backup_eligible, is_backed_up, is_verified, transports, aaguid, attestation, name, "
      "created, used) select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 "
      "where (select count(*) from eider_passkeys where owner = $2) < $15 on conflict do nothing",
      passkey.id, passkey.user, passkey.user_handle, passkey.public_key, passkey.counter,
      passkey.is_backup_eligible, passkey.is_backed_up, passkey.is_verified, passkey.transports,
      passkey.aaguid, passkey.attestation, passkey.name, passkey.created, passkey.used,
      static_cast<std::int64_t>(count_max));
  co_return done.rows == 1;
}

}  // namespace eider
