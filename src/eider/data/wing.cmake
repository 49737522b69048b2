# Databases with their drivers and migrations, Redis, caches.
eider_wing(data DEPENDS io)
eider_component(core FOLDERS cache db db/migrations db/scratch)
eider_component(sqlite FOLDERS db/sqlite
                PACKAGES "SQLite3 3.40"
                TARGETS SQLite::SQLite3)
eider_component(postgres FOLDERS db/postgres db/postgres/testing
                BASES net
                MODULES "libpq libpq>=15"
                TARGETS PkgConfig::libpq)
eider_component(mariadb FOLDERS db/mariadb db/mariadb/testing
                BASES net
                MODULES "mariadb libmariadb>=3.3"
                TARGETS PkgConfig::mariadb)
eider_component(redis FOLDERS redis
                BASES net)
eider_public(cache/cache cache/cache_store db/database db/mariadb/bulk db/mariadb/mariadb
             db/mariadb/testing/test_mariadb db/migrations/migrate db/migrations/migrations db/postgres/copy
             db/postgres/postgres db/postgres/postgres_subscriber db/postgres/testing/test_postgres db/records
             db/sqlite/sqlite db/sqlite/sqlite_backup redis/redis redis/redis_cache redis/redis_subscriber
             redis/redis_values)
