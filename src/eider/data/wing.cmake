# Databases with their drivers and migrations, Redis, caches.
eider_wing(data DEPENDS io)
eider_component(core FOLDERS cache db db/migrations db/scratch
                HEADERS cache database)
eider_component(net FOLDERS servers)
eider_component(sqlite FOLDERS db/sqlite
                HEADERS sqlite
                PACKAGES "SQLite3 3.40"
                TARGETS SQLite::SQLite3
                DEBIAN libsqlite3-dev)
eider_component(postgres FOLDERS db/postgres db/postgres/testing
                HEADERS postgres test_postgres
                BASES net
                MODULES "libpq libpq>=15"
                TARGETS PkgConfig::libpq
                DEBIAN libpq-dev)
eider_component(mariadb FOLDERS db/mariadb db/mariadb/testing
                HEADERS mariadb test_mariadb
                BASES net
                MODULES "mariadb libmariadb>=3.3"
                TARGETS PkgConfig::mariadb
                DEBIAN libmariadb-dev)
eider_component(redis FOLDERS redis
                HEADERS redis
                BASES net)
