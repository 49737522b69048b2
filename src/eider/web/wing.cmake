# What an application adds around its handlers: middleware, files, templates, forms, documents.
eider_wing(web DEPENDS app client data)
eider_component(core FOLDERS middleware languages pagination backplane presence files assets openapi crud
                HEADERS assets crud files languages middleware pagination presence)
eider_component(views FOLDERS views views/app forms
                HEADERS forms pages views
                HOT)
eider_component(compress FOLDERS coding
                HEADERS compress
                PACKAGES "ZLIB 1.2.13"
                MODULES "brotli libbrotlienc>=1.0.9 libbrotlidec>=1.0.9" "zstd libzstd>=1.5.4"
                TARGETS ZLIB::ZLIB PkgConfig::brotli PkgConfig::zstd
                DEBIAN zlib1g-dev libbrotli-dev libzstd-dev)
eider_component(postgres FOLDERS backplane/postgres)
eider_component(redis FOLDERS backplane/redis middleware/redis)
eider_component(proxy FOLDERS proxy
                HEADERS proxy
                BASES client)
eider_component(locale FOLDERS locale
                HEADERS locale
                MODULES "icu icu-uc>=72 icu-i18n>=72"
                TARGETS PkgConfig::icu
                DEBIAN libicu-dev)
eider_component(jobs FOLDERS jobs
                HEADERS jobs)
eider_component(eventlog FOLDERS eventlog
                HEADERS eventlog
                BASES client jobs)
eider_component(admin FOLDERS admin
                HEADERS admin
                BASES views)
eider_component(storage FOLDERS storage storage/s3
                HEADERS storage
                BASES client)
eider_component(qr FOLDERS qr
                HEADERS qr
                MODULES "qrencode libqrencode>=4.1"
                TARGETS PkgConfig::qrencode
                DEBIAN libqrencode-dev)
eider_component(swagger FOLDERS swagger
                HEADERS swagger)
